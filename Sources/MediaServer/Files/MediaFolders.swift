import BridgeCore
import Glibc

/// Opens files below the named folders and nothing outside: each name is opened by itself, and none of them may be a symbolic link.
package struct MediaFolders: Sendable {
    package struct Entry: Sendable, Hashable {
        package let name: String
        package let isFolder: Bool
        /// The bytes of a file.
        package let size: Int
    }

    /// The entries that are read of one folder.
    package static let entryLimit = 10_000

    package let folders: [MediaFolder]
    let known = FolderPictures()

    package init(_ folders: [MediaFolder]) { self.folders = folders }

    /// - Returns: `nil` when there is no such regular file, or when it can't be read.
    package func open(_ path: MediaPath) -> MediaFile? {
        guard path.components.count > 1, let parent = path.parent, let folder = self.descriptor(of: parent) else { return nil }
        defer { close(folder) }
        var facts = stat()
        // Before it is opened: to open a pipe or a device has effects.
        guard fstatat(folder, path.name, &facts, AT_SYMLINK_NOFOLLOW) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        let file = openat(folder, path.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        return file < 0 ? nil : MediaFile(descriptor: file)
    }

    /// Returns the files and folders in a folder, by name in natural order, without hidden ones, links and others.
    /// - Returns: `nil` when there is no such folder, or when it can't be read.
    package func entries(of path: MediaPath) -> [Entry]? {
        self.descriptor(of: path).flatMap { Self.entries(in: $0) }?.sorted { NaturalOrder.precedes($0.name, $1.name) }
    }

    /// Returns the names of the pictures in a folder by their form in lower case. The folder is read again only after it has changed.
    /// - Returns: as `entries`.
    func pictures(in path: MediaPath) -> [String: String]? {
        guard let descriptor = self.descriptor(of: path) else { return nil }
        return self.known.names(in: descriptor, of: path) {
            let pictures = Self.entries(in: descriptor) { name in Self.pictureSuffixes.contains { name.lowercased().hasSuffix($0) } }
            return pictures.map { Dictionary($0.filter { !$0.isFolder }.map { ($0.name.lowercased(), $0.name) }) { first, _ in first } }
        }
    }

    static let pictureSuffixes = [".jpg", ".jpeg", ".png", ".webp"]

    /// Reads an open folder and closes it.
    private static func entries(in descriptor: Int32, where isWanted: (String) -> Bool = { _ in true }) -> [Entry]? {
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            return nil
        }
        defer { closedir(stream) }
        var entries: [Entry] = []
        var read = 0
        while read < self.entryLimit, let item = readdir(stream) {
            let name = withUnsafePointer(to: &item.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
            }
            guard let name, MediaPath.isName(name) else { continue }
            read += 1
            var facts = stat()
            guard isWanted(name), fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            let kind = facts.st_mode & S_IFMT
            guard kind == S_IFREG || kind == S_IFDIR else { continue }
            entries.append(Entry(name: name, isFolder: kind == S_IFDIR, size: kind == S_IFDIR ? 0 : Int(facts.st_size)))
        }
        return entries
    }

    /// Opens a folder, name by name. The named folder itself may be reached by links, because the configuration names it.
    private func descriptor(of path: MediaPath) -> Int32? {
        guard let root = self.folders.first(where: { $0.name == path.components[0] }) else { return nil }
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        var folder = Glibc.open(root.path, flags)
        for name in path.components.dropFirst() where folder >= 0 {
            let next = openat(folder, name, flags | O_NOFOLLOW)
            close(folder)
            folder = next
        }
        return folder < 0 ? nil : folder
    }
}

/// The order of people: `2 b` before `10 a`, without regard to case.
enum NaturalOrder {
    static func precedes(_ first: String, _ second: String) -> Bool { self.key(first) < self.key(second) }

    /// The name in lower case with the length of each number before it, without its leading zeros, and then the name itself.
    private static func key(_ name: String) -> (String, String) {
        var (key, number) = ("", "")
        for character in name.lowercased() + "/" {
            if character.isASCII, character.isNumber {
                if number != "0" { number.append(character) } else { number = String(character) }
            } else {
                if !number.isEmpty { key += String(UnicodeScalar(UInt8(min(number.count, 255)))) + number }
                number = ""
                key.append(character)
            }
        }
        return (String(key.dropLast()), name)
    }
}

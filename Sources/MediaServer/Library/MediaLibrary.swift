import BridgeCore
import CastMediaCheck
import CastModels

/// A medium of a folder, with what lies beside it.
package struct LibraryItem: Sendable {
    package let path: MediaPath
    package let type: String
    package let kind: MediaFormat.Kind
    package let container: MediaFormat.Container
    /// A picture of it.
    package var cover: MediaPath?
    package var subtitles: [Subtitles] = []

    package struct Subtitles: Sendable {
        package let path: MediaPath
        /// As the file's name has it, `und` when it names none (RFC 5646).
        package let language: String
        package let name: String
    }

    /// The name of the file without its extension, as people write it.
    package var title: String { MediaLibrary.stem(self.path.name).replacing("_", with: " ") }
}

/// Finds media in the named folders. Its methods read from disks and may block.
package struct MediaLibrary: Sendable {
    /// The items of a folder that become a queue.
    package static let itemLimit = 500
    private static let subtitleLimit = 16

    private let folders: MediaFolders

    package init(_ folders: MediaFolders) { self.folders = folders }

    /// Returns the medium at a path; of a folder its media in natural order: sound and films, or pictures if it has only those.
    /// - Returns: `nil` when there is nothing at the path, or nothing that is a medium.
    package func items(at path: MediaPath) -> [LibraryItem]? {
        if let entries = self.folders.entries(of: path) {
            let files = entries.lazy.filter { !$0.isFolder && ContentType.isMedium($0.name) }.prefix(4 * Self.itemLimit)
            let pictures = self.folders.pictures(in: path) ?? [:]
            let found = files.compactMap { file in path.appending([file.name]).flatMap { self.item(at: $0, beside: entries, pictures) } }
            let media = found.filter { $0.kind == .file || $0.kind == .adaptive }
            let items = (media.isEmpty ? found.filter { $0.kind == .image } : media).prefix(Self.itemLimit)
            return items.isEmpty ? nil : Array(items)
        }
        guard let parent = path.parent,
            let item = self.item(at: path, beside: self.folders.entries(of: parent) ?? [], self.folders.pictures(in: parent) ?? [:])
        else { return nil }
        return item.kind == .text ? nil : [item]
    }

    private func item(at path: MediaPath, beside entries: [MediaFolders.Entry], _ pictures: [String: String]) -> LibraryItem? {
        guard let file = self.folders.open(path), let (type, container) = MediaType.of(file.head(MediaType.headLength), name: path.name),
            let folder = path.parent
        else { return nil }
        var item = LibraryItem(path: path, type: type, kind: container.kind, container: container)
        guard container.kind == .file || container.kind == .adaptive else { return item }
        let stem = Self.stem(path.name).lowercased()
        item.cover = Self.cover(of: stem, among: pictures).flatMap { folder.appending([$0]) }
        for entry in entries where !entry.isFolder && item.subtitles.count < Self.subtitleLimit {
            let name = entry.name.lowercased()
            guard name.hasPrefix(stem + "."), name.hasSuffix(".srt") || name.hasSuffix(".vtt"), entry.size <= SubtitleText.byteLimit,
                let path = folder.appending([entry.name])
            else { continue }
            // "film.de.srt", "film.pt-BR.forced.vtt".
            let words = Self.stem(entry.name).dropFirst(stem.count + 1).split(separator: ".")
            let language = words.first.map(String.init).flatMap { Self.isLanguage($0) ? $0 : nil }
            item.subtitles.append(
                .init(path: path, language: language ?? "und", name: words.isEmpty ? "Subtitles" : words.joined(separator: " ")))
        }
        return item
    }

    /// Returns the bytes of the picture beside a file or in a folder; of a picture, its own. At most 4 MiB.
    package func cover(of path: MediaPath) -> [UInt8]? {
        let isFile = self.folders.open(path) != nil
        guard let folder = isFile ? path.parent : path, let pictures = self.folders.pictures(in: folder),
            let cover = Self.cover(of: isFile ? Self.stem(path.name).lowercased() : nil, among: pictures),
            let file = folder.appending([cover]).flatMap(self.folders.open), file.size <= 4 << 20
        else { return nil }
        return file.head(file.size)
    }

    /// Returns the picture with the name of a file, else that of its folder.
    private static func cover(of stem: String?, among pictures: [String: String]) -> String? {
        [stem, "cover", "folder"].lazy.compactMap { $0 }.flatMap { name in MediaFolders.pictureSuffixes.map { name + $0 } }
            .compactMap { pictures[$0] }.first
    }

    static func stem(_ name: String) -> String { name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name }

    private static func isLanguage(_ word: String) -> Bool {
        let parts = word.split(separator: "-", omittingEmptySubsequences: false)
        return (2...3).contains(parts[0].utf8.count) && parts.allSatisfy { (2...8).contains($0.utf8.count) && $0.allSatisfy(\.isASCII) }
            && parts[0].allSatisfy(\.isLetter)
    }
}

import BridgeCore
import Glibc
import NIOPosix
import Synchronization

/// The folder of uploaded files. It has no files but these: its first file marks it, and a folder with files of others is not used.
package final class MediaUploads: UploadAccess {
    /// The files that may arrive at once.
    static let runningLimit = 4
    /// The bytes for which there is room at a time when the length of a file is not known.
    static let step = 8 << 20
    private static let marker = ".cast2mqtt-uploads"
    private static let partPrefix = ".part-"
    /// What file systems and programs put into an empty folder by themselves.
    private static let strays: Set = ["lost+found", ".DS_Store"]

    /// As `media/browse` lists it.
    package let folder: MediaFolder
    private let folders: MediaFolders
    private let room: UploadRoom
    /// How many files arrive, and the bytes of them that the disk does not have yet.
    private let running = Mutex((count: 0, bytes: 0))
    /// Held while files come into the folder and leave it.
    private let files = Mutex(())

    package init(_ options: UploadOptions, folder: MediaFolder) {
        (self.folder, self.folders, self.room) = (folder, MediaFolders([folder]), UploadRoom(options: options))
    }

    package func store(
        _ body: some AsyncSequence<[UInt8], any Error> & Sendable, named name: String, length: Int?
    ) async throws -> UploadedFile {
        let limit = min(self.room.options.fileByteLimit, self.room.options.byteLimit)
        var missing = length ?? min(limit, Self.step)
        guard missing <= limit else { throw UploadRefusal.tooLarge(limit: limit) }
        let isAdmitted = self.running.withLock { [missing] running in
            guard running.count < Self.runningLimit else { return false }
            running = (running.count + 1, running.bytes + missing)
            return true
        }
        guard isAdmitted else { throw UploadRefusal.tooMany }
        defer { self.running.withLock { [missing] in $0 = ($0.count - 1, $0.bytes - missing) } }
        var part: Part?
        do {
            var (head, type, size): ([UInt8], String, Int) = ([], "", 0)
            /// Stores what came. What is no medium makes no other file go, and need not arrive as a whole.
            func write(_ bytes: [UInt8]) async throws {
                if part == nil {
                    guard let found = MediaType.of(Array(head.prefix(MediaType.headLength)), name: name)?.type else {
                        throw UploadRefusal.noMedium
                    }
                    type = found
                    part = try await NIOThreadPool.singleton.runIfActive { try self.begin() }
                }
                if length == nil, missing < bytes.count {
                    let more = max(Self.step, bytes.count)
                    missing += more
                    self.running.withLock { $0.bytes += more }
                    try await NIOThreadPool.singleton.runIfActive { try self.makeRoom() }
                }
                try await NIOThreadPool.singleton.runIfActive { [part] in try part?.write(bytes) }
                missing -= bytes.count
                self.running.withLock { $0.bytes -= bytes.count }
            }
            for try await bytes in body {
                size += bytes.count
                guard size <= limit else { throw UploadRefusal.tooLarge(limit: limit) }
                if part == nil { head += bytes }
                if part != nil || head.count >= MediaType.headLength { try await write(part == nil ? head : bytes) }
            }
            guard length == nil || length == size else { throw CancellationError() }
            if part == nil { try await write(head) }
            guard let part else { throw UploadRefusal.noMedium }
            let stored = UploadRoom.name(name, type: type)
            let path = try await NIOThreadPool.singleton.runIfActive { [size] in try self.finish(part, size, named: stored) }
            return UploadedFile(path: path, contentType: type, size: size)
        } catch {
            try? await NIOThreadPool.singleton.runIfActive { [part] in part?.remove() }
            throw error
        }
    }

    // MARK: The folder

    /// Whether the folder is for uploads alone. Nothing is stored in another one, nor removed.
    private var isMarked: Bool { access("\(self.folder.path)/\(Self.marker)", F_OK) == 0 }

    private func begin() throws(UploadRefusal) -> Part {
        if !self.isMarked { self.open() }
        guard self.isMarked else {
            throw .notStored(
                "\(self.folder.path) has files of others or can't be written. Name a folder for uploads alone in media.uploads.folder.")
        }
        self.expire()
        try self.makeRoom()
        return try Part("\(self.folder.path)/\(Self.partPrefix)\(UInt64.random(in: 0 ... .max))")
    }

    /// Makes room on the disk for the files that arrive.
    private func makeRoom() throws(UploadRefusal) {
        let size = self.running.withLock { $0.bytes }
        try self.files.withLock { _ throws(UploadRefusal) in
            var facts = statvfs()
            guard statvfs(self.folder.path, &facts) == 0 else { return }
            let (free, isHuge) = Int(facts.f_bavail).multipliedReportingOverflow(by: Int(facts.f_frsize))
            guard let removals = self.room.removals(from: self.kept, for: size, free: isHuge ? .max : free) else {
                throw .notStored("The disk of \(self.folder.path) is nearly full. Make room there.")
            }
            self.remove(removals)
        }
    }

    private func finish(_ part: Part, _ size: Int, named name: String) throws(UploadRefusal) -> MediaPath {
        try self.files.withLock { _ throws(UploadRefusal) in
            self.remove(self.room.removals(from: self.kept, for: size))
            let dot = name.lastIndex(of: ".") ?? name.endIndex
            let names = [name] + (2...(self.room.options.countLimit + 2)).map { "\(name[..<dot])-\($0)\(name[dot...])" }
            guard let free = names.first(where: { access("\(self.folder.path)/\($0)", F_OK) != 0 }),
                let path = MediaPath(components: [self.folder.name, free])
            else { throw .notStored("There is no free name for \(name).") }
            try part.rename(to: "\(self.folder.path)/\(free)")
            return path
        }
    }

    /// Creates the folder, marks an empty one, and removes the parts of files that a killed process left.
    func open() {
        mkdir(self.folder.path, 0o700)
        guard let names = self.names else { return }
        if names.allSatisfy(Self.strays.contains) {
            close(Glibc.open("\(self.folder.path)/\(Self.marker)", O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600))
        }
        guard self.isMarked else { return }
        for name in names where name.hasPrefix(Self.partPrefix) { unlink("\(self.folder.path)/\(name)") }
    }

    /// Removes the files whose time is over.
    func expire() {
        guard self.isMarked else { return }
        self.files.withLock { _ in self.remove(self.room.expired(self.kept, now: time(nil))) }
    }

    /// The uploaded files.
    private var kept: [UploadRoom.File] {
        (self.names ?? []).filter(MediaPath.isName).compactMap { name in
            MediaPath(components: [self.folder.name, name]).flatMap(self.folders.open).map {
                UploadRoom.File(name: name, size: $0.size, modified: $0.modified)
            }
        }
    }

    private func remove(_ files: [UploadRoom.File]) { for file in files { unlink("\(self.folder.path)/\(file.name)") } }

    /// `nil` when the folder can't be read.
    private var names: [String]? {
        guard let stream = opendir(self.folder.path) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let item = readdir(stream) {
            let name = withUnsafePointer(to: &item.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != "..", name != Self.marker { names.append(name) }
        }
        return names
    }
}

/// A file that arrives, hidden until it is whole.
private final class Part: Sendable {
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws(UploadRefusal) {
        self.path = path
        self.descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if self.descriptor < 0 { throw Self.failure(path) }
    }

    deinit { if self.descriptor >= 0 { close(self.descriptor) } }

    func write(_ bytes: [UInt8]) throws(UploadRefusal) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(self.descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || count < 0 && errno == EINTR else { throw Self.failure(self.path) }
            rest = rest.dropFirst(max(0, count))
        }
    }

    func rename(to path: String) throws(UploadRefusal) {
        guard fsync(self.descriptor) == 0, Glibc.rename(self.path, path) == 0 else { throw Self.failure(path) }
    }

    func remove() { unlink(self.path) }

    private static func failure(_ path: String) -> UploadRefusal {
        .notStored("\(path) can't be written: \(String(cString: strerror(errno))).")
    }
}

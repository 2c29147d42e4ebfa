import CastSender
import Glibc

/// The state directory of the bridge. Files in it are replaced as a whole and survive a kill at any moment. Only one process at a time can
/// hold it.
package final class StateDirectory: Sendable {
    /// The reason why the directory cannot be used.
    package enum Problem: Error, Sendable, Hashable {
        /// Another process holds the lock.
        case inUse(path: String)
        /// The directory cannot be created or written; the number is the `errno`.
        case notWritable(path: String, errno: Int32)
        /// A file exists and cannot be read; the numbers are the `errno` and the user id of the file's owner, `nil` when unknown.
        case notReadable(path: String, errno: Int32, owner: UInt32?)
        /// None is given, or it could not be used when the bridge started.
        case missing
    }

    /// The content of a file, as far as it was read.
    package struct Contents: Sendable {
        package let bytes: [UInt8]
        /// Whether the whole file was read; of a larger one, `bytes` is the first part.
        package let isWhole: Bool
    }

    /// The largest part of a file that is read, in bytes.
    package static let limit = 16 << 20

    /// The file of known devices in the format of `StateFile`; readable while another process holds the directory.
    package static let devicesFile = "devices.jsonl"

    /// The absolute path of the directory.
    package let path: String
    private let lock: Int32

    /// Creates the directory if needed, accessible by its owner only, and locks it until the process ends or this object is released.
    ///
    /// - Parameter path: a relative path is resolved against the working directory.
    package init(path given: String) throws(Problem) {
        guard let path = Self.absolute(given) else { throw .notWritable(path: given, errno: errno) }
        var made = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: true) {
            made += "/" + part
            if mkdir(made, 0o700) != 0, errno != EEXIST { throw .notWritable(path: path, errno: errno) }
        }
        let descriptor = open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .notWritable(path: path, errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            close(descriptor)
            throw reason == EWOULDBLOCK ? .inUse(path: path) : .notWritable(path: path, errno: reason)
        }
        self.path = path
        self.lock = descriptor
    }

    deinit { close(self.lock) }

    private static func absolute(_ path: String) -> String? {
        if path.hasPrefix("/") { return path }
        guard let folder = getcwd(nil, 0) else { return nil }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }

    /// Returns the contents of a file, at most `limit` bytes; `nil` when there is no such file.
    package func read(_ name: String) throws(Problem) -> Contents? {
        let path = "\(self.path)/\(name)"
        do throws(WholeFile.Failure) {
            let bytes = try WholeFile.read(path, limit: Self.limit)
            return Contents(bytes: bytes, isWhole: bytes.count <= Self.limit)
        } catch {
            if error.number == ENOENT { return nil }
            var status = stat()
            throw .notReadable(path: path, errno: error.number, owner: stat(path, &status) == 0 ? status.st_uid : nil)
        }
    }

    /// Replaces the file. A reader, or the next start after a power cut, sees the old or the new content, never a part.
    package func write(_ name: String, _ bytes: [UInt8]) throws(Problem) {
        let target = "\(self.path)/\(name)"
        if let number = PrivateFile.replace(target, with: bytes, syncs: true) { throw .notWritable(path: target, errno: number) }
        self.synchronise()
    }

    /// The bytes of a file; 0 when there is none.
    func size(of name: String) -> Int {
        var facts = stat()
        return stat("\(self.path)/\(name)", &facts) == 0 ? Int(facts.st_size) : 0
    }

    /// Appends whole lines to a file, on a line of their own. Of lines that don't fit on the disk nothing stays.
    func append(_ name: String, _ bytes: [UInt8]) throws(Problem) {
        let path = "\(self.path)/\(name)"
        let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .notWritable(path: path, errno: errno) }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        var last: UInt8 = 0
        // A process that was killed while it wrote leaves half a line.
        let isTorn = size > 0 && pread(descriptor, &last, 1, size - 1) == 1 && last != UInt8(ascii: "\n")
        guard PrivateFile.write((isTorn ? [UInt8(ascii: "\n")] : []) + bytes, to: descriptor), fdatasync(descriptor) == 0 else {
            let number = errno
            ftruncate(descriptor, size)
            throw .notWritable(path: path, errno: number)
        }
    }

    /// Renames a damaged file, so that people can examine it.
    package func setAside(_ name: String) { rename("\(self.path)/\(name)", "\(self.path)/\(name).damaged") }

    /// Keeps the present file under another name, once: files are replaced, so the link keeps the former content.
    package static func keep(_ path: String) { link(path, path + ".before-pair") }

    package func remove(_ name: String) { unlink("\(self.path)/\(name)") }

    /// Synchronises the directory, because a rename is durable only after that.
    private func synchronise() {
        let directory = open(self.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }
}

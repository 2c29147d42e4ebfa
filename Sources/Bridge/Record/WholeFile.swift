import Glibc

package enum WholeFile {
    /// The `errno` of a failed read.
    package struct Failure: Error {
        package let number: Int32
    }

    /// Returns the bytes of a file.
    /// - Parameters:
    ///   - limit: reading stops after this many bytes; a longer result is a part of a larger file.
    ///   - waits: whether to wait for the writer of a pipe.
    package static func read(_ path: String, limit: Int, waits: Bool = true) throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK))
        guard descriptor >= 0 else { throw Failure(number: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= limit {
            let count = Glibc.read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(number: errno) }
            if count == 0 { break }
            bytes += part[..<count]
        }
        return bytes
    }
}

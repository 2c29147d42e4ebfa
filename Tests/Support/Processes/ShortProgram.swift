import Glibc
import ProcessSpawning

/// A program that is run to its end, such as `openssl`.
public enum ShortProgram {
    public struct Failure: Error, CustomStringConvertible {
        public var description: String
    }

    /// Blocks until the end; returns what it printed on both streams, at most the first 64 KiB.
    ///
    /// - Parameter words: as for `env`: a program of the search path, after options of `env` if any.
    /// - Throws: what it printed, when it failed.
    @discardableResult
    public static func run(_ words: [String]) throws -> String {
        var template = Array("/tmp/program-XXXXXX".utf8CString)
        let file = mkstemp(&template)
        guard file >= 0 else { throw Failure(description: "no temporary file: \(errno)") }
        unlink(template)
        defer { close(file) }
        let code = Spawning.wait(for: try Spawning.spawn(["/usr/bin/env"] + words, output: file))
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = pread(file, &bytes, bytes.count, 0)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        guard code == 0 else { throw Failure(description: "\(words.joined(separator: " ")) failed with \(code): \(text)") }
        return text
    }
}

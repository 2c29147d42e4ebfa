import NIOCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Writes events as JSON lines, with the time of the monotonic clock that all processes of the machine share.
///
/// Each line is written at once, so that a program that follows the file misses none.
final class Journal: Sendable {
    private let descriptor: Int32
    private let writing = Mutex(())

    /// - Parameter path: the file to create; an existing one is emptied.
    /// - Throws: `SimulatorError` `resource`.
    init(path: String) throws(SimulatorError) {
        self.descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o644)
        guard self.descriptor >= 0 else { throw SimulatorError(.resource, "cannot write \(path): \(String(cString: strerror(errno)))") }
    }

    deinit { close(self.descriptor) }

    func record(device: String, event: String, _ members: KeyValuePairs<String, JSON?>) {
        var line = JSON.members([
            "t_ns": .integer(Int(NIODeadline.now().uptimeNanoseconds)), "device": .string(device), "event": .string(event),
        ])
        for (name, value) in members { if let value { line[name] = value } }
        var bytes = line.utf8
        bytes.append(UInt8(ascii: "\n"))
        self.writing.withLock { _ in
            var rest = bytes[...]
            while !rest.isEmpty {
                let written = rest.withUnsafeBytes { write(self.descriptor, $0.baseAddress, $0.count) }
                // A full disk only loses lines of the journal.
                guard written > 0 else { return }
                rest = rest.dropFirst(written)
            }
        }
    }
}

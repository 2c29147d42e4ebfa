import NIOCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What happened, one JSON line each, with the time of the monotonic clock that all processes of the machine share.
///
/// Each line is written at once, so that whoever follows the file misses nothing.
final class Journal: Sendable {
    private let descriptor: Int32
    private let writing = Mutex(())

    /// - Parameter path: created, or emptied when it exists.
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
                // A full disk loses lines of the journal and nothing else.
                guard written > 0 else { return }
                rest = rest.dropFirst(written)
            }
        }
    }
}

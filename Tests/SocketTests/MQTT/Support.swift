import Glibc
import Logging
import Synchronization

/// Calls something once, after a number of calls.
final class Countdown: Sendable {
    private let left: Mutex<Int>
    private let whenDone: @Sendable () -> Void

    init(_ count: Int, whenDone: @escaping @Sendable () -> Void) {
        self.left = Mutex(count)
        self.whenDone = whenDone
    }

    func count() {
        let isLast = self.left.withLock { left in
            left -= 1
            return left == 0
        }
        if isLast { self.whenDone() }
    }
}

/// - Returns: whether the process may have this many descriptors now.
func raiseDescriptorLimit(to count: rlim_t) -> Bool {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return false }
    if limit.rlim_cur >= count { return true }
    limit.rlim_cur = min(limit.rlim_max, count)
    return setrlimit(resource, &limit) == 0 && limit.rlim_cur >= count
}

/// The lines that a logger received.
final class LogLines: Sendable {
    struct Line: Sendable {
        var level: Logger.Level
        var message: String
        var metadata: [String: String]
    }

    private let lines = Mutex<[Line]>([])

    var all: [Line] { self.lines.withLock { $0 } }

    static func make() -> (Logger, LogLines) {
        let lines = LogLines()
        return (Logger(label: "test") { _ in Handler(lines: lines) }, lines)
    }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = self.metadata.merging(event.metadata ?? [:]) { $1 }
            let line = Line(level: event.level, message: event.message.description, metadata: all.mapValues { $0.description })
            self.lines.lines.withLock { $0.append(line) }
        }
    }
}

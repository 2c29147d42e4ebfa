import Dispatch
import Glibc
import NetworkReach
import Synchronization

/// Writes lines to a descriptor on a separate thread, in the order in which they were appended.
///
/// `append` never waits, because the reader of a pipe or a terminal may have stopped. When the queue is full, lines are dropped, and a line
/// with their number takes their place.
package final class LogWriter: Sendable {
    package static let maximumLines = 4096
    /// The largest size of waiting lines, in bytes.
    package static let maximumBytes = 1 << 20

    private enum Entry {
        case line([UInt8])
        case dropped(Int)
    }

    private struct State {
        /// The entries that the thread has not taken yet.
        var entries: [Entry] = []
        /// The number and size of lines that are not written yet.
        var lines = 0
        var bytes = 0
        var hasThread = false
        /// When the last line was written, or the first one after a pause was appended.
        var progressAt = ContinuousClock.now
        /// Signalled when no line waits.
        var drained: DispatchSemaphore?
        var report: @Sendable (Int) -> [UInt8] = { Array("\($0) log lines dropped\n".utf8) }
    }

    private let descriptor: Int32
    private let state = Mutex(State())
    private let appended = DispatchSemaphore(value: 0)

    /// - Parameter descriptor: must stay open as long as the process runs.
    package init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Appends a line with its line feed, on any thread.
    package func append(_ line: [UInt8]) {
        let (isFirst, needsThread) = self.state.withLock { state in
            let isFirst = state.entries.isEmpty
            if state.lines < Self.maximumLines, state.bytes + line.count <= Self.maximumBytes {
                if state.lines == 0 { state.progressAt = .now }
                state.lines += 1
                state.bytes += line.count
                state.entries.append(.line(line))
            } else if case .dropped(let count) = state.entries.last {
                state.entries[state.entries.count - 1] = .dropped(count + 1)
            } else {
                state.entries.append(.dropped(1))
            }
            defer { state.hasThread = true }
            return (isFirst, !state.hasThread)
        }
        if isFirst { self.appended.signal() }
        // If the system cannot start a thread, the next line tries again.
        if needsThread, !DetachedThread.start("log", { self.run() }) { self.state.withLock { $0.hasThread = false } }
    }

    /// Sets the format of the line that reports the number of dropped lines.
    package func reportDropped(by report: @escaping @Sendable (Int) -> [UInt8]) { self.state.withLock { $0.report = report } }

    /// Waits until all lines are written, at most `limit` since the reader accepted the last line. For the end of the process.
    package func flush(within limit: Duration) {
        let drained = DispatchSemaphore(value: 0)
        let end = self.state.withLock { state -> ContinuousClock.Instant? in
            guard state.hasThread, state.lines > 0 || !state.entries.isEmpty else { return nil }
            state.drained = drained
            return state.progressAt + limit
        }
        guard let end else { return }
        _ = drained.wait(timeout: .now() + .nanoseconds(Int((end - .now) / .nanoseconds(1))))
    }

    // MARK: The thread

    private func run() {
        while true {
            self.appended.wait()
            let (entries, report) = self.state.withLock { state in
                defer { state.entries = [] }
                return (state.entries, state.report)
            }
            for entry in entries {
                switch entry {
                case .line(let line):
                    self.write(line)
                    self.wrote(lines: 1, bytes: line.count)
                case .dropped(let count): self.write(report(count))
                }
            }
            self.wrote(lines: 0, bytes: 0)
        }
    }

    private func wrote(lines: Int, bytes: Int) {
        self.state.withLock { state in
            state.lines -= lines
            state.bytes -= bytes
            state.progressAt = .now
            guard state.lines == 0, state.entries.isEmpty else { return }
            state.drained?.signal()
            state.drained = nil
        }
    }

    /// Writes a line with one `write` if the descriptor accepts it as a whole, so that it does not mix with lines of other processes.
    private func write(_ line: [UInt8]) {
        var rest = line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(self.descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Another process may have made the open file description non-blocking.
                var ready = pollfd(fd: self.descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            } else if errno != EINTR {
                // A closed or full standard error loses the line; the loss cannot be reported anywhere.
                return
            }
        }
    }
}

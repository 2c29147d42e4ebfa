import Dispatch
import Glibc
import NetworkReach
import Synchronization

/// Writes lines to a descriptor on a thread of its own, in the order in which they were appended.
///
/// `append` never waits, because the reader of a pipe or a terminal may have stopped. When the queue is full, lines are dropped; where they are missing, a line with their number
/// takes their place.
package final class LogWriter: Sendable {
    /// Most lines that wait.
    package static let maximumLines = 4096
    /// Most bytes of the lines that wait.
    package static let maximumBytes = 1 << 20

    private enum Entry {
        case line([UInt8])
        case dropped(Int)
    }

    private struct State {
        /// Appended and not yet with the thread.
        var entries: [Entry] = []
        /// Lines and bytes appended and not yet written.
        var lines = 0
        var bytes = 0
        var hasThread = false
        /// When the last line was written, or the first one after a pause was appended.
        var progressAt = ContinuousClock.now
        /// Signalled once nothing waits any more.
        var drained: DispatchSemaphore?
        var report: @Sendable (Int) -> [UInt8] = { Array("\($0) log lines dropped\n".utf8) }
    }

    private let descriptor: Int32
    private let state = Mutex(State())
    private let appended = DispatchSemaphore(value: 0)

    /// - Parameter descriptor: stays open as long as the process lives.
    package init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Takes a line with its line feed, on any thread.
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
        // Without a thread to give the system gets the next line to ask for one.
        if needsThread, !DetachedThread.start("log", { self.run() }) { self.state.withLock { $0.hasThread = false } }
    }

    /// Sets how the line looks that says how many lines were dropped.
    package func reportDropped(by report: @escaping @Sendable (Int) -> [UInt8]) { self.state.withLock { $0.report = report } }

    /// Waits until everything is written, and no longer than `limit` since the reader took the last line. For the end of the process.
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

    /// Writes a line with one `write` if the descriptor takes it whole, so that it does not mix with lines of other processes.
    private func write(_ line: [UInt8]) {
        var rest = line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(self.descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Another process may have made the open file non-blocking.
                var ready = pollfd(fd: self.descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            } else if errno != EINTR {
                // A closed or full standard error loses the line: there is nowhere left to say so.
                return
            }
        }
    }
}

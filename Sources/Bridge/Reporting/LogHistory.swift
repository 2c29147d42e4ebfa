import BridgeCore
import CastSender
import Synchronization

/// The last lines of the log, for readers beside MQTT. Any thread may use it; nothing in it logs.
package final class LogHistory: Sendable {
    /// Most lines that are kept.
    package static let maximumLines = 1_000
    /// Most bytes of the kept lines, roughly.
    package static let maximumBytes = 1 << 20

    private struct State {
        /// Oldest first.
        var entries: [LogEntry] = []
        var bytes = 0
        var listeners: [Int: @Sendable (LogEntry) -> Void] = [:]
        var nextListener = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Keeps a line and passes it to the listeners. A half of the lines goes when there is no more room.
    package func append(_ entry: LogEntry) {
        let listeners = self.state.withLock { state in
            state.entries.append(entry)
            state.bytes += Self.size(of: entry)
            while state.entries.count > Self.maximumLines || state.bytes > Self.maximumBytes, state.entries.count > 1 {
                let count = state.entries.count / 2
                for entry in state.entries[..<count] { state.bytes -= Self.size(of: entry) }
                state.entries.removeFirst(count)
            }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener(entry) }
    }

    /// Returns the lines that match, oldest first.
    func entries(from level: LogLevel, of component: GlobPattern?) -> [LogEntry] {
        self.state.withLock { $0.entries }.filter { $0.matches(from: level, of: component) }
    }

    /// Has `listener` called with each new line, on any thread.
    /// - Returns: the number to stop it by.
    func listen(_ listener: @escaping @Sendable (LogEntry) -> Void) -> Int {
        self.state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = listener
            return state.nextListener
        }
    }

    func stop(_ number: Int) { _ = self.state.withLock { $0.listeners.removeValue(forKey: number) } }

    private static func size(of entry: LogEntry) -> Int {
        64 + entry.line.message.utf8.count
            + entry.line.data.members.reduce(0) { $0 + 32 + $1.key.utf8.count + ($1.value.stringValue?.utf8.count ?? 8) }
    }
}

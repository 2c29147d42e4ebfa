import BridgeCore
import CastSender
import Synchronization

/// The last lines of the log, for readers beside MQTT. Any thread may use it; nothing in it logs.
package final class LogHistory: Sendable {
    package static let maximumLines = 1_000
    /// Most bytes of the kept lines, roughly.
    package static let maximumBytes = 1 << 20

    private struct State {
        /// Oldest first.
        var entries: [LogEntry] = []
        var bytes = 0
        var listeners: [Int: Listener] = [:]
        var nextListener = 0
    }

    private struct Listener {
        /// `nil`: no lines for now.
        var level: LogLevel?
        let receive: @Sendable (LogEntry) -> Void
    }

    private let state = Mutex(State())
    /// `listenedLevel` as its place among all levels, because every logger asks at each line; beyond the last: `nil`.
    private let listenedRank = Atomic(LogLevel.allCases.count)

    package init() {}

    /// The lowest level that a listener wants; `nil` while nothing listens. Loggers pass such lines on, whatever level they write.
    package var listenedLevel: LogLevel? {
        let rank = self.listenedRank.load(ordering: .relaxed)
        return rank < LogLevel.allCases.count ? LogLevel.allCases[rank] : nil
    }

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
            return state.listeners.values.filter { $0.level.map { entry.line.level >= $0 } ?? false }
        }
        for listener in listeners { listener.receive(entry) }
    }

    /// Returns the lines that match, oldest first.
    func entries(from level: LogLevel, of component: GlobPattern?) -> [LogEntry] {
        self.state.withLock { $0.entries }.filter { $0.matches(from: level, of: component) }
    }

    /// Has `receive` called with each new line from this level on, on any thread.
    /// - Returns: the number by which to change and to stop it.
    func listen(from level: LogLevel, _ receive: @escaping @Sendable (LogEntry) -> Void) -> Int {
        self.change { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = Listener(level: level, receive: receive)
            return state.nextListener
        }
    }

    /// - Parameter level: `nil`: no lines until the next change.
    func change(_ number: Int, to level: LogLevel?) { self.change { $0.listeners[number]?.level = level } }

    func stop(_ number: Int) { self.change { $0.listeners[number] = nil } }

    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        self.state.withLock { state in
            let result = body(&state)
            let lowest = state.listeners.values.compactMap(\.level).min()
            let rank = lowest.flatMap { LogLevel.allCases.firstIndex(of: $0) } ?? LogLevel.allCases.count
            self.listenedRank.store(rank, ordering: .relaxed)
            return result
        }
    }

    private static func size(of entry: LogEntry) -> Int {
        64 + entry.line.message.utf8.count
            + entry.line.data.members.reduce(0) { $0 + 32 + $1.key.utf8.count + ($1.value.stringValue?.utf8.count ?? 8) }
    }
}

import BridgeCore
import CastSender
import Synchronization

/// Passes changes from the bridge's event loop to one reader elsewhere. The loop never waits for the reader.
final class ChangeFeed: BridgeWatch {
    private struct State {
        var mailbox = ChangeMailbox()
        var hasEnded = false
        var logLevel: LogLevel?
        var logListener: Int?
    }

    private let state = Mutex(State())
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation
    private let history: LogHistory?
    private let redaction: SecretRedaction

    /// - Parameters:
    ///   - history: provides the lines of the log; `nil` provides none.
    ///   - onEnd: called once, on any thread, when the watch has ended.
    init(history: LogHistory?, redaction: SecretRedaction, onEnd: @escaping @Sendable () -> Void) {
        self.history = history
        self.redaction = redaction
        // One wake-up is enough for any number of changes.
        (self.wakes, self.wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.wake.onTermination = { _ in onEnd() }
    }

    // MARK: The bridge's side

    func put(_ changes: [DocumentChange], _ events: [DirectEvent] = []) {
        guard !changes.isEmpty || !events.isEmpty else { return }
        self.change { mailbox in
            mailbox.put(changes)
            for event in events { mailbox.put(event) }
        }
    }

    /// Notes that every document has been added once.
    func complete() { self.change { $0.complete() } }

    private func change(_ body: (inout ChangeMailbox) -> Void) {
        let isOverfull = self.state.withLock { state in
            guard !state.hasEnded else { return false }
            body(&state.mailbox)
            return state.mailbox.isOverfull
        }
        if isOverfull { self.end() } else { self.wake.yield() }
    }

    // MARK: The reader's side

    func next() async -> BridgeChanges? {
        var wakes = self.wakes.makeAsyncIterator()
        while true {
            if let changes = self.take() { return changes }
            // Ends with the stream, or when the task is cancelled.
            guard await wakes.next() != nil else {
                self.end()
                return nil
            }
        }
    }

    /// - Returns: the waiting changes; `nil` when there are none or the watch has ended.
    func take() -> BridgeChanges? { self.state.withLock { $0.mailbox.take() } }

    func watchLog(from level: LogLevel?) {
        guard let history = self.history else { return }
        let (listener, hasEnded) = self.state.withLock { state in
            state.logLevel = level
            return (state.logListener, state.hasEnded)
        }
        if let listener { return history.change(listener, to: level) }
        guard let level, !hasEnded else { return }
        let number = history.listen(from: level) { [weak self] in self?.put($0) }
        // Not needed by a watch that ended or began to listen in between.
        let isUnused = self.state.withLock { state in
            guard !state.hasEnded, state.logListener == nil else { return true }
            state.logListener = number
            return false
        }
        if isUnused { history.stop(number) }
    }

    private func put(_ entry: LogEntry) {
        guard let level = self.state.withLock({ $0.logLevel }), entry.line.level >= level else { return }
        let entry = entry.redacted(by: self.redaction)
        self.change { $0.put(entry) }
    }

    func end() {
        let listener = self.state.withLock { state -> Int? in
            defer { (state.mailbox, state.logListener) = (ChangeMailbox(), nil) }
            state.hasEnded = true
            return state.logListener
        }
        if let listener { self.history?.stop(listener) }
        self.wake.finish()
    }
}

extension LogEntry {
    func redacted(by redaction: SecretRedaction) -> LogEntry {
        var data = JSONObject()
        for member in self.line.data.members {
            data.append(member.key, member.value.stringValue.map { .string(redaction.redacted($0)) } ?? member.value)
        }
        let line = LogLine(
            level: self.line.level, source: self.line.source, message: redaction.redacted(self.line.message), data: data)
        return LogEntry(line: line, time: self.time)
    }
}

import CastModels

/// Remembers the ids of a device's commands, so that a command that is delivered twice is carried out once.
struct RepeatedCommands {
    /// How long an id is remembered, from its first arrival.
    static let window = Duration.seconds(60)
    /// The most ids remembered; the oldest answered one is forgotten first.
    static let maximumCount = 256
    /// The most repeats of one command that wait for its answer.
    static let maximumRepeats = 32

    enum Verdict: Equatable {
        case new
        /// The first one is still running; this one gets the same answer.
        case waiting
        /// The first one ended with this result.
        case answered(CommandResult)
    }

    private struct Entry {
        var arrival: MonotonicTime
        var result: CommandResult?
        var repeats: [CommandEnvelope] = []
    }

    private var entries: [CommandID: Entry] = [:]
    /// All ids by arrival, oldest first.
    private var order: [CommandID] = []

    var isEmpty: Bool { self.entries.isEmpty }

    /// Looks up a command that arrives, and stores its id when it is new.
    mutating func admit(_ envelope: CommandEnvelope, now: MonotonicTime) -> Verdict {
        guard let id = envelope.id else { return .new }
        self.forget(now: now)
        if var entry = self.entries[id] {
            if let result = entry.result { return .answered(result.repeated) }
            guard entry.repeats.count < Self.maximumRepeats else {
                return .answered(CommandResult(.rateLimited, message: "The id was repeated too often."))
            }
            entry.repeats.append(envelope)
            self.entries[id] = entry
            return .waiting
        }
        self.entries[id] = Entry(arrival: now)
        self.order.append(id)
        return .new
    }

    /// Stores the answer of a command and returns the repeats that waited for it. `accepted` is not final and changes nothing.
    mutating func answered(_ answer: CommandAnswer) -> [CommandEnvelope] {
        guard answer.result.code != .accepted, let id = answer.envelope.id, var entry = self.entries[id], entry.result == nil else {
            return []
        }
        entry.result = answer.result
        let repeats = entry.repeats
        entry.repeats = []
        self.entries[id] = entry
        return repeats
    }

    private mutating func forget(now: MonotonicTime) {
        self.order.removeAll { id in
            guard let entry = self.entries[id] else { return true }
            let isOver = entry.result != nil && (now - entry.arrival >= Self.window)
            if isOver { self.entries[id] = nil }
            return isOver
        }
        while self.order.count >= Self.maximumCount, let index = self.order.firstIndex(where: { self.entries[$0]?.result != nil }) {
            self.entries[self.order.remove(at: index)] = nil
        }
    }
}

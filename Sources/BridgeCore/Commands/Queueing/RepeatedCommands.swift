import CastModels

/// Remembers the commands of a device that have an id, so that a command that is delivered twice is carried out once.
///
/// A repeat has the same id, the same caller and the same content; anything else is a command of its own, because callers choose their ids
/// without knowing of each other.
struct RepeatedCommands {
    /// How long a command is remembered, from its first arrival.
    static let window = Duration.seconds(60)
    /// The most commands remembered; the oldest answered one is forgotten first.
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

    struct Key: Sendable, Hashable {
        let id: CommandID
        let caller: CommandEnvelope.Caller?
        /// The hash of the command with its values. The command itself may have 256 kB, and 256 are remembered. Swift seeds its hashes anew
        /// in each run, so nobody can choose two commands with the same one.
        let content: Int
    }

    private struct Entry {
        var arrival: MonotonicTime
        var result: CommandResult?
        var repeats: [CommandEnvelope] = []
    }

    private var entries: [Key: Entry] = [:]
    /// All of them by arrival, oldest first.
    private var order: [Key] = []

    var isEmpty: Bool { self.entries.isEmpty }

    /// Looks up a command that arrives, and stores it when it is new. The envelope then leads from its answer to its repeats.
    mutating func admit(_ envelope: inout CommandEnvelope, _ command: DeviceCommand, now: MonotonicTime) -> Verdict {
        guard let id = envelope.id else { return .new }
        let content = [(envelope.content.given ?? command).hashValue, envelope.content.customData.hashValue].hashValue
        let key = Key(id: id, caller: envelope.caller, content: content)
        self.forget(now: now)
        if var entry = self.entries[key] {
            if let result = entry.result { return .answered(result.repeated) }
            guard entry.repeats.count < Self.maximumRepeats else {
                return .answered(CommandResult(.rateLimited, message: "The id was repeated too often."))
            }
            entry.repeats.append(envelope)
            self.entries[key] = entry
            return .waiting
        }
        envelope.repeatKey = key
        self.entries[key] = Entry(arrival: now)
        self.order.append(key)
        return .new
    }

    /// Stores the answer of a command and returns the repeats that waited for it. `accepted` is not final and changes nothing.
    mutating func answered(_ answer: CommandAnswer) -> [CommandEnvelope] {
        guard answer.result.code != .accepted, let key = answer.envelope.repeatKey, var entry = self.entries[key], entry.result == nil
        else { return [] }
        entry.result = answer.result
        let repeats = entry.repeats
        entry.repeats = []
        self.entries[key] = entry
        return repeats
    }

    private mutating func forget(now: MonotonicTime) {
        self.order.removeAll { key in
            guard let entry = self.entries[key] else { return true }
            let isOver = entry.result != nil && (now - entry.arrival >= Self.window)
            if isOver { self.entries[key] = nil }
            return isOver
        }
        while self.order.count >= Self.maximumCount, let index = self.order.firstIndex(where: { self.entries[$0]?.result != nil }) {
            self.entries[self.order.remove(at: index)] = nil
        }
    }
}

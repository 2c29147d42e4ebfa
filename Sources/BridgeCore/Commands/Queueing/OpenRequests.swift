import CastModels

/// Requests to the bridge that are answered later, each exactly once: when the topics of their device are where they should be, or when
/// whatever they began has ended.
package struct OpenRequests: Sendable {
    /// Most requests at a time.
    package static let limit = 64

    /// What a request waits for.
    package enum Subject: Sendable, Hashable {
        case rename(Device.ID)
        case removal(Device.ID)
        case probe(DeviceEndpoint)
        case cleaning
        case search
    }

    private struct Entry {
        var envelope: CommandEnvelope
        /// What is known already, and goes before what the end tells.
        var data: JSONObject
    }

    private var entries: [Subject: [Entry]] = [:]

    package init() {}

    package var isFull: Bool { self.entries.values.reduce(0) { $0 + $1.count } >= Self.limit }

    /// Whether a request of this kind is under way.
    package func contains(_ subject: Subject) -> Bool { self.entries[subject] != nil }

    package mutating func append(_ envelope: CommandEnvelope, about subject: Subject, data: JSONObject = [:]) {
        self.entries[subject, default: []].append(Entry(envelope: envelope, data: data))
    }

    /// The answers of all that waited for this.
    package mutating func finish(_ subject: Subject, _ result: CommandResult, now: MonotonicTime) -> [CommandAnswer] {
        (self.entries.removeValue(forKey: subject) ?? []).map { entry in
            var result = result
            result.data = JSONObject(members: entry.data.members + result.data.members)
            return CommandAnswer(to: entry.envelope, result, now: now)
        }
    }

    /// The answers of all that wait: nobody will know better.
    package mutating func close(now: MonotonicTime) -> [CommandAnswer] {
        self.entries.keys.flatMap { subject in
            let result: CommandResult =
                switch subject {
                // The record says what is to be done; the next start goes on.
                case .rename, .removal: .done(["finished": .bool(false)])
                case .probe, .cleaning, .search: CommandResult(.timeout, message: "The bridge ends before the request does.")
                }
            return self.finish(subject, result, now: now)
        }
    }
}

import CastModels

/// Requests to the bridge that are answered later, each exactly once: when the topics of their device have moved, or when
/// the operation that they started has ended.
public struct OpenRequests: Sendable {
    public static let limit = 64

    public enum Subject: Sendable, Hashable {
        case rename(Device.ID)
        case removal(Device.ID)
        case probe(DeviceEndpoint)
        case cleaning
        case search
    }

    private struct Entry {
        var envelope: CommandEnvelope
        /// Facts that are already known; they precede those of the end.
        var data: JSONObject
    }

    private var entries: [Subject: [Entry]] = [:]

    public init() {}

    public var isFull: Bool { self.entries.values.reduce(0) { $0 + $1.count } >= Self.limit }

    public func contains(_ subject: Subject) -> Bool { self.entries[subject] != nil }

    public mutating func append(_ envelope: CommandEnvelope, about subject: Subject, data: JSONObject = [:]) {
        self.entries[subject, default: []].append(Entry(envelope: envelope, data: data))
    }

    /// Returns the answers of all requests that waited for this.
    public mutating func finish(_ subject: Subject, _ result: CommandResult, now: MonotonicTime) -> [CommandAnswer] {
        (self.entries.removeValue(forKey: subject) ?? []).map { entry in
            var result = result
            result.data = JSONObject(members: entry.data.members + result.data.members)
            return CommandAnswer(to: entry.envelope, result, now: now)
        }
    }

    /// Returns the answers of all waiting requests, because the bridge stops.
    public mutating func close(now: MonotonicTime) -> [CommandAnswer] {
        self.entries.keys.flatMap { subject in
            let result: CommandResult =
                switch subject {
                // The record contains what is to be done; the next run continues it.
                case .rename, .removal: .done(["finished": .bool(false)])
                case .probe, .cleaning, .search: CommandResult(.timeout, message: "The bridge ends before the request does.")
                }
            return self.finish(subject, result, now: now)
        }
    }
}

import CastModels

/// What happened to a device's link in this run of the bridge: the newest `maximumCount` entries, oldest first.
public struct LinkHistory: Sendable, Hashable {
    public static let maximumCount = 32

    /// The kind of an entry; the raw values are the words of the API.
    public enum Event: String, Sendable, Hashable, CaseIterable {
        /// The device accepts commands.
        case connected
        /// A ready link ended; the code is that of the error.
        case lost
        /// A connection attempt failed; the code is that of the error.
        case attemptFailed = "attempt_failed"
        /// Another device answered at the address of this one.
        case otherDevice = "other_device"
        /// The result of device authentication changed; the code is the word of the `info` document.
        case authenticated
    }

    public struct Entry: Sendable, Hashable {
        public let event: Event
        public let code: String?
        public fileprivate(set) var at: Timestamp
        /// When it happened last; equal to `at` for what happened once.
        public fileprivate(set) var until: Timestamp
        public fileprivate(set) var count = 1

        fileprivate init(_ event: Event, code: String?, at time: Timestamp) {
            (self.event, self.code, self.at, self.until) = (event, code, time, time)
        }
    }

    public private(set) var entries: [Entry] = []

    public init() {}

    /// Adds an entry. Equal failures of one outage become one entry, so that a device that is off for days keeps its earlier history.
    public mutating func note(_ event: Event, code: String? = nil, at time: Timestamp) {
        if event == .attemptFailed || event == .otherDevice, let index = self.repeated(event, code) {
            self.entries[index].until = time
            self.entries[index].count += 1
            return
        }
        if self.entries.count == Self.maximumCount { self.entries.removeFirst() }
        self.entries.append(Entry(event, code: code, at: time))
    }

    /// The wall clock was set: the entries are of this run, by a clock that was wrong.
    public mutating func clockStepped(by seconds: Double) {
        for index in self.entries.indices {
            self.entries[index].at.add(seconds: seconds)
            self.entries[index].until.add(seconds: seconds)
        }
    }

    /// Returns the index of an equal failure since the link was last connected or lost.
    private func repeated(_ event: Event, _ code: String?) -> Int? {
        for index in self.entries.indices.reversed() {
            let entry = self.entries[index]
            if entry.event == event, entry.code == code { return index }
            if entry.event == .connected || entry.event == .lost { return nil }
        }
        return nil
    }

    /// The entries as the API has them.
    public var json: JSONValue {
        .array(
            self.entries.map { entry in
                [
                    "event": .string(entry.event.rawValue), "code": entry.code.map { .string($0) } ?? .null,
                    "at": .string(entry.at.text), "until": .string(entry.until.text), "count": .integer(Int64(entry.count)),
                ]
            })
    }
}

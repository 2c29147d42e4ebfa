import CastModels

/// What commands loaded, the last first; each once.
public struct Recents: Sendable, Hashable {
    public static let maximumCount = 50

    public struct Entry: Sendable, Hashable {
        public var playable: Playable
        public var title: String
        /// The device that played it last, and when it was loaded there.
        public var device: Device.ID
        public var at: Timestamp
    }

    public private(set) var entries: [Entry] = []

    public init() {}

    public mutating func add(_ playable: Playable, title: String?, on device: Device.ID, at time: Timestamp) {
        self.entries.removeAll { $0.playable == playable }
        self.entries.insert(Entry(playable: playable, title: title ?? playable.title ?? "", device: device, at: time), at: 0)
        if self.entries.count > Self.maximumCount { self.entries.removeLast() }
    }

    /// - Parameter number: 1 for the last.
    public func entry(_ number: Int) throws(CommandRejection) -> Entry {
        guard self.entries.indices.contains(number - 1) else {
            throw CommandRejection(.badPayload, "recent: only \(self.entries.count) loads are remembered.")
        }
        return self.entries[number - 1]
    }

    /// For a file: it contains addresses, which may be secrets.
    public var json: JSONValue {
        .array(
            self.entries.map {
                [
                    "play": $0.playable.json, "title": .string($0.title), "device": .string($0.device), "at": .integer($0.at.milliseconds),
                ]
            })
    }

    public init(json: JSONValue?) {
        for value in (json?.arrayValue ?? []).prefix(Self.maximumCount) {
            guard let playable = Playable(json: value["play"]), let device = value["device"]?.stringValue,
                let at = Timestamp(json: value["at"])
            else { continue }
            self.entries.append(Entry(playable: playable, title: value["title"]?.stringValue ?? "", device: device, at: at))
        }
    }
}

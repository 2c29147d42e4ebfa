import CastModels

/// An event of a device, for `<dev>/event`. Never retained.
///
/// A class, because it passes through several layers, each of which would copy its texts.
public final class PublishedEvent: Sendable, Equatable {
    public let kind: Kind
    public let title: String?
    public let contentID: String?
    /// The application's name, or its id if it has no name.
    public let app: String?
    /// The played item, for events that begin or end one.
    public let item: Item?
    /// The additional data of this kind of event.
    public let facts: EventFacts
    /// When it happened, if that was earlier than its report.
    public let time: Timestamp?

    public init(
        _ kind: Kind, title: String? = nil, contentID: String? = nil, app: String? = nil, item: Item? = nil, facts: EventFacts = [:],
        time: Timestamp? = nil
    ) {
        self.kind = kind
        self.title = title
        self.contentID = contentID
        self.app = app
        self.item = item
        self.facts = facts
        self.time = time
    }

    public static func == (left: PublishedEvent, right: PublishedEvent) -> Bool {
        left.kind == right.kind && left.title == right.title && left.contentID == right.contentID && left.app == right.app
            && left.item == right.item && left.facts == right.facts && left.time == right.time
    }

    /// The data of an item for a play history, apart from its title.
    public struct Item: Sendable, Hashable {
        /// The value of `media.kind`.
        public var kind: String
        public var artist: String?
        public var album: String?
        public var series: String?
        /// The duration in seconds.
        public var duration: Double?

        public init(kind: String, artist: String? = nil, album: String? = nil, series: String? = nil, duration: Double? = nil) {
            (self.kind, self.artist, self.album, self.series, self.duration) = (kind, artist, album, series, duration)
        }

        init(_ status: MediaStatus) {
            let metadata = status.shownMedia?.metadata
            self.init(
                kind: metadata?.type?.word ?? "unknown", artist: metadata?.artist, album: metadata?.albumName,
                series: metadata?.seriesTitle,
                duration: status.endingDuration)
        }
    }

    /// The closed list of `event_type` values.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case mediaStarted = "media_started"
        case mediaChanged = "media_changed"
        case mediaEnded = "media_ended"
        case paused, resumed, stopped, seeked
        case appChanged = "app_changed"
        case adStarted = "ad_started"
        case adEnded = "ad_ended"
        case loadFailed = "load_failed"
        case commandFailed = "command_failed"
        case queueChanged = "queue_changed"
        case sessionStarted = "session_started"
        case sessionResumed = "session_resumed"
        case sessionSuspended = "session_suspended"
        case sessionEnded = "session_ended"
    }
}

/// The data of one kind of event, in the order of the document. Its keys are literals, which are written without a look at their characters.
public struct EventFacts: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// Without labels, because an array of labelled pairs would be made by a conversion of each.
    private(set) var members: [(StaticString, JSONValue)]

    public init(dictionaryLiteral members: (StaticString, JSONValue)...) { self.members = members }

    public subscript(key: String) -> JSONValue? { self.members.first { $0.0.description == key }?.1 }

    mutating func append(_ key: StaticString, _ value: JSONValue) { self.members.append((key, value)) }

    static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.members += right.members
        return sum
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.members.elementsEqual(right.members) { $0.0.description == $1.0.description && $0.1 == $1.1 }
    }
}

/// An event of the bridge or its devices, for `bridge/event`. Never retained.
public struct BridgeEvent: Sendable, Hashable {
    public var kind: Kind
    public var data: JSONObject

    public init(_ kind: Kind, data: JSONObject = [:]) { (self.kind, self.data) = (kind, data) }

    /// The closed list of `type` values.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case deviceAdded = "device_added"
        case deviceOnline = "device_online"
        case deviceOffline = "device_offline"
        case deviceRenamed = "device_renamed"
        case deviceAddressChanged = "device_address_changed"
        case deviceRemoved = "device_removed"
        case groupChanged = "group_changed"
        case streamMoved = "stream_moved"
        case mqttReconnected = "mqtt_reconnected"
        case configChanged = "config_changed"
        case leaderChanged = "leader_changed"
        case nothingFound = "nothing_found"
    }

    /// Returns an event about one device: `data` begins with its id, slug and name.
    public static func device(_ kind: Kind, _ device: Device, slug: String, facts: JSONObject = [:]) -> Self {
        var data: JSONObject = ["id": .string(device.id), "slug": .string(slug), "name": .string(device.friendlyName)]
        for member in facts.members { data.append(member.key, member.value) }
        return Self(kind, data: data)
    }
}

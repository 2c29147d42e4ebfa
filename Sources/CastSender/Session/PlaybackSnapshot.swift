@_spi(JSON) import CastModels
import CastProtocol

/// What a device plays, and all that it takes to play it again there after something else was played.
public struct PlaybackSnapshot: Sendable, Hashable {
    /// The media, as far as a sender can load it again.
    public enum Content: Sendable, Hashable {
        /// Nothing is loaded: the device is idle, or its application has no media.
        case nothing
        case load(MediaLoadRequest)
        /// The session as the receiver stored it; opaque.
        case stored(JSONValue)
        /// No sender can load it again.
        case lost(Loss)
    }

    /// The reason why something can't be given back.
    public enum Loss: String, Sendable, Hashable, CaseIterable {
        /// The application has no player that others may use.
        case noPlayer = "no_player"
        /// What plays has no address, no entity and no queue.
        case noContentID = "no_content_id"
    }

    /// The running application; `nil` when the device is idle, or only shows that its group plays.
    public var applicationID: String?
    /// The running session of that application.
    public var sessionID: String?
    public var mediaSessionID: Int?
    public var content = Content.nothing
    public var isShuffled = false
    /// The volume of the stream; `nil` when it is not reported.
    public var streamVolume: DeviceVolume?
    /// The volume of the device; `restore` leaves it alone, because a person may have changed it meanwhile.
    public var volume: DeviceVolume?

    public init() {}

    /// Why it can't be given back; `nil` when it can.
    public var loss: Loss? { if case .lost(let loss) = self.content { loss } else { nil } }
}

extension PlaybackSnapshot {
    /// The snapshot for a file. It contains addresses of media, which may be secrets.
    package var json: JSONValue {
        var object: JSONObject = [
            "application": self.applicationID.map { .string($0) } ?? .null, "session": self.sessionID.map { .string($0) } ?? .null,
            "media_session": self.mediaSessionID.map { .integer(Int64($0)) } ?? .null, "shuffled": .bool(self.isShuffled),
            "stream_volume": Self.json(self.streamVolume), "volume": Self.json(self.volume),
        ]
        switch self.content {
        case .nothing: break
        case .load(let request):
            let text = (try? MediaRequest(.load(request, sessionID: nil)).text(requestID: 0)) ?? ""
            object["load"] = (try? JSONParser.parse(Array(text.utf8))) ?? .null
        case .stored(let state): object["stored"] = state
        case .lost(let loss): object["lost"] = .string(loss.rawValue)
        }
        return .object(object)
    }

    package init(json: JSONValue) {
        self.applicationID = json["application"]?.stringValue
        self.sessionID = json["session"]?.stringValue
        self.mediaSessionID = json["media_session"]?.intValue
        self.isShuffled = json["shuffled"]?.boolValue ?? false
        self.streamVolume = Self.volume(json["stream_volume"])
        self.volume = Self.volume(json["volume"])
        if let load = json["load"] {
            let request = JSONWriter.bytes(of: load).withUnsafeBytes { bytes in
                try? JSONReader.read(bytes) { $0.objectView.flatMap { MediaLoadRequest(wire: $0) } }
            }
            self.content = (request ?? nil).map { .load($0) } ?? .lost(.noContentID)
        } else if let stored = json["stored"] {
            self.content = .stored(stored)
        } else if let lost = json["lost"]?.stringValue {
            self.content = .lost(Loss(rawValue: lost) ?? .noPlayer)
        }
    }

    private static func json(_ volume: DeviceVolume?) -> JSONValue {
        volume.map { ["level": $0.level.map { .number($0) } ?? .null, "muted": $0.isMuted.map { .bool($0) } ?? .null] } ?? .null
    }

    private static func volume(_ json: JSONValue?) -> DeviceVolume? {
        json?.objectValue.map { DeviceVolume(level: $0["level"]?.doubleValue, isMuted: $0["muted"]?.boolValue) }
    }
}

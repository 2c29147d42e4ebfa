import BridgeCore
import CastSender

/// What a device did before something was played on it, until that is given back.
struct HeldPlayback: Sendable {
    /// For how long after the beginning it may be given back by a bridge that was killed meanwhile, in seconds.
    private static let lifetime = 300.0

    let device: Device.ID
    var snapshot: PlaybackSnapshot
    /// When something began to play in between.
    let since: Timestamp
    /// The level that was set for it, 0 to 1; `nil` when the volume was left alone.
    var level: Double?
    /// Whether the device was muted, and is not for the time being.
    var isUnmuted = false
    /// The addresses of what plays in between; empty for a member whose group plays it.
    var addresses: Set<String> = []
    /// Whether an earlier run interrupted it, and nothing has been played there since.
    var isLeftOver = false

    init(_ device: Device.ID, _ snapshot: PlaybackSnapshot, since: Timestamp) {
        (self.device, self.snapshot, self.since) = (device, snapshot, since)
    }

    func isFresh(at now: Timestamp) -> Bool { self.since.adding(seconds: Self.lifetime).milliseconds >= now.milliseconds }

    /// The volume to set; `nil` when it was left alone, or a person has changed it since.
    func formerVolume(_ present: DeviceVolume?) -> DeviceVolume? {
        guard let former = self.snapshot.volume, let level = self.level, let present, present.level != nil else { return nil }
        return present.isWithin(level...level) || former.level.map { present.isWithin($0...$0) } == true ? former : nil
    }

    /// Whether a volume is what it was.
    func isFormer(_ present: DeviceVolume?) -> Bool {
        guard let former = self.snapshot.volume, let level = former.level, let present, present.level != nil else { return false }
        return present.isWithin(level...level) && present.isMuted == former.isMuted
    }

    /// Whether a device is idle, or only shows that its group plays.
    static func isSilent(_ receiver: ReceiverStatus?) -> Bool {
        receiver?.application.map { $0.isIdleScreen || $0.isGroupPlaceholder } ?? true
    }

    /// Whether the device shows what was played in between, or the silence after it.
    func isShown(by receiver: ReceiverStatus?, _ media: MediaStatus?) -> Bool {
        guard receiver?.application?.applicationID == ReceiverApplication.defaultMediaReceiver else { return false }
        guard let media, let address = media.media?.contentID else { return media?.isEnded ?? true }
        return self.addresses.contains(address)
    }

    /// Whether the device still does what it did, as a member does whose group left it alone.
    func isUntouched(by receiver: ReceiverStatus?) -> Bool {
        (Self.isSilent(receiver) ? nil : receiver?.application?.sessionID) == self.snapshot.sessionID
    }
}

extension HeldPlayback {
    var json: JSONValue {
        [
            "device": .string(self.device), "since": .integer(self.since.milliseconds), "level": self.level.map { .number($0) } ?? .null,
            "unmuted": .bool(self.isUnmuted), "addresses": .array(self.addresses.sorted().map { .string($0) }),
            "snapshot": self.snapshot.json,
        ]
    }

    /// Reads what `json` returned in an earlier run.
    init?(json: JSONValue) {
        guard let device = json["device"]?.stringValue, let since = json["since"]?.intValue, let snapshot = json["snapshot"] else {
            return nil
        }
        self.init(device, PlaybackSnapshot(json: snapshot), since: Timestamp(milliseconds: Int64(since)))
        self.level = json["level"]?.doubleValue
        self.isUnmuted = json["unmuted"]?.boolValue ?? false
        self.addresses = Set((json["addresses"]?.arrayValue ?? []).compactMap(\.stringValue))
        self.isLeftOver = true
    }
}

import BridgeCore
import CastSender

/// What a device did before something was played on it, until that is given back.
struct HeldPlayback: Sendable, Hashable {
    /// For how long after the beginning it may be given back by a bridge that was killed meanwhile, in seconds.
    static let lifetime = 300.0

    var device: Device.ID
    var snapshot: PlaybackSnapshot
    /// When something began to play in between.
    var since: Timestamp
    /// The level that was set for it, 0 to 1; `nil` when the volume was left alone.
    var level: Double?
    /// Whether the device was muted, and is not for the time being.
    var isUnmuted = false
    /// The addresses of what plays in between; empty for a member whose group plays it.
    var addresses: Set<String> = []
    /// Whether an earlier run interrupted it, and nothing has been played there since.
    var isLeftOver = false

    func isFresh(at now: Timestamp) -> Bool { self.since.milliseconds + Int64(Self.lifetime * 1000) >= now.milliseconds }

    /// The volume to set; `nil` when it was left alone, or a person has changed it since. A device rounds to its steps.
    func formerVolume(_ present: DeviceVolume?) -> DeviceVolume? {
        guard let former = self.snapshot.volume, let level = self.level, let now = present?.level else { return nil }
        let tolerance = max(0.011, (present?.stepInterval ?? 0) * 0.75)
        return abs(now - level) < tolerance || former.level.map { abs(now - $0) < 0.011 } == true ? former : nil
    }

    /// Whether a volume is what it was.
    func isFormer(_ present: DeviceVolume?) -> Bool {
        guard let former = self.snapshot.volume, let level = former.level, let now = present?.level else { return false }
        return abs(now - level) < 0.011 && present?.isMuted == former.isMuted
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
        let application = receiver?.application.flatMap { $0.isIdleScreen || $0.isGroupPlaceholder ? nil : $0 }
        return application?.sessionID == self.snapshot.sessionID
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

    init?(json: JSONValue) {
        guard let device = json["device"]?.stringValue, let since = json["since"]?.intValue, let snapshot = json["snapshot"] else {
            return nil
        }
        self.device = device
        self.snapshot = PlaybackSnapshot(json: snapshot)
        self.since = Timestamp(milliseconds: Int64(since))
        self.level = json["level"]?.doubleValue
        self.isUnmuted = json["unmuted"]?.boolValue ?? false
        self.addresses = Set((json["addresses"]?.arrayValue ?? []).compactMap(\.stringValue))
        self.isLeftOver = true
    }
}

/// The state of the receiver platform: RECEIVER_STATUS of the receiver namespace. Each status is complete.
public struct ReceiverStatus: Sendable, Hashable {
    /// The running application; `nil` when none is running.
    public var application: ReceiverApplication?
    /// The volume of the device; `nil` when this status carries none. The last known volume then still applies.
    public var volume: DeviceVolume?
    /// Whether the HDMI input of this device is selected; `nil` where the device cannot detect it.
    public var isActiveInput: Bool?
    /// Whether the screen is in standby; `nil` where the device cannot detect it.
    public var isStandBy: Bool?

    public init(application: ReceiverApplication? = nil, volume: DeviceVolume? = nil, isActiveInput: Bool? = nil, isStandBy: Bool? = nil) {
        self.application = application
        self.volume = volume
        self.isActiveInput = isActiveInput
        self.isStandBy = isStandBy
    }
}

/// One running receiver application (SDK: `GCKApplicationMetadata` with its session).
public struct ReceiverApplication: Sendable, Hashable {
    /// The application id of Google's Default Media Receiver.
    public static let defaultMediaReceiver = "CC1AD845"

    public var applicationID: String
    public var universalApplicationID: String?
    public var name: String?
    public var statusText: String?
    public var iconURL: String?
    /// The platform of the application: `WEB`, `ANDROID_TV`, or another word.
    public var type: String?
    /// Whether this is the idle screen of the device: it is reported as such, or has the id of the Backdrop.
    public var isIdleScreen: Bool
    public var launchedFromCloud: Bool
    public var sessionID: String?
    public var transportID: String?
    public var namespaces: [String]

    public init(
        applicationID: String, universalApplicationID: String? = nil, name: String? = nil, statusText: String? = nil,
        iconURL: String? = nil,
        type: String? = nil, isIdleScreen: Bool = false, launchedFromCloud: Bool = false, sessionID: String? = nil,
        transportID: String? = nil,
        namespaces: [String] = []
    ) {
        self.applicationID = applicationID
        self.universalApplicationID = universalApplicationID
        self.name = name
        self.statusText = statusText
        self.iconURL = iconURL
        self.type = type
        self.isIdleScreen = isIdleScreen
        self.launchedFromCloud = launchedFromCloud
        self.sessionID = sessionID
        self.transportID = transportID
        self.namespaces = namespaces
    }
}

extension ReceiverApplication {
    /// The application that the leader of a playing group reports (chromium `cast_media_source.h`).
    package static let groupLeader = "531A4F84"
    /// The application that the other members report.
    package static let groupFollower = "705D30C6"

    /// Whether the receiver shows this application only because a group plays on it.
    package var isGroupPlaceholder: Bool {
        switch self.applicationID {
        case Self.groupLeader, Self.groupFollower, "MultizoneLeader", "MultizoneFollower": true
        default: false
        }
    }
}

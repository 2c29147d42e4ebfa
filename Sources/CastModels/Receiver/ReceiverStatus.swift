/// What the receiver platform says of itself: RECEIVER_STATUS of the receiver namespace. Each status is complete.
public struct ReceiverStatus: Sendable, Hashable {
    /// The running application; `nil` when nothing runs.
    public var application: ReceiverApplication?
    /// `nil` when this status carried none: then the former one holds.
    public var volume: DeviceVolume?
    /// Whether the HDMI input of this device is selected; `nil` where the device can't tell.
    public var isActiveInput: Bool?
    /// Whether the screen is in standby; `nil` where the device can't tell.
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
    /// `WEB`, `ANDROID_TV`, or another word.
    public var type: String?
    /// Whether this is the screen a device shows when it does nothing: told so, or the Backdrop's id.
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

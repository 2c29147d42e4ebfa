/// The options of a launch (SDK: `GCKLaunchOptions`; wire: LAUNCH of the receiver namespace).
public struct LaunchOptions: Sendable, Hashable {
    /// The language of the application (BCP 47); `nil` leaves it to the device.
    public var languageCode: String?
    /// Whether an Android TV application may handle the id.
    public var androidReceiverCompatible: Bool
    /// Whether an application that is already running is stopped and launched again; otherwise it is joined.
    public var relaunchIfRunning: Bool
    /// The user's credentials for the application; sent as launch parameters.
    public var credentials: String?
    /// The kind of credentials: `android`, `ios`, `web`, or a word of the application's own.
    public var credentialsType: String?
    /// Parameters that only the application interprets.
    public var appParams: JSONObject?

    public init(
        languageCode: String? = "en-US", androidReceiverCompatible: Bool = true, relaunchIfRunning: Bool = false,
        credentials: String? = nil,
        credentialsType: String? = nil, appParams: JSONObject? = nil
    ) {
        self.languageCode = languageCode
        self.androidReceiverCompatible = androidReceiverCompatible
        self.relaunchIfRunning = relaunchIfRunning
        self.credentials = credentials
        self.credentialsType = credentialsType
        self.appParams = appParams
    }
}

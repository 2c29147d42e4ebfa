/// How an application is to be launched (SDK: `GCKLaunchOptions`; wire: LAUNCH of the receiver namespace).
public struct LaunchOptions: Sendable, Hashable {
    /// The language the application should speak, BCP 47; `nil` leaves it to the device.
    public var languageCode: String?
    /// Whether an Android TV application may serve the id.
    public var androidReceiverCompatible: Bool
    /// Whether an application that runs already is ended and launched anew; otherwise it is joined.
    public var relaunchIfRunning: Bool
    /// Who the user is, for the application; sent as launch parameters.
    public var credentials: String?
    /// What kind of credentials: `android`, `ios`, `web`, or a word of the application's own.
    public var credentialsType: String?
    /// For the application alone.
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

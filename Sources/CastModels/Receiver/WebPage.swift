/// A web page to show on a screen, by the public receiver application DashCast.
public struct WebPage: Sendable, Hashable {
    /// The id of DashCast.
    public static let applicationID = "84912283"
    /// The namespace of its messages.
    public static let namespace = "urn:x-cast:com.madmod.dashcast"
    /// Seconds between two reloads.
    public static let reloadRange = 1.0...86_400

    /// An `http` or `https` URL that the device can reach.
    public var url: String
    /// Whether the page takes the application's own place, for pages that must not be shown within another one. The application then obeys no
    /// further message until it is launched again.
    public var isForced: Bool
    /// Seconds after which the page is loaded again and again, in `reloadRange`; `nil` loads it once. A forced page is never loaded again.
    public var reloadInterval: Double?

    public init(url: String, isForced: Bool = false, reloadInterval: Double? = nil) {
        self.url = url
        self.isForced = isForced
        self.reloadInterval = reloadInterval
    }

    /// The message to the application.
    package var message: JSONObject {
        let interval = self.isForced ? nil : self.reloadInterval
        return [
            "url": .string(self.url), "force": .bool(self.isForced), "reload": .bool(interval != nil),
            "reload_time": .integer(Int64(((interval ?? 0) * 1000).rounded())),
        ]
    }
}

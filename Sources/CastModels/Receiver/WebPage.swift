/// A web page to show on a screen with the public receiver application DashCast.
public struct WebPage: Sendable, Hashable {
    /// The application id of DashCast.
    public static let applicationID = "84912283"
    /// The namespace of its messages.
    public static let namespace = "urn:x-cast:com.madmod.dashcast"
    /// The allowed seconds between two reloads.
    public static let reloadRange = 1.0...86_400

    /// An `http` or `https` URL that the device can reach.
    public var url: String
    /// Whether the page replaces DashCast itself, for pages that refuse to be embedded. The application then ignores further messages until
    /// it is launched again.
    public var isForced: Bool
    /// The seconds between two reloads of the page, within `reloadRange`; `nil` loads it once. A forced page is never reloaded.
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

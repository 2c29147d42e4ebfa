/// Builds every topic string below the base; the only place that knows the layout.
public struct TopicTree: Sendable, Hashable {
    /// The first levels of every topic; may hold `/`, never `+`, `#` or NUL.
    public let base: String

    /// - Parameter base: the configured `mqtt.base`, already checked.
    public init(base: String) { self.base = base }

    /// `<base>/bridge/<name>`, for example `state`, `info`, `devices`, `health`, `event`, `log`.
    public func bridge(_ name: String) -> String { "\(self.base)/bridge/\(name)" }

    /// `<base>/bridge/response/<verb>`.
    public func bridgeResponse(_ verb: String) -> String { "\(self.base)/bridge/response/\(verb)" }

    /// `<base>/<slug>/<name>`, for example `availability`, `state`, `response`.
    public func device(_ slug: String, _ name: String) -> String { self.topic(slug, "/", name) }

    /// `<base>/<slug>/status/<name>`: the plain mirror.
    public func status(_ slug: String, _ name: String) -> String { self.topic(slug, "/status/", name) }

    /// Every status forms some of them; interpolation would take several times as long.
    private func topic(_ slug: String, _ folder: String, _ name: String) -> String {
        var topic = ""
        topic.reserveCapacity(self.base.utf8.count + 1 + slug.utf8.count + folder.utf8.count + name.utf8.count)
        topic += self.base
        topic += "/"
        topic += slug
        topic += folder
        topic += name
        return topic
    }

    /// Below this prefix a client may ask for its answers.
    public var clientPrefix: String { "\(self.base)/client/" }
}

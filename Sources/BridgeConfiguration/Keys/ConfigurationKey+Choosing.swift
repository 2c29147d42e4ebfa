/// Where a value comes from, the strongest first.
package enum ConfigurationPlace: String, Sendable, Hashable {
    case environment, file, settings
}

extension ConfigurationKey {
    /// Keys that open something or lead to files: what runs, where programs listen, who is trusted, where secrets are. Only who may change
    /// the file or the environment of the service decides on them; and on `instance`, by which commands find the bridge.
    private static let fixed: Set<String> = [
        "instance", "standby", "mqtt.embedded_port", "web.listen", "web.trusted_proxies", "web.ingress_role", "web.frame_origins",
        "metrics.listen",
        "media.listen", "media.advertise", "speech.command",
    ]

    /// Whether a person may choose the value at run time: from the page, over the API, or with a restored backup.
    package var isChoosable: Bool { !self.type.contains("path") && !self.isPasswordFile && !Self.fixed.contains(self.path) }

    /// Sections that belong to a machine, or that guard something: who may write to the broker must not open it.
    private static let own = [
        "mqtt.", "web.", "metrics.", "authentication.", "secrets.", "log.", "artwork.", "speech.", "media.", "discovery.interfaces",
        "commands.allow_raw", "commands.custom_namespaces",
    ]

    /// Whether a chosen value also counts on the other member of a pair.
    package var isHandedOver: Bool {
        self.isChoosable && !self.isSecret && !Self.own.contains { self.path.hasPrefix($0) }
    }

    private static let live: Set<String> = [
        "devices", "discovery.include", "discovery.exclude", "discovery.capabilities", "log.level", "log.publish", "log.filters",
        "web.names", "web.tokens", "announcements.quiet_hours", "announcements.time_zone", "presets",
    ]

    /// Whether another value applies at once, with no link lost; otherwise it needs a restart.
    package var isLive: Bool { Self.live.contains(self.path) || self.path.hasPrefix("web.passwords.") }

    /// Whether what a place has is added to what weaker places have, member by member.
    package var isAdded: Bool { self.path == "presets" }

    /// The key with this path.
    package static func at(_ path: String) -> Self? { self.all.first { $0.path == path } }
}

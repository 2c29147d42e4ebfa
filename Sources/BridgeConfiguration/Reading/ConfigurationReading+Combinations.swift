import BridgeCore

extension ConfigurationReading {
    /// Finds keys that exclude each other, or that have no effect without another: no setting may be ignored silently.
    mutating func checkCombinations() {
        let mqtt = self.configuration.mqtt
        if mqtt.host == nil {
            // Only the bridge uses the private broker; credentials or TLS for it would be ignored silently.
            let unused = [
                ("mqtt.port", mqtt.port != nil), ("mqtt.username", mqtt.username != nil), ("mqtt.password", mqtt.password != nil),
                ("mqtt.tls.enabled", mqtt.tls.isEnabled),
            ]
            for (key, isSet) in unused where isSet { self.fail(.combination, key: key, message: "has no effect without mqtt.host") }
        }
        if mqtt.password != nil, mqtt.username == nil { self.fail(.combination, key: "mqtt.password", message: "needs mqtt.username") }
        let files = [
            ("mqtt.tls.ca_file", mqtt.tls.caFile), ("mqtt.tls.certificate_file", mqtt.tls.certificateFile),
            ("mqtt.tls.key_file", mqtt.tls.keyFile),
        ]
        for (key, file) in files where file != nil && !mqtt.tls.isEnabled {
            self.fail(.combination, key: key, message: "has no effect while mqtt.tls.enabled is false")
        }
        if (mqtt.tls.certificateFile == nil) != (mqtt.tls.keyFile == nil) {
            self.fail(.combination, key: "mqtt.tls.certificate_file", message: "and mqtt.tls.key_file must be set together")
        }
        if self.configuration.isStandby, mqtt.host == nil || mqtt.clientID == nil {
            self.fail(.combination, key: "standby", message: "needs mqtt.host and mqtt.client_id, the same on both bridges")
        }
        if mqtt.willDelaySeconds > 0, mqtt.protocolVersion == .v311 {
            self.fail(.combination, key: "mqtt.will_delay", message: "has no effect over MQTT 3.1.1")
        }
        if self.configuration.topics.rename == .follow, self.configuration.topics.identity == .id {
            self.fail(.combination, key: "topics.rename", message: "follow has no effect with topics.identity: id")
        }
        if self.configuration.authenticationRoots != nil, self.configuration.authentication == .off {
            self.fail(.combination, key: "authentication.roots_file", message: "has no effect while authentication.mode is off")
        }
        let interfaces = self.configuration.discovery.interfaces
        if interfaces.contains(where: { !$0.hasPrefix("!") }), let unused = interfaces.first(where: { $0.hasPrefix("!") }) {
            self.fail(.combination, key: "discovery.interfaces", message: "\(unused) has no effect beside an interface that is named")
        }
        for prefix in mqtt.responsePrefixes where prefix == mqtt.base || prefix.hasPrefix(mqtt.base + "/") {
            self.fail(.combination, key: "mqtt.response_prefixes", message: "can't open more of mqtt.base than its client branch")
            break
        }
        let (names, commands) = (self.configuration.discovery.applications, self.configuration.commands)
        if names.contains(where: { commands.ids(ofApplications: [$0]).isEmpty }) {
            self.fail(
                .combination, key: "discovery.applications",
                message: "takes application ids, well-known names and names of commands.applications")
        }
        if commands.ids(ofApplications: [commands.defaultApplication]).isEmpty {
            self.fail(
                .combination, key: "commands.default_application",
                message: "takes an application id, a well-known name or a name of commands.applications")
        }
        self.checkHomeAssistant()
        self.checkWeb()
    }

    private mutating func checkHomeAssistant() {
        let options = self.configuration.homeAssistant, base = self.configuration.mqtt.base
        let topics = [("home_assistant.prefix", options.prefix), ("home_assistant.status_topic", options.statusTopic ?? "")]
        for (key, topic) in topics where topic == base || topic.hasPrefix(base + "/") {
            self.fail(.combination, key: key, message: "can't be mqtt.base or below it")
        }
        if options.mediaPlayerCompatibility != .off {
            self.warn(
                .combination, key: "home_assistant.media_player_compat",
                message: "is deprecated and goes with the next major version: Home Assistant's own integration needs no such announcements")
        }
        if options.mediaPlayerCompatibility != .off, options.mode == .off || self.configuration.status.split == .none {
            self.fail(
                .combination, key: "home_assistant.media_player_compat",
                message: "has no effect while home_assistant.mode is off or status.split is none")
        }
    }

    private mutating func checkWeb() {
        let web = self.configuration.web
        if (web.certificateFile == nil) != (web.keyFile == nil) {
            self.fail(.combination, key: "web.tls.certificate_file", message: "and web.tls.key_file must be set together")
        }
        let isUsed = [
            ("web.names", !web.names.isEmpty && self.configuration.metrics.listen.isEmpty),
            ("web.trusted_proxies", !web.trustedProxies.isEmpty),
            ("web.frame_origins", !web.frameOrigins.isEmpty), ("web.passwords", !web.passwords.isEmpty),
            ("web.tokens", !web.tokens.isEmpty), ("web.tls.certificate_file", web.certificateFile != nil),
        ]
        for (key, isSet) in isUsed where isSet && web.listen.isEmpty {
            self.fail(.combination, key: key, message: "has no effect without web.listen")
        }
        let media = self.configuration.media
        let mediaKeys = [
            ("media.folders", !media.folders.isEmpty), ("media.advertise", media.advertise != nil),
            ("media.uploads.folder", media.uploads.folder != nil),
        ]
        for (key, isSet) in mediaKeys where isSet && media.listen.isEmpty {
            self.fail(.combination, key: key, message: "has no effect without media.listen")
        }
        if let folder = media.uploads.folder,
            !folder.hasPrefix("/")
                || media.folders.contains(where: { "\($0.path)/".hasPrefix("\(folder)/") || "\(folder)/".hasPrefix("\($0.path)/") })
        {
            self.fail(.combination, key: "media.uploads.folder", message: "must be absolute, and apart from media.folders")
        }
        if let mistake = self.configuration.presets.mistake(self.configuration.commands) {
            self.fail(.combination, key: "presets", message: "has a mistake in \(mistake.message)")
        }
        let (pages, metrics) = (web.listen, self.configuration.metrics.listen)
        let all = pages + metrics + media.listen
        for (index, address) in all.enumerated() where address.port != 0 && all[..<index].contains(address) {
            let key = index < pages.count ? "web.listen" : index < pages.count + metrics.count ? "metrics.listen" : "media.listen"
            self.fail(.combination, key: key, message: "has \(address) twice")
        }
        let names = Set(web.page.customButtons.map(\.name))
        for (key, slots) in [("web.page.mini_slots", web.page.miniSlots), ("web.page.expanded_slots", web.page.expandedSlots)] {
            for case .custom(let name) in slots where !names.contains(name) {
                self.fail(.combination, key: key, message: "names custom:\(name), which web.page.custom_buttons lacks")
            }
        }
    }
}

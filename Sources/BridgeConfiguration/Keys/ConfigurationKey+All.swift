import BridgeCore
import CastModels

extension ConfigurationKey {
    /// All keys, in the order of the documentation.
    package static let all: [ConfigurationKey] =
        Self.general + Self.mqtt + Self.discovery + Self.status + Self.artwork + Self.topics + Self.devices + Self.commands + Self.textStyle
        + Self.homeAssistant + Self.web + Self.media + Self.presets + Self.speech + Self.history + Self.secrets + Self.logging

    private static let general = [
        ConfigurationKey(
            "instance", "1 to 40 letters, digits, `-`, `_` or `.`", default: "home",
            "Distinguishes several bridges on one broker, each with a `mqtt.base` of its own; the client id is `cast2mqtt-<instance>`."
        ) { $0.instance = try $1.name(maximumLength: 40) },
        Self.flag(
            "standby", \.isStandby,
            "Whether two bridges of one base, instance and `mqtt.client_id` are a pair: one leads, the other waits to take over."),
        Self.path(
            "state_directory", \.stateDirectory,
            "Where known devices and topics are remembered; null is `$STATE_DIRECTORY`, `$XDG_STATE_HOME/cast2mqtt` or `~/.local/state/cast2mqtt`."
        ),
    ]

    private static let mqtt = [
        ConfigurationKey("mqtt.host", "host name, address or null", default: "null", "The broker; null starts a private mosquitto.") {
            $0.mqtt.host = try $1.optional { try $0.host() }
        },
        ConfigurationKey(
            "mqtt.port", "whole number, 1 to 65535, or null", default: "null", "The broker's port; null is 1883, or 8883 with TLS."
        ) { $0.mqtt.port = try $1.optional { try $0.integer(1...65_535) } },
        Self.text("mqtt.username", 1024, \.mqtt.username, "The user name for the broker."),
        ConfigurationKey("mqtt.password", "text or null", default: "null", "The user's password. Prefer a file of its own.") {
            $0.mqtt.password = try $1.optional { Secret(try $0.text(maximumBytes: 1024)) }
        },
        ConfigurationKey(
            "mqtt.password_file", "path or null", default: "null",
            "A file with the password, in place of `mqtt.password`. It is read for each connection, without a line end or byte order mark.",
            isPasswordFile: true
        ) { _, _ in },
        Self.flag("mqtt.tls.enabled", \.mqtt.tls.isEnabled, "Whether the bridge connects to the broker over TLS."),
        Self.path(
            "mqtt.tls.ca_file", \.mqtt.tls.caFile,
            "PEM file of the certificate authorities that are trusted to sign the broker's certificate; null is the system's."),
        Self.path(
            "mqtt.tls.certificate_file", \.mqtt.tls.certificateFile, "PEM file of the bridge's certificate, for brokers that require one."),
        Self.path("mqtt.tls.key_file", \.mqtt.tls.keyFile, "PEM file of that certificate's key."),
        Self.choice("mqtt.protocol", \.mqtt.protocolVersion, "The MQTT version; auto is 5, and 3.1.1 with brokers that lack version 5."),
        Self.text(
            "mqtt.client_id", 128, \.mqtt.clientID,
            "The client id; null is `cast2mqtt-<instance>-` with eight digits that the state directory keeps."),
        ConfigurationKey("mqtt.base", "topic levels without wildcards", default: "cast2mqtt", "The first levels of every topic.") {
            $0.mqtt.base = try $1.topic()
        },
        Self.integer(
            "mqtt.keepalive", 5...3600, of: "seconds", \.mqtt.keepAliveSeconds, "The keep-alive of the connection to the broker."),
        Self.integer(
            "mqtt.will_delay", 0...3600, of: "seconds", \.mqtt.willDelaySeconds,
            "How long the broker waits before it reports a lost bridge as `offline`; with MQTT 3.1.1 it does not wait."),
        Self.list(
            "mqtt.response_prefixes", of: "topic levels", \.mqtt.responsePrefixes, { try $0.topic() },
            "Branches besides `<base>/client` that response topics of clients may begin with."),
        Self.integer(
            "mqtt.embedded_port", 1...65_535, \.mqtt.embeddedPort,
            "The port of the private mosquitto; if it is in use, the next free one."),
    ]

    private static let discovery = [
        Self.flag("discovery.mdns", \.discovery.isMulticastEnabled, "Whether the bridge searches for devices by multicast DNS."),
        Self.list(
            "discovery.interfaces", of: "interface names", \.discovery.interfaces, { try $0.interface() },
            "The network interfaces to search; empty is every interface that is up and can multicast. `\"!docker0\"` excludes one, `\"!br-*\"` all whose names begin with `br-`. Loopback is searched only when named."
        ),
        Self.list(
            "discovery.known_hosts", of: "`host`, `host:port`, `[address]:port` or `{host, port, id}`", limit: 1_000,
            \.discovery.knownHosts, { try $0.knownHost() },
            "Addresses of devices that discovery does not find, at most 1000. The default port is 8009."),
        Self.list(
            "discovery.include", of: "globs", \.discovery.include, { try $0.glob() },
            "Uses only devices whose id, name or model matches one of these; empty is every device."),
        Self.list(
            "discovery.exclude", of: "globs", \.discovery.exclude, { try $0.glob() },
            "Excludes devices whose id, name or model matches one of these."),
        Self.list(
            "discovery.applications", of: "application ids or names", limit: 16, \.discovery.applications,
            { try $0.text(maximumBytes: 200) },
            "Only devices that can run one of these applications, at most 16: each device is asked when its link is ready; empty is every device."
        ),
        ConfigurationKey(
            "discovery.capabilities", "list of capabilities", default: "[]",
            "Only devices that announce all of these, like `video_out`, or announce none at all; empty is every device.", isList: true
        ) { $0.discovery.capabilities = DeviceCapabilities(try $1.list { try $0.capability() }) },
    ]

    private static let status = [
        Self.choice(
            "status.split", \.status.split,
            "Which plain values are published below `status/`: none, the most used ones, or every scalar of `media` as well."),
        ConfigurationKey(
            "status.position_interval", "seconds, 1 to 3600, or 0", default: "10",
            "The interval of `status/position` while playing; 0 publishes none."
        ) {
            $0.status.positionInterval = try $1.seconds(1...3600, allowsZero: true)
        },
        Self.flag(
            "status.position_probe", \.status.probesPosition,
            "Whether a device that plays is asked for its position every ten seconds when it does not report it by itself."),
        Self.flag(
            "status.custom_data", \.status.includesCustomData, "Whether `media` contains the custom data of applications, up to 8 kB."),
        Self.webAddress(
            "status.artwork_placeholder", \.status.artworkPlaceholder,
            "The value of `status/artwork` when there is neither a picture nor an icon; null is nothing, or `home_assistant.placeholder_image` while Home Assistant is announced to."
        ),
        Self.flag(
            "status.dynamic_groups", \.status.includesDynamicGroups,
            "Whether groups that are made on the fly have topics. Their members show what they play in any case."),
        Self.flag(
            "status.stereo_halves", \.status.listsStereoHalves,
            "Whether `bridge/devices` lists the halves of stereo pairs beside the pair."),
    ]

    private static let artwork = [
        Self.flag(
            "artwork.image", \.artwork.publishesImages,
            "Whether `artwork/image` has the picture itself, fetched by the bridge; Home Assistant's *Artwork* then shows that."),
        Self.integer(
            "artwork.max_bytes", 1_024...1_000_000, of: "bytes", \.artwork.imageByteLimit,
            "The largest picture that is published; a larger one is left out."),
        Self.integer(
            "artwork.cache_bytes", 0...1_073_741_824, of: "bytes", \.artwork.cacheByteLimit,
            "The size of the picture cache on disk; 0 keeps none."),
        Self.flag(
            "artwork.allow_local", \.artwork.allowsLocalAddresses,
            "Whether pictures are also fetched from this machine (loopback) and from link-local addresses."),
    ]

    private static let topics = [
        Self.choice(
            "topics.identity", \.topics.identity,
            "What identifies a device in topics: a slug made of its name when it was first found, or its id."),
        Self.choice(
            "topics.rename", \.topics.rename, "What a new name of a device changes: the name in documents only, or its topics as well."),
        Self.flag(
            "topics.clean_on_start", \.topics.cleansOnStart,
            "Whether the bridge searches the broker at the start for stale topics of an earlier run of this instance."),
        Self.flag("topics.clear_on_exit", \.topics.clearsOnExit, "Whether the bridge clears all its retained topics when it ends cleanly."),
    ]

    private static let history = [
        Self.integer(
            "history.days", 0...3650, of: "days", \.historyDays,
            "For how many days the bridge keeps what played, what failed and which devices were offline; 0 keeps nothing and removes it.")
    ]

    private static let devices = [
        ConfigurationKey(
            "availability.grace", "seconds, 0 to 300", default: "3",
            "How long a link may be lost before the device is offline."
        ) { $0.availabilityGrace = try $1.seconds(0...300) },
        ConfigurationKey(
            "availability.forget_after", "whole number of days, 1 to 3650, or null", default: "null",
            "After how long without contact a device is removed with all its topics; null is never."
        ) { $0.topics.forgetAfterDays = try $1.optional { try $0.integer(1...3650) } },
        Self.choice(
            "authentication.mode", \.authentication,
            "Whether devices must prove that they are genuine: not asked, asked and reported, or required for a connection."),
        Self.path(
            "authentication.roots_file", \.authenticationRoots,
            "PEM file of the root certificates of devices' certificate chains; with null, only a device's key is compared with its previous one."
        ),
        ConfigurationKey(
            "devices", "list of `{device, aliases, area, inactive_input_is_off, max_volume}`", default: "[]",
            "Settings of single devices, each named by id, slug or name; in the file only.", isList: true
        ) { $0.devices = try $1.configuredDevices() },
    ]

    private static let commands = [
        Self.choice(
            "commands.volume_scale", \.commands.volumeScale,
            "The meaning of `0.34` on `set/volume`: refused, because it is ambiguous, or a level, equal to `34%`."),
        Self.flag(
            "commands.strict", \.commands.isStrict, "Whether `next` and `previous` are refused while a device doesn't announce them."),
        Self.flag(
            "commands.check_failed_loads", \.commands.checksLoads,
            "Whether the bridge fetches the beginning of media that failed to load, to find the cause, and accepts `cmd/check`."),
        Self.flag("commands.fan_out", \.commands.isFanOutEnabled, "Whether the bridge accepts commands to `<base>/all`."),
        Self.list(
            "commands.applications", of: "`{name, id}` or `name=id`", \.commands.applications, { try $0.application() },
            "Your names for applications, in `launch`, `set/app` and `app`; they take precedence over the well-known ones."),
        ConfigurationKey(
            "commands.default_application", "application id or name", default: ReceiverApplication.defaultMediaReceiver,
            "The application of loads, `queue_load` and `launch` that name none, and of the page's Cast button."
        ) { $0.commands.defaultApplication = try $1.text(maximumBytes: 200) },
        ConfigurationKey(
            "commands.language", "language tag or null", default: "en-US",
            "The language of launches that give none, like `de-DE`; null leaves it to the device."
        ) { $0.commands.language = try $1.optional { try $0.language() } },
        ConfigurationKey(
            "commands.custom_namespaces", "list of globs", default: "[]",
            "Namespaces of applications that MQTT clients may use, below `ns/`. Google's own namespaces need an entry without a wildcard.",
            isList: true
        ) { $0.commands.namespaces = NamespacePolicy(try $1.list { try $0.namespacePattern() }) },
        Self.flag(
            "commands.allow_raw", \.commands.isRawAllowed,
            "Whether `media_request`, `receiver_request` and `raw` are accepted. Any client that may send commands can then do anything to a device."
        ),
    ]

    private static let homeAssistant = [
        Self.choice(
            "home_assistant.mode", \.homeAssistant.mode,
            "How devices are announced to Home Assistant: one message each (2024.11 and later), the same with only what a media player lacks, one message an entity, or not at all."
        ),
        ConfigurationKey(
            "home_assistant.prefix", "topic levels without wildcards", default: "homeassistant",
            "The discovery prefix of Home Assistant's MQTT settings."
        ) { $0.homeAssistant.prefix = try $1.topic() },
        ConfigurationKey(
            "home_assistant.status_topic", "topic levels without wildcards, or null", default: "homeassistant/status",
            "The birth topic of Home Assistant's MQTT settings; null listens to none."
        ) { $0.homeAssistant.statusTopic = try $1.optional { try $0.topic() } },
        Self.flag(
            "home_assistant.share_mac", \.homeAssistant.sharesMACAddress,
            "Whether a device's MAC address is published, which links it with the same device of other integrations."),
        Self.webAddress(
            "home_assistant.placeholder_image", \.homeAssistant.placeholderImage,
            "The picture that Home Assistant shows while a device has none; with null, the icon of the page, or without a page over http its own, at its port 8123."
        ),
        Self.webAddress(
            "home_assistant.support_url", \.homeAssistant.supportURL,
            "The address of your own help page, which Home Assistant shows with the devices, or null."),
        Self.choice(
            "home_assistant.media_player_compat", \.homeAssistant.mediaPlayerCompatibility,
            "Deprecated: whether the custom integration mqtt_media_player gets its own announcements."),
    ]

    private static let speech = [
        Self.list(
            "speech.command", of: "texts", limit: 32, \.speech.command, { try $0.text(maximumBytes: 1024) },
            "The program that speaks texts of `cmd/announce`, and its arguments, without a shell: the text is its standard input, WAV, MP3 or Ogg its output; `{language}` is replaced."
        ),
        ConfigurationKey(
            "speech.url", "web address or null", default: "null",
            "The address of the sound in place of a program, with `{text}` and `{language}`; devices fetch it themselves."
        ) { $0.speech.url = try $1.optional { try $0.text(maximumBytes: 1024) } },
        ConfigurationKey("speech.language", "text", default: "en", "The language of texts that name none.") {
            $0.speech.language = try $1.text(maximumBytes: 35)
        },
        ConfigurationKey(
            "announcements.quiet_hours", "`HH:MM-HH:MM` or null", default: "null",
            "The hours of every day, like `22:00-07:00`, in which only announcements of `priority` `high` are played."
        ) { $0.announcements.quietHours = try $1.optional { try $0.parsed("two times of day like 22:00-07:00") { QuietHours($0) } } },
        ConfigurationKey(
            "announcements.time_zone", "name of a time zone, or null", default: "null",
            "The time zone of these hours, like `Europe/Berlin`; null is that of the machine."
        ) {
            let zone = try $1.optional {
                try $0.parsed("the name of a time zone") { $0.first?.isLetter == true && !$0.contains("..") ? $0 : nil }
            }
            $0.announcements.timeZone = zone
        },
    ]

    private static let secrets = [
        Self.flag(
            "secrets.hide", \.secrets.isHidden,
            "Whether tokens, signatures and passwords in web addresses are replaced by `…` in everything that is published or logged."),
        Self.list(
            "secrets.query_keys", of: "names", \.secrets.queryKeys, { try $0.name(maximumLength: SecretKeys.maximumLength) },
            "Parameters of web addresses whose values are hidden beside the usual ones."),
    ]

    private static let logging = [
        Self.choice("log.level", \.log.filters.level, "The lowest level that is logged."),
        Self.choice("log.format", \.log.format, "The format of log lines: text for people, JSON for programs."),
        ConfigurationKey(
            "log.publish", "a level, or off", default: "warning", "The lowest level that is published on `bridge/log`."
        ) { $0.log.publish = try $1.publishedLogLevel() },
        Self.list(
            "log.filters", of: "`component=level`", limit: LogFilters.maximumCount, \.log.filters.filters,
            { try $0.parsed("component=level, like CastSender.*=debug") { LogFilter($0) } },
            "Other levels for the components that a glob matches, like `CastSender.*=debug`; the last match counts."),
    ]
}

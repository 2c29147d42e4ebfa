import BridgeCore
import CastModels

extension ConfigurationKey {
    /// All keys, in the order of the documentation.
    package static let all: [ConfigurationKey] =
        Self.general + Self.mqtt + Self.discovery + Self.status + Self.artwork + Self.topics + Self.devices + Self.commands + Self.textStyle
        + Self.homeAssistant + Self.web + Self.secrets + Self.logging

    private static let general = [
        ConfigurationKey(
            "instance", "1 to 40 letters, digits, `-`, `_` or `.`", default: "home",
            "Distinguishes several bridges on one broker, each with a `mqtt.base` of its own; the client id is `cast2mqtt-<instance>`."
        ) { $0.instance = try $1.name(maximumLength: 40) },
        ConfigurationKey(
            "state_directory", "path or null", default: "null",
            "Where known devices and topics are remembered; null is `$STATE_DIRECTORY`, `$XDG_STATE_HOME/cast2mqtt` or `~/.local/state/cast2mqtt`."
        ) { $0.stateDirectory = try $1.optional { try $0.text(maximumBytes: 4096) } },
    ]

    private static let mqtt = [
        ConfigurationKey("mqtt.host", "host name, address or null", default: "null", "The broker; null starts a private mosquitto.") {
            $0.mqtt.host = try $1.optional { try $0.host() }
        },
        ConfigurationKey(
            "mqtt.port", "whole number, 1 to 65535, or null", default: "null", "The broker's port; null is 1883, or 8883 with TLS."
        ) { $0.mqtt.port = try $1.optional { try $0.integer(1...65_535) } },
        ConfigurationKey("mqtt.username", "text or null", default: "null", "The user name for the broker.") {
            $0.mqtt.username = try $1.optional { try $0.text(maximumBytes: 1024) }
        },
        ConfigurationKey("mqtt.password", "text or null", default: "null", "The user's password. Prefer a file of its own.") {
            $0.mqtt.password = try $1.optional { Secret(try $0.text(maximumBytes: 1024)) }
        },
        ConfigurationKey(
            "mqtt.password_file", "path or null", default: "null",
            "A file with the password, in place of `mqtt.password`. A newline at its end is ignored.", isPasswordFile: true
        ) { _, _ in },
        ConfigurationKey("mqtt.tls.enabled", "true or false", default: "false", "Whether the bridge connects to the broker over TLS.") {
            $0.mqtt.tls.isEnabled = try $1.flag()
        },
        ConfigurationKey(
            "mqtt.tls.ca_file", "path or null", default: "null",
            "PEM file of the certificate authorities that are trusted to sign the broker's certificate; null is the system's."
        ) { $0.mqtt.tls.caFile = try $1.optional { try $0.text(maximumBytes: 4096) } },
        ConfigurationKey(
            "mqtt.tls.certificate_file", "path or null", default: "null",
            "PEM file of the bridge's certificate, for brokers that require one."
        ) { $0.mqtt.tls.certificateFile = try $1.optional { try $0.text(maximumBytes: 4096) } },
        ConfigurationKey("mqtt.tls.key_file", "path or null", default: "null", "PEM file of that certificate's key.") {
            $0.mqtt.tls.keyFile = try $1.optional { try $0.text(maximumBytes: 4096) }
        },
        ConfigurationKey(
            "mqtt.protocol", "auto, 5 or 3.1.1", default: "auto", "The MQTT version; auto is 5, and 3.1.1 with brokers that lack version 5."
        ) { $0.mqtt.protocolVersion = try $1.choice() },
        ConfigurationKey("mqtt.client_id", "text or null", default: "null", "The client id; null is `cast2mqtt-<instance>`.") {
            $0.mqtt.clientID = try $1.optional { try $0.text(maximumBytes: 128) }
        },
        ConfigurationKey("mqtt.base", "topic levels without wildcards", default: "cast2mqtt", "The first levels of every topic.") {
            $0.mqtt.base = try $1.topic()
        },
        ConfigurationKey(
            "mqtt.keepalive", "whole number of seconds, 5 to 3600", default: "30", "The keep-alive of the connection to the broker."
        ) { $0.mqtt.keepAliveSeconds = try $1.integer(5...3600) },
        ConfigurationKey(
            "mqtt.will_delay", "whole number of seconds, 0 to 3600", default: "0",
            "How long the broker waits before it reports a lost bridge as `offline`; with MQTT 3.1.1 it does not wait."
        ) { $0.mqtt.willDelaySeconds = try $1.integer(0...3600) },
        ConfigurationKey(
            "mqtt.response_prefixes", "list of topic levels", default: "[]",
            "Branches besides `<base>/client` that response topics of clients may begin with.", isList: true
        ) { $0.mqtt.responsePrefixes = try $1.list { try $0.topic() } },
        ConfigurationKey(
            "mqtt.embedded_port", "whole number, 1 to 65535", default: "18830",
            "The port of the private mosquitto; if it is in use, the next free one."
        ) { $0.mqtt.embeddedPort = try $1.integer(1...65_535) },
    ]

    private static let discovery = [
        ConfigurationKey("discovery.mdns", "true or false", default: "true", "Whether the bridge searches for devices by multicast DNS.") {
            $0.discovery.isMulticastEnabled = try $1.flag()
        },
        ConfigurationKey(
            "discovery.interfaces", "list of interface names", default: "[]",
            "The network interfaces to search; empty is every interface that is up and can multicast. `\"!docker0\"` excludes one, `\"!br-*\"` all whose names begin with `br-`. Loopback is searched only when named.",
            isList: true
        ) { $0.discovery.interfaces = try $1.list { try $0.interface() } },
        ConfigurationKey(
            "discovery.known_hosts", "list of `host`, `host:port`, `[address]:port` or `{host, port, id}`", default: "[]",
            "Addresses of devices that discovery does not find, at most 1000. The default port is 8009.", isList: true
        ) { $0.discovery.knownHosts = try $1.list(maximumCount: 1_000) { try $0.knownHost() } },
        ConfigurationKey(
            "discovery.include", "list of globs", default: "[]",
            "Uses only devices whose id, name or model matches one of these; empty is every device.", isList: true
        ) { $0.discovery.include = try $1.list { try $0.glob() } },
        ConfigurationKey(
            "discovery.exclude", "list of globs", default: "[]", "Excludes devices whose id, name or model matches one of these.",
            isList: true
        ) { $0.discovery.exclude = try $1.list { try $0.glob() } },
        ConfigurationKey(
            "discovery.applications", "list of application ids or names", default: "[]",
            "Only devices that can run one of these applications, at most 16: each device is asked when its link is ready; empty is every device.",
            isList: true
        ) { $0.discovery.applications = try $1.list(maximumCount: 16) { try $0.text(maximumBytes: 200) } },
        ConfigurationKey(
            "discovery.capabilities", "list of capabilities", default: "[]",
            "Only devices that announce all of these, like `video_out`, or announce none at all; empty is every device.", isList: true
        ) { $0.discovery.capabilities = DeviceCapabilities(try $1.list { try $0.capability() }) },
    ]

    private static let status = [
        ConfigurationKey(
            "status.split", "none, basic or full", default: "basic",
            "Which plain values are published below `status/`: none, the most used ones, or every scalar of `media` as well."
        ) { $0.status.split = try $1.choice() },
        ConfigurationKey(
            "status.position_interval", "seconds, 1 to 3600, or 0", default: "10",
            "The interval of `status/position` while playing; 0 publishes none."
        ) {
            $0.status.positionInterval = try $1.seconds(1...3600, allowsZero: true)
        },
        ConfigurationKey(
            "status.position_probe", "true or false", default: "false",
            "Whether a device that plays is asked for its position every ten seconds when it does not report it by itself."
        ) { $0.status.probesPosition = try $1.flag() },
        ConfigurationKey(
            "status.custom_data", "true or false", default: "false",
            "Whether `media` contains the custom data of applications, up to 8 kB."
        ) { $0.status.includesCustomData = try $1.flag() },
        ConfigurationKey(
            "status.artwork_placeholder", "web address or null", default: "null",
            "The value of `status/artwork` when there is neither a picture nor an icon; null is nothing, or `home_assistant.placeholder_image` while Home Assistant is announced to."
        ) { $0.status.artworkPlaceholder = try $1.optional { try $0.webAddress() } },
        ConfigurationKey(
            "status.dynamic_groups", "true or false", default: "false",
            "Whether groups that are made on the fly have topics. Their members show what they play in any case."
        ) { $0.status.includesDynamicGroups = try $1.flag() },
        ConfigurationKey(
            "status.stereo_halves", "true or false", default: "false",
            "Whether `bridge/devices` lists the halves of stereo pairs beside the pair."
        ) { $0.status.listsStereoHalves = try $1.flag() },
    ]

    private static let artwork = [
        ConfigurationKey(
            "artwork.image", "true or false", default: "false",
            "Whether `artwork/image` has the picture itself, fetched by the bridge; Home Assistant's *Artwork* then shows that."
        ) { $0.artwork.publishesImages = try $1.flag() },
        ConfigurationKey(
            "artwork.max_bytes", "whole number of bytes, 1024 to 1000000", default: "262144",
            "The largest picture that is published; a larger one is left out."
        ) { $0.artwork.imageByteLimit = try $1.integer(1_024...1_000_000) },
        ConfigurationKey(
            "artwork.cache_bytes", "whole number of bytes, 0 to 1073741824", default: "67108864",
            "The size of the picture cache on disk; 0 keeps none."
        ) { $0.artwork.cacheByteLimit = try $1.integer(0...1_073_741_824) },
        ConfigurationKey(
            "artwork.allow_local", "true or false", default: "false",
            "Whether pictures are also fetched from this machine (loopback) and from link-local addresses."
        ) { $0.artwork.allowsLocalAddresses = try $1.flag() },
    ]

    private static let topics = [
        ConfigurationKey(
            "topics.identity", "slug or id", default: "slug",
            "What identifies a device in topics: a slug made of its name when it was first found, or its id."
        ) { $0.topics.identity = try $1.choice() },
        ConfigurationKey(
            "topics.rename", "keep or follow", default: "keep",
            "What a new name of a device changes: the name in documents only, or its topics as well."
        ) { $0.topics.rename = try $1.choice() },
        ConfigurationKey(
            "topics.clean_on_start", "true or false", default: "true",
            "Whether the bridge searches the broker at the start for stale topics of an earlier run of this instance."
        ) { $0.topics.cleansOnStart = try $1.flag() },
        ConfigurationKey(
            "topics.clear_on_exit", "true or false", default: "false",
            "Whether the bridge clears all its retained topics when it ends cleanly."
        ) { $0.topics.clearsOnExit = try $1.flag() },
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
        ConfigurationKey(
            "authentication.mode", "off, report or require", default: "off",
            "Whether devices must prove that they are genuine: not asked, asked and reported, or required for a connection."
        ) { $0.authentication = try $1.choice() },
        ConfigurationKey(
            "authentication.roots_file", "path or null", default: "null",
            "PEM file of the root certificates of devices' certificate chains; with null, only a device's key is compared with its previous one."
        ) { $0.authenticationRoots = try $1.optional { try $0.text(maximumBytes: 4096) } },
        ConfigurationKey(
            "devices", "list of `{device, aliases, area, inactive_input_is_off}`", default: "[]",
            "Settings of single devices, each named by id, slug or name; in the file only.", isList: true
        ) { $0.devices = try $1.configuredDevices() },
    ]

    private static let commands = [
        ConfigurationKey(
            "commands.volume_scale", "percent or unit", default: "percent",
            "The meaning of `0.34` on `set/volume`: refused, because it is ambiguous, or a level, equal to `34%`."
        ) { $0.commands.volumeScale = try $1.choice() },
        ConfigurationKey(
            "commands.strict", "true or false", default: "false",
            "Whether `next` and `previous` are refused while a device doesn't announce them."
        ) { $0.commands.isStrict = try $1.flag() },
        ConfigurationKey(
            "commands.check_failed_loads", "true or false", default: "true",
            "Whether the bridge fetches the beginning of media that failed to load, to find the cause, and accepts `cmd/check`."
        ) { $0.commands.checksLoads = try $1.flag() },
        ConfigurationKey("commands.fan_out", "true or false", default: "false", "Whether the bridge accepts commands to `<base>/all`.") {
            $0.commands.isFanOutEnabled = try $1.flag()
        },
        ConfigurationKey(
            "commands.applications", "list of `{name, id}` or `name=id`", default: "[]",
            "Your names for applications, in `launch`, `set/app` and `app`; they take precedence over the well-known ones.",
            isList: true
        ) { $0.commands.applications = try $1.list { try $0.application() } },
        ConfigurationKey(
            "commands.custom_namespaces", "list of globs", default: "[]",
            "Namespaces of applications that MQTT clients may use, below `ns/`. Google's own namespaces need an entry without a wildcard.",
            isList: true
        ) { $0.commands.namespaces = NamespacePolicy(try $1.list { try $0.namespacePattern() }) },
        ConfigurationKey(
            "commands.allow_raw", "true or false", default: "false",
            "Whether `media_request`, `receiver_request` and `raw` are accepted. Any client that may send commands can then do anything to a device."
        ) { $0.commands.isRawAllowed = try $1.flag() },
    ]

    private static let homeAssistant = [
        ConfigurationKey(
            "home_assistant.mode", "device, components or off", default: "device",
            "How devices are announced to Home Assistant: one message each (2024.11 and later), one message an entity, or not at all."
        ) { $0.homeAssistant.mode = try $1.choice() },
        ConfigurationKey(
            "home_assistant.prefix", "topic levels without wildcards", default: "homeassistant",
            "The discovery prefix of Home Assistant's MQTT settings."
        ) { $0.homeAssistant.prefix = try $1.topic() },
        ConfigurationKey(
            "home_assistant.status_topic", "topic levels without wildcards, or null", default: "homeassistant/status",
            "The birth topic of Home Assistant's MQTT settings; null listens to none."
        ) { $0.homeAssistant.statusTopic = try $1.optional { try $0.topic() } },
        ConfigurationKey(
            "home_assistant.share_mac", "true or false", default: "false",
            "Whether a device's MAC address is published, which links it with the same device of other integrations."
        ) { $0.homeAssistant.sharesMACAddress = try $1.flag() },
        ConfigurationKey(
            "home_assistant.placeholder_image", "web address or null", default: "null",
            "The picture that Home Assistant shows while a device has none; with null, the entity *Artwork* is unavailable then."
        ) { $0.homeAssistant.placeholderImage = try $1.optional { try $0.webAddress() } },
        ConfigurationKey(
            "home_assistant.support_url", "web address or null", default: "null",
            "The address of your own help page, which Home Assistant shows with the devices, or null."
        ) { $0.homeAssistant.supportURL = try $1.optional { try $0.webAddress() } },
        ConfigurationKey(
            "home_assistant.media_player_compat", "off or mqtt_media_player", default: "off",
            "Whether the custom integration mqtt_media_player gets its own announcements."
        ) { $0.homeAssistant.mediaPlayerCompatibility = try $1.choice() },
    ]

    private static let secrets = [
        ConfigurationKey(
            "secrets.hide", "true or false", default: "true",
            "Whether tokens, signatures and passwords in web addresses are replaced by `…` in everything that is published or logged."
        ) { $0.secrets.isHidden = try $1.flag() },
        ConfigurationKey(
            "secrets.query_keys", "list of names", default: "[]",
            "Parameters of web addresses whose values are hidden beside the usual ones.", isList: true
        ) { $0.secrets.queryKeys = try $1.list { try $0.name(maximumLength: SecretKeys.maximumLength) } },
    ]

    private static let logging = [
        ConfigurationKey(
            "log.level", "trace, debug, info, notice, warning, error or critical", default: "info", "The lowest level that is logged."
        ) { $0.log.filters.level = try $1.choice() },
        ConfigurationKey("log.format", "text or json", default: "text", "The format of log lines: text for people, JSON for programs.") {
            $0.log.format = try $1.choice()
        },
        ConfigurationKey(
            "log.publish", "a level, or off", default: "warning", "The lowest level that is published on `bridge/log`."
        ) { $0.log.publish = try $1.publishedLogLevel() },
        ConfigurationKey(
            "log.filters", "list of `component=level`", default: "[]",
            "Other levels for the components that a glob matches, like `CastSender.*=debug`; the last match counts.", isList: true
        ) {
            $0.log.filters.filters = try $1.list(maximumCount: LogFilters.maximumCount) { try $0.logFilter() }
        },
    ]
}

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
        ConfigurationKey("mqtt.username", "text or null", default: "null", "The user to log in as.") {
            $0.mqtt.username = try $1.optional { try $0.text(maximumBytes: 1024) }
        },
        ConfigurationKey("mqtt.password", "text or null", default: "null", "The user's password; better kept in a file of its own.") {
            $0.mqtt.password = try $1.optional { Secret(try $0.text(maximumBytes: 1024)) }
        },
        ConfigurationKey(
            "mqtt.password_file", "path or null", default: "null",
            "A file with the password, in place of `mqtt.password`; a newline at its end does not count.", isPasswordFile: true
        ) { _, _ in },
        ConfigurationKey("mqtt.tls.enabled", "true or false", default: "false", "Whether the broker is spoken to over TLS.") {
            $0.mqtt.tls.isEnabled = try $1.flag()
        },
        ConfigurationKey(
            "mqtt.tls.ca_file", "path or null", default: "null", "PEM file of the CAs that may vouch for the broker; null is the system's."
        ) { $0.mqtt.tls.caFile = try $1.optional { try $0.text(maximumBytes: 4096) } },
        ConfigurationKey(
            "mqtt.tls.certificate_file", "path or null", default: "null", "PEM file of our certificate, for brokers that ask for one."
        ) { $0.mqtt.tls.certificateFile = try $1.optional { try $0.text(maximumBytes: 4096) } },
        ConfigurationKey("mqtt.tls.key_file", "path or null", default: "null", "PEM file of that certificate's key.") {
            $0.mqtt.tls.keyFile = try $1.optional { try $0.text(maximumBytes: 4096) }
        },
        ConfigurationKey(
            "mqtt.protocol", "auto, 5 or 3.1.1", default: "auto", "The MQTT version; auto is 5, and 3.1.1 with brokers that know no better."
        ) { $0.mqtt.protocolVersion = try $1.choice() },
        ConfigurationKey("mqtt.client_id", "text or null", default: "null", "The client id; null is `cast2mqtt-<instance>`.") {
            $0.mqtt.clientID = try $1.optional { try $0.text(maximumBytes: 128) }
        },
        ConfigurationKey("mqtt.base", "topic levels without wildcards", default: "cast2mqtt", "The first levels of every topic.") {
            $0.mqtt.base = try $1.topic()
        },
        ConfigurationKey(
            "mqtt.keepalive", "whole number of seconds, 5 to 3600", default: "30", "The keep-alive that is agreed with the broker."
        ) { $0.mqtt.keepAliveSeconds = try $1.integer(5...3600) },
        ConfigurationKey(
            "mqtt.will_delay", "whole number of seconds, 0 to 3600", default: "0",
            "How long the broker waits before it reports a lost bridge as `offline`; over MQTT 3.1.1 it never waits."
        ) { $0.mqtt.willDelaySeconds = try $1.integer(0...3600) },
        ConfigurationKey(
            "mqtt.response_prefixes", "list of topic levels", default: "[]",
            "Branches besides `<base>/client` where clients may have answers sent.", isList: true
        ) { $0.mqtt.responsePrefixes = try $1.list { try $0.topic() } },
        ConfigurationKey(
            "mqtt.embedded_port", "whole number, 1 to 65535", default: "18830",
            "The port of the private mosquitto; the next free one if it is taken."
        ) { $0.mqtt.embeddedPort = try $1.integer(1...65_535) },
    ]

    private static let discovery = [
        ConfigurationKey("discovery.mdns", "true or false", default: "true", "Whether devices are looked for by multicast DNS.") {
            $0.discovery.isMulticastEnabled = try $1.flag()
        },
        ConfigurationKey(
            "discovery.interfaces", "list of interface names", default: "[]",
            "Where to look; empty is every interface that is up and can multicast, `\"!docker0\"` every one but that, `\"!br-*\"` every one but those that begin so. Loopback only when named.",
            isList: true
        ) { $0.discovery.interfaces = try $1.list { try $0.interface() } },
        ConfigurationKey(
            "discovery.known_hosts", "list of `host`, `host:port`, `[address]:port` or `{host, port, id}`", default: "[]",
            "Devices that are reached without being announced, at most 1000; the port is 8009 unless given.", isList: true
        ) { $0.discovery.knownHosts = try $1.list(maximumCount: 1_000) { try $0.knownHost() } },
        ConfigurationKey(
            "discovery.include", "list of globs", default: "[]",
            "Only devices whose id, name or model matches one of them; empty is every device.", isList: true
        ) { $0.discovery.include = try $1.list { try $0.glob() } },
        ConfigurationKey(
            "discovery.exclude", "list of globs", default: "[]", "No device whose id, name or model matches one of them.", isList: true
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
            "Between two ticks of `status/position` while playing; 0 is never."
        ) {
            $0.status.positionInterval = try $1.seconds(1...3600, allowsZero: true)
        },
        ConfigurationKey(
            "status.position_probe", "true or false", default: "false",
            "Whether a device that plays is asked for its position every ten seconds when it does not report it by itself."
        ) { $0.status.probesPosition = try $1.flag() },
        ConfigurationKey(
            "status.custom_data", "true or false", default: "false",
            "Whether `media` carries what applications attach to it, up to 8 kB."
        ) { $0.status.includesCustomData = try $1.flag() },
        ConfigurationKey(
            "status.artwork_placeholder", "web address or null", default: "null",
            "The value of `status/artwork` when there is neither a picture nor an icon; null is nothing, or `home_assistant.placeholder_image` while Home Assistant is announced to."
        ) { $0.status.artworkPlaceholder = try $1.optional { try $0.webAddress() } },
        ConfigurationKey(
            "status.dynamic_groups", "true or false", default: "false",
            "Whether groups made on the fly have topics of their own; their members show what they play in any case."
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
            "How much of the pictures is kept on disk; 0 keeps none."
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
            "Whether the broker is searched at the start for what an earlier run of this instance left."
        ) { $0.topics.cleansOnStart = try $1.flag() },
        ConfigurationKey(
            "topics.clear_on_exit", "true or false", default: "false",
            "Whether a clean end clears everything that the bridge published retained."
        ) { $0.topics.clearsOnExit = try $1.flag() },
    ]

    private static let devices = [
        ConfigurationKey(
            "availability.grace", "seconds, 0 to 300", default: "3",
            "How long a lost link may stay lost before the device counts as offline."
        ) { $0.availabilityGrace = try $1.seconds(0...300) },
        ConfigurationKey(
            "availability.forget_after", "whole number of days, 1 to 3650, or null", default: "null",
            "How long a device may be away before it is removed with all its topics; null is for ever."
        ) { $0.topics.forgetAfterDays = try $1.optional { try $0.integer(1...3650) } },
        ConfigurationKey(
            "authentication.mode", "off, report or require", default: "off",
            "Whether devices are asked to prove that they are genuine, and whether one that can't is talked to."
        ) { $0.authentication = try $1.choice() },
        ConfigurationKey(
            "authentication.roots_file", "path or null", default: "null",
            "PEM file of the certificates that devices' chains must lead to; null only compares a device's key with its previous one."
        ) { $0.authenticationRoots = try $1.optional { try $0.text(maximumBytes: 4096) } },
        ConfigurationKey(
            "devices", "list of `{device, aliases, area, inactive_input_is_off}`", default: "[]",
            "What is chosen for single devices, each named by id, slug or name; in the file only.", isList: true
        ) { $0.devices = try $1.configuredDevices() },
    ]

    private static let commands = [
        ConfigurationKey(
            "commands.volume_scale", "percent or unit", default: "percent",
            "What `0.34` on `set/volume` is: refused, since it may be meant as either, or a level like `34%`."
        ) { $0.commands.volumeScale = try $1.choice() },
        ConfigurationKey(
            "commands.strict", "true or false", default: "false",
            "Whether `next` and `previous` are refused while a device doesn't announce them."
        ) { $0.commands.isStrict = try $1.flag() },
        ConfigurationKey(
            "commands.check_failed_loads", "true or false", default: "true",
            "Whether the bridge fetches the beginning of what a failed load named, to find out why, and obeys `cmd/check`."
        ) { $0.commands.checksLoads = try $1.flag() },
        ConfigurationKey("commands.fan_out", "true or false", default: "false", "Whether commands to `<base>/all` are obeyed.") {
            $0.commands.isFanOutEnabled = try $1.flag()
        },
        ConfigurationKey(
            "commands.applications", "list of `{name, id}` or `name=id`", default: "[]",
            "Names of your own for applications, for `launch`, `set/app` and `app`; they win over the well-known ones.",
            isList: true
        ) { $0.commands.applications = try $1.list { try $0.application() } },
        ConfigurationKey(
            "commands.custom_namespaces", "list of globs", default: "[]",
            "Namespaces of applications that may be spoken over MQTT, below `ns/`. Google's own only when listed without a wildcard.",
            isList: true
        ) { $0.commands.namespaces = NamespacePolicy(try $1.list { try $0.namespacePattern() }) },
        ConfigurationKey(
            "commands.allow_raw", "true or false", default: "false",
            "Whether `media_request`, `receiver_request` and `raw` are carried out: any client that may send commands can then do anything to a device."
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
            "The picture while a device has none, which Home Assistant fetches; null makes the entity *Artwork* unavailable then."
        ) { $0.homeAssistant.placeholderImage = try $1.optional { try $0.webAddress() } },
        ConfigurationKey(
            "home_assistant.support_url", "web address or null", default: "null",
            "A page with help of yours, named as the origin of the devices; null names none."
        ) { $0.homeAssistant.supportURL = try $1.optional { try $0.webAddress() } },
        ConfigurationKey(
            "home_assistant.media_player_compat", "off or mqtt_media_player", default: "off",
            "Whether the custom integration mqtt_media_player gets announcements of its own."
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
        ConfigurationKey("log.format", "text or json", default: "text", "Lines for people, or JSON lines for programs.") {
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

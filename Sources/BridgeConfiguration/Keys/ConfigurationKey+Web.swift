import BridgeCore

extension ConfigurationKey {
    static let media = [
        ConfigurationKey(
            "media.listen", "list of `address:port` or `[address]:port`", default: "[]",
            "The addresses at which devices get your own files, and speech and subtitles of the bridge. Without one none are served.",
            isList: true
        ) { $0.media.listen = try $1.list(maximumCount: 16) { try $0.listenAddress() } },
        ConfigurationKey(
            "media.folders", "mapping of a name to an absolute path, or list of `name=path`", default: "{}",
            "The folders whose media commands can load, like `films/night-ferry.mp4`; at most 32.", isList: true
        ) { $0.media.folders = try $1.mediaFolders() },
        ConfigurationKey(
            "media.advertise", "`host`, `host:port` or null", default: "null",
            "The host, and the port if it differs, that devices are given; null is the address of the interface by which a device is reached."
        ) { $0.media.advertise = try $1.optional { try $0.hostName() } },
        .path(
            "media.uploads.folder", \.media.uploads.folder,
            "The folder for files that people send from the page, and for nothing else; null is a folder in the state directory."),
        ConfigurationKey(
            "media.uploads.file_bytes", "whole number of bytes, 0 to 100000000000", default: "200000000",
            "The largest file that people may send; 0 takes none."
        ) { $0.media.uploads.fileByteLimit = try $1.integer(0...100_000_000_000) },
        ConfigurationKey(
            "media.uploads.total_bytes", "whole number of bytes, 0 to 10000000000000", default: "2000000000",
            "The bytes of all sent files together; the oldest make room."
        ) { $0.media.uploads.byteLimit = try $1.integer(0...10_000_000_000_000) },
        ConfigurationKey(
            "media.uploads.files", "whole number, 1 to 1000", default: "100",
            "The number of sent files that are kept; the oldest make room."
        ) { $0.media.uploads.countLimit = try $1.integer(1...1000) },
        ConfigurationKey(
            "media.uploads.days", "whole number of days, 1 to 3650", default: "7", "After how many days a sent file is removed."
        ) { $0.media.uploads.days = try $1.integer(1...3650) },
    ]

    static let presets = [
        ConfigurationKey(
            "presets", "mapping of a name to what `cmd/load` takes, or list of `name=url`", default: "{}",
            "What `cmd/preset` plays, also with `volume` and `image`; at most \(Presets.maximumCount). Those that were chosen at run time are added.",
            isList: true
        ) { try $1.presets(into: &$0.presets) }
    ]

    /// The keys of `web` and `metrics`.
    static let web = Self.webServer + Self.webPage

    private static let webServer = [
        ConfigurationKey(
            "web.listen", "list of `address:port` or `[address]:port`", default: "[]",
            "The addresses at which the web page and its API listen. Without one they are off. Open to the network, it is closed until a password is chosen.",
            isList: true
        ) { $0.web.listen = try $1.list(maximumCount: 16) { try $0.listenAddress() } },
        ConfigurationKey(
            "web.names", "list of `host` or `host:port`", default: "[]",
            "Host names of the page, besides the addresses of its listeners.", isList: true
        ) { $0.web.names = try $1.list(maximumCount: 64) { try $0.hostName() } },
        ConfigurationKey(
            "web.trusted_proxies", "list of addresses or networks", default: "[]",
            "Addresses of reverse proxies whose `X-Forwarded-…` and `X-Ingress-Path` headers apply.", isList: true
        ) { $0.web.trustedProxies = try $1.list(maximumCount: 64) { try $0.addressRange() } },
        Self.choice(
            "web.ingress_role", \.web.ingressRole,
            "The role of users whom Home Assistant forwards from its sidebar: it does not say which user it is."),
        ConfigurationKey(
            "web.frame_origins", "list of origins", default: "[]",
            "Pages that may show `/mini` in a frame, like `https://panel.lan:8123`.", isList: true
        ) { $0.web.frameOrigins = try $1.list(maximumCount: 16) { try $0.origin() } },
        Self.password(
            .view,
            "The hash of the password of the role `view`, which sees everything and changes nothing; made by `cast2mqtt hash-password`."),
        Self.password(.control, "The hash of the password of the role `control`, which also sends commands to devices."),
        Self.password(.admin, "The hash of the password of the role `admin`, which may do everything."),
        ConfigurationKey(
            "web.tokens", "list of `{name, role, hash}` or `name:role:hash`", default: "[]",
            "Tokens for programs that call the API; made by `cast2mqtt make-token`.", isList: true
        ) { $0.web.tokens = try $1.accessTokens() },
        Self.path(
            "web.tls.certificate_file", \.web.certificateFile,
            "PEM file of the page's certificate and its chain; with it the page is served over https only."),
        Self.path("web.tls.key_file", \.web.keyFile, "PEM file of that certificate's key."),
    ]

    private static func password(_ role: WebRole, _ meaning: String) -> ConfigurationKey {
        ConfigurationKey("web.passwords.\(role.rawValue)", "hash of a password, or null", default: "null", meaning) {
            $0.web.passwords[role] = try $1.optional {
                try $0.parsed("the hash that cast2mqtt hash-password prints, never the password itself") { PasswordHash($0) }
            }
        }
    }

    private static let webPage = [
        ConfigurationKey("web.page.title", "text", default: "Cast", "The title of the page.") {
            $0.web.page.title = try $1.text(maximumBytes: 100)
        },
        Self.choice("web.page.language", \.web.page.language, "The page's language; auto is the browser's."),
        Self.flag(
            "web.page.introduction.enabled", \.web.page.introduction.isEnabled,
            "Whether the page shows each new browser where the Cast button is."),
        Self.text("web.page.introduction.text", 500, \.web.page.introduction.text, "Its text; null is the page's own text."),
        Self.text("web.page.introduction.title", 100, \.web.page.introduction.title, "Its title; null is the page's own."),
        Self.choice("web.page.introduction.title_position", \.web.page.introduction.titlePosition, "The position of the title."),
        Self.text("web.page.introduction.dismiss", 50, \.web.page.introduction.dismiss, "The label of its button; null is the page's own."),
        ConfigurationKey(
            "web.page.mini_slots", "list of 3 buttons", default: "[none, play_pause, none]",
            "The buttons of the mini controller: none, play_pause, skip_previous, skip_next, rewind_30, forward_30, mute, closed_captions or custom:name.",
            isList: true
        ) { $0.web.page.miniSlots = try $1.slots(3) },
        ConfigurationKey(
            "web.page.expanded_slots", "list of 4 buttons", default: "[closed_captions, rewind_30, forward_30, mute]",
            "The buttons of the expanded controller, two left and two right of play and pause.", isList: true
        ) { $0.web.page.expandedSlots = try $1.slots(4) },
        Self.flag("web.page.opens_expanded", \.web.page.opensExpanded, "Whether the expanded controller opens after a load from the page."),
        ConfigurationKey(
            "web.page.custom_buttons", "mapping of a name to `{icon, label, command, payload}`", default: "{}",
            "Buttons for slots that send a command to the device; in the file only."
        ) { $0.web.page.customButtons = try $1.customButtons() },
        ConfigurationKey(
            "web.page.theme", "mapping", default: "{}", "Colours, font and corners of the page; in the file only."
        ) { $0.web.page.theme = try $1.theme() },
        ConfigurationKey(
            "metrics.listen", "list of `address:port` or `[address]:port`", default: "[]",
            "The addresses at which `/metrics`, `/health` and `/ready` are served without a login. Without one they are off.", isList: true
        ) { $0.metrics.listen = try $1.list(maximumCount: 16) { try $0.listenAddress() } },
    ]
}

import BridgeCore

extension ConfigurationKey {
    static let media = [
        Self.listeners(
            "media.listen", \.media.listen,
            "The addresses at which devices get your own files, and speech and subtitles of the bridge. Without one none are served."),
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
        Self.integer(
            "media.uploads.file_bytes", 0...100_000_000_000, of: "bytes", \.media.uploads.fileByteLimit,
            "The largest file that people may send; 0 takes none."),
        Self.integer(
            "media.uploads.total_bytes", 0...10_000_000_000_000, of: "bytes", \.media.uploads.byteLimit,
            "The bytes of all sent files together; the oldest make room."),
        Self.integer(
            "media.uploads.files", 1...1000, \.media.uploads.countLimit, "The number of sent files that are kept; the oldest make room."),
        Self.integer(
            "media.uploads.days", 1...3650, of: "days", \.media.uploads.days, "After how many days a sent file is removed."),
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
        Self.listeners(
            "web.listen", \.web.listen,
            "The addresses at which the web page and its API listen. Without one they are off. Open to the network, it is closed until a password is chosen."
        ),
        Self.list(
            "web.names", of: "`host` or `host:port`", limit: 64, \.web.names, { try $0.hostName() },
            "Host names of the page, besides the addresses of its listeners."),
        Self.list(
            "web.trusted_proxies", of: "addresses or networks", limit: 64, \.web.trustedProxies, { try $0.addressRange() },
            "Addresses of reverse proxies whose `X-Forwarded-…` and `X-Ingress-Path` headers apply."),
        Self.choice(
            "web.ingress_role", \.web.ingressRole,
            "The role of users whom Home Assistant forwards from its sidebar: it does not say which user it is."),
        Self.list(
            "web.frame_origins", of: "origins", limit: 16, \.web.frameOrigins, { try $0.origin() },
            "Pages that may show `/mini` in a frame, like `https://panel.lan:8123`."),
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
        Self.listeners(
            "metrics.listen", \.metrics.listen,
            "The addresses at which `/metrics`, `/health` and `/ready` are served without a login. Without one they are off."),
    ]

    private static func listeners(_ path: String, _ property: Property<[ListenAddress]>, _ meaning: String) -> Self {
        Self.list(path, of: "`address:port` or `[address]:port`", limit: 16, property, { try $0.listenAddress() }, meaning)
    }
}

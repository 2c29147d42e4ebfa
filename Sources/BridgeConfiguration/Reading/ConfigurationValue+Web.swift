import BridgeCore
import CastModels

extension ConfigurationValue {
    func listenAddress() throws(ValueProblem) -> ListenAddress {
        try self.parsed("an address and a port, like 127.0.0.1:8099, 0.0.0.0:8099 or [::1]:8099") { ListenAddress($0) }
    }

    /// Returns the members of a mapping, or of a list of `name=value`.
    private func named(_ what: String, maximumCount: Int) throws -> [(key: String, value: Self)] {
        if case .mapping(let own) = self.form { return own }
        return try self.list(maximumCount: maximumCount) { value in
            let parts = try value.plainText(what).split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw value.wanted(what) }
            return (parts[0], Self(form: .text(parts[1]), line: value.line))
        }
    }

    /// Adds presets by their names, `{name: {url: …}}` or `{name: url}`; those of weaker places with other names stay.
    func presets(into presets: inout Presets) throws {
        for (name, value) in try self.named("names of presets, each with what it plays", maximumCount: Presets.maximumCount) {
            let json = value.json(SecretRedaction(isEnabled: false))
            do throws(CommandRejection) {
                guard presets.set(try Preset(name, json.objectValue ?? ["url": json])) else {
                    throw CommandRejection(.badPayload, "at most \(Presets.maximumCount) presets")
                }
            } catch {
                throw ValueProblem(message: "has a mistake in \(name.shortened(to: 80)): \(error.message)", line: value.line)
            }
        }
    }

    /// Folders by their names, `{name: path}`, or as `name=path` each.
    func mediaFolders() throws -> [MediaFolder] {
        let what = "names of 1 to 40 letters, digits, -, _ and ., each with an absolute path, at most \(MediaFolder.maximumCount)"
        let members = try self.named(what, maximumCount: MediaFolder.maximumCount)
        let folders = try members.map { name, value in
            let path = try value.text(maximumBytes: 4096), name = try Self(form: .text(name), line: value.line).name(maximumLength: 40)
            guard path.hasPrefix("/"), MediaPath.isName(name) else { throw value.wanted(what) }
            return MediaFolder(name: name, path: path)
        }
        guard folders.count <= MediaFolder.maximumCount, Set(folders.map(\.name)).count == folders.count else { throw self.wanted(what) }
        return folders
    }

    func hostName() throws(ValueProblem) -> HostName {
        try self.parsed("a host name or address with an optional port, without scheme") { HostName($0) }
    }

    func addressRange() throws(ValueProblem) -> AddressRange {
        try self.parsed("an address like 172.30.32.2, or a network like 192.168.0.0/16, not one that contains every address") { text in
            AddressRange(text).flatMap { $0.prefixLength > 0 ? $0 : nil }
        }
    }

    /// Scheme, host and an optional port, as browsers send it.
    func origin() throws(ValueProblem) -> String {
        try self.parsed("an origin like https://panel.lan:8123, without a path") { text in
            let text = text.lowercased()
            let scheme = ["https://", "http://"].first { text.hasPrefix($0) }
            return scheme.flatMap { scheme in HostName(text.dropFirst(scheme.utf8.count)).map { scheme + $0.description } }
        }
    }

    /// The entries of `web.tokens`, with names of their own.
    func accessTokens() throws -> [AccessToken] {
        var names: Set<String> = []
        return try self.list(maximumCount: 64) { value in
            let token = try value.accessToken()
            guard names.insert(token.name).inserted else { throw ValueProblem(message: "has one name twice", line: value.line) }
            return token
        }
    }

    private func accessToken() throws -> AccessToken {
        let what = "the lines that cast2mqtt make-token prints: name, role (view, control or admin) and hash"
        var parts: [String: ConfigurationValue] = [:]
        switch self.form {
        case .mapping(let members):
            for (key, value) in members {
                guard ["name", "role", "hash"].contains(key) else {
                    throw ValueProblem(message: "has an unknown key in an entry; use name, role and hash", line: value.line)
                }
                parts[key] = value
            }
        default:
            let words = try self.plainText(what).split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard words.count == 3 else { throw self.wanted(what) }
            for (key, word) in zip(["name", "role", "hash"], words) { parts[key] = ConfigurationValue(form: .text(word), line: self.line) }
        }
        guard let name = parts["name"], let role = parts["role"], let hash = parts["hash"],
            let digest = HexadecimalText.bytes(try hash.plainText(what)),
            let token = AccessToken(name: try name.name(maximumLength: 40), role: try role.choice(), digest: digest)
        else { throw self.wanted(what) }
        return token
    }

    func slots(_ count: Int) throws -> [PageSlot] {
        let words = PageSlot.words.map(\.word).joined(separator: ", ")
        let slots: [PageSlot] = try self.list { try $0.parsed("one of \(words), or custom:name") { PageSlot($0) } }
        guard slots.count == count else { throw self.wanted("a list of \(count) buttons") }
        return slots
    }

    func customButtons() throws -> [PageButton] {
        let members = try self.members("buttons by their names, each with icon, label and command; in the file only")
        guard members.count <= 16 else { throw self.wanted("at most 16 buttons") }
        return try members.map { name, value in
            guard PageButton.isName(name) else {
                throw ValueProblem(message: "has a name that must be 1 to 40 of the characters a-z, 0-9, _ and -", line: value.line)
            }
            return try value.customButton(name)
        }
    }

    private func customButton(_ name: String) throws -> PageButton {
        var texts: [String: String] = [:]
        for (key, value) in try self.members("a button with icon, label, command and payload") {
            switch key {
            case "icon":
                let icon = try value.plainText("the name of an icon")
                guard PageButton.isName(icon) else { throw value.wanted("the name of an icon, of the characters a-z, 0-9, _ and -") }
                texts[key] = icon
            case "label": texts[key] = try value.text(maximumBytes: 100)
            case "command":
                let command = try value.topic()
                guard ["cmd/", "set/"].contains(where: { command.hasPrefix($0) }) else {
                    throw value.wanted("a command topic below the device, like cmd/launch or set/volume")
                }
                texts[key] = command
            case "payload": texts[key] = try value.optional { try $0.text(maximumBytes: 8192) } ?? ""
            default:
                throw ValueProblem(message: "has an unknown key in a button; use icon, label, command and payload", line: value.line)
            }
        }
        guard let label = texts["label"], let command = texts["command"] else {
            throw ValueProblem(message: "needs label and command in every button", line: self.line)
        }
        return PageButton(name: name, icon: texts["icon"] ?? "info", label: label, command: command, payload: texts["payload"] ?? "")
    }

    func theme() throws -> PageTheme {
        let widgets = PageTheme.Widget.allCases.map(\.rawValue).joined(separator: ", ")
        var theme = PageTheme()
        for (key, value) in try self.members("colours, font and radius by their names; in the file only") {
            switch key {
            case "light": theme.light = try value.style()
            case "dark": theme.dark = try value.style()
            default:
                if let widget = PageTheme.Widget(rawValue: key) {
                    theme.widgets[widget] = try value.style()
                } else if try !value.apply(key, to: &theme.base) {
                    throw ValueProblem(
                        message: "has an unknown key; use accent, background, surface, text, font, radius, light, dark, \(widgets)",
                        line: value.line)
                }
            }
        }
        return theme
    }

    private func style() throws -> PageTheme.Style {
        var style = PageTheme.Style()
        for (key, value) in try self.members("colours, font and radius by their names") {
            guard try value.apply(key, to: &style) else {
                throw ValueProblem(
                    message: "has an unknown key in a part; use accent, background, surface, text, font and radius", line: value.line)
            }
        }
        return style
    }

    /// - Returns: whether the style has such a member.
    private func apply(_ key: String, to style: inout PageTheme.Style) throws -> Bool {
        if let color = PageTheme.Style.colors.first(where: { $0.name == key }) {
            style[keyPath: color.property] = try self.optional { try $0.color() }
        } else if key == "font" {
            style.font = try self.optional { try $0.fontName() }
        } else if key == "radius" {
            style.radius = try self.optional { try $0.integer(0...64) }
        } else {
            return false
        }
        return true
    }

    /// Names of fonts, without what would end a value of CSS.
    private func fontName() throws(ValueProblem) -> String {
        let what = "names of fonts, of letters, digits, spaces, commas, quotes and -"
        let text = try self.text(maximumBytes: 200)
        let isPlain = text.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || (0x30...0x39).contains($0.value) || " ,'\"-_".unicodeScalars.contains($0)
        }
        guard isPlain else { throw self.wanted(what) }
        return text
    }

    private func members(_ what: String) throws(ValueProblem) -> [(key: String, value: ConfigurationValue)] {
        switch self.form {
        case .mapping(let members): return members
        case .null: return []
        case .text, .list: throw self.wanted(what)
        }
    }
}

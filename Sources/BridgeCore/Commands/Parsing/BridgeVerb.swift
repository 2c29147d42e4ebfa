import CastModels

/// The verbs below `bridge/request/`.
public enum BridgeVerb: String, Sendable, Hashable, CaseIterable {
    case healthCheck = "health_check"
    case discover
    case republish
    case snapshot
    case logLevel = "log_level"
    case reload, restart
    case addDevice = "device/add"
    case renameDevice = "device/rename"
    case deviceOptions = "device/options"
    case removeDevice = "device/remove"
    case cleanTopics = "topics/clean"
    case browseMedia = "media/browse"
    case searchMedia = "media/search"
    case setPreset = "preset/set"
    case removePreset = "preset/remove"
    case homeAssistantMode = "home_assistant/mode"
}

/// A command to the bridge. Devices are named by slug, id, alias or, while they are not connected, by what the record contains.
public enum BridgeCommand: Sendable, Hashable {
    case healthCheck, discover, republish, snapshot
    /// Changes the given settings; without any, only returns the current ones.
    case logLevel(LogLevels)
    /// Read the configuration again, and apply what needs no restart.
    case reload
    /// Stop, and start again with the configuration read again.
    case restart
    /// Find out which device has this address, and add it.
    case addDevice(DeviceEndpoint)
    /// `nil` derives the slug from the device's name again.
    case renameDevice(String, slug: String?)
    case deviceOptions(String, DevicePreferenceChanges)
    case removeDevice(String, KnownDevice.Removal)
    /// Look for stale retained topics; clear them only if `apply` is set.
    case cleanTopics(apply: Bool)
    /// A page of what can be played, from this entry on.
    case browseMedia(MediaPlace, offset: Int)
    /// A page of all whose names have the words of a query.
    case searchMedia(String, offset: Int)
    /// Keep a preset under its name; `nil` forgets the one with this name.
    case preset(String, JSONObject?)
    /// Announce to Home Assistant in this form, `device` or `companion`.
    case homeAssistantMode(HomeAssistantOptions.Mode)

    /// Whether it is about the process, so that the standby of a pair carries it out, too.
    public var isForStandby: Bool {
        switch self {
        case .healthCheck, .discover, .snapshot, .logLevel, .reload, .restart: true
        default: false
        }
    }

    /// Where media are listed.
    public enum MediaPlace: Sendable, Hashable {
        /// `nil` lists `media.folders`.
        case folder(MediaPath?)
        case presets, recents
    }

    /// The changes of `log_level`.
    public struct LogLevels: Sendable, Hashable {
        public var level: LogLevel?
        public var filters: [LogFilter]?
        /// The lowest level that is published on `bridge/log`.
        public var publish: PublishedLogLevel?

        public init(level: LogLevel? = nil, filters: [LogFilter]? = nil, publish: PublishedLogLevel? = nil) {
            (self.level, self.filters, self.publish) = (level, filters, publish)
        }
    }
}

/// The changes of `device/options`: each choice is kept, set, or reset to the configuration.
public struct DevicePreferenceChanges: Sendable, Hashable {
    public enum Change<Value: Sendable & Hashable>: Sendable, Hashable {
        case keep, reset
        case set(Value)

        func apply(to value: inout Value?) {
            switch self {
            case .keep: break
            case .reset: value = nil
            case .set(let new): value = new
            }
        }
    }

    public var aliases: Change<[String]>
    public var area: Change<String>
    public var inactiveInputIsOff: Change<Bool>
    public var maximumVolume: Change<Int> = .keep

    public init(aliases: Change<[String]> = .keep, area: Change<String> = .keep, inactiveInputIsOff: Change<Bool> = .keep) {
        (self.aliases, self.area, self.inactiveInputIsOff) = (aliases, area, inactiveInputIsOff)
    }

    public func apply(to preferences: inout DevicePreferences) {
        self.aliases.apply(to: &preferences.aliases)
        self.area.apply(to: &preferences.area)
        self.inactiveInputIsOff.apply(to: &preferences.inactiveInputIsOff)
        self.maximumVolume.apply(to: &preferences.maximumVolume)
    }
}

extension BridgeVerb {
    /// Returns the command for these arguments.
    /// - Parameter id: the sender's `id`. It is the device's id when an object has no member `device`.
    func command(_ arguments: CommandArguments, id: CommandID?) throws(CommandRejection) -> BridgeCommand {
        switch self {
        case .healthCheck: try arguments.expectNone(for: self.rawValue); return .healthCheck
        case .discover: try arguments.expectNone(for: self.rawValue); return .discover
        case .republish: try arguments.expectNone(for: self.rawValue); return .republish
        case .snapshot: try arguments.expectNone(for: self.rawValue); return .snapshot
        case .reload: try arguments.expectNone(for: self.rawValue); return .reload
        case .restart: try arguments.expectNone(for: self.rawValue); return .restart
        case .logLevel: return .logLevel(try self.logLevels(arguments))
        case .addDevice: return .addDevice(try self.endpoint(arguments))
        case .renameDevice:
            var reader = try self.reader(arguments)
            let device = try self.device(&reader, id)
            var slug: String?
            if let text = try reader.text("slug", maximumBytes: 64) {
                guard Slug.isValid(text) else {
                    throw reader.wrong("slug", "1 to 64 of the characters a-z, 0-9 and -, and none of the words that topics need")
                }
                slug = text
            }
            try reader.finish()
            return .renameDevice(device, slug: slug)
        case .deviceOptions:
            var reader = try self.reader(arguments)
            let device = try self.device(&reader, id)
            let changes = try Self.preferences(&reader)
            try reader.finish()
            return .deviceOptions(device, changes)
        case .removeDevice:
            if case .text(let text) = arguments { return .removeDevice(text, .keepingSlug) }
            var reader = try self.reader(arguments)
            let device = try self.device(&reader, id)
            let forgets = try reader.bool("forget") ?? false
            try reader.finish()
            return .removeDevice(device, forgets ? .forgetting : .keepingSlug)
        case .cleanTopics:
            guard case .json(.object) = arguments else {
                try arguments.expectNone(for: self.rawValue)
                return .cleanTopics(apply: false)
            }
            var reader = try self.reader(arguments)
            let applies = try reader.bool("apply") ?? false
            try reader.finish()
            return .cleanTopics(apply: applies)
        case .browseMedia:
            if case .none = arguments { return .browseMedia(.folder(nil), offset: 0) }
            var reader = try self.reader(arguments)
            let list = try reader.text("list")
            let places: [String?: BridgeCommand.MediaPlace] = ["presets": .presets, "recents": .recents]
            guard list == nil || places[list] != nil else { throw reader.wrong("list", "presets or recents") }
            if list != nil, reader.has("path") { throw reader.wrong("path", "left out beside list") }
            let text = try reader.text("path", maximumBytes: MediaPath.maximumBytes)
            let path = text.flatMap { MediaPath($0) }
            if text != nil, path == nil { throw reader.wrong("path", "a folder of media.folders, like films/series") }
            let offset = try reader.integer("offset", in: 0...1_000_000) ?? 0
            try reader.finish()
            return .browseMedia(places[list] ?? .folder(path), offset: offset)
        case .setPreset:
            guard case .json(.object(var object)) = arguments, let name = object["name"]?.stringValue else {
                throw CommandRejection(.badPayload, "preset/set needs an object with name and what to play.")
            }
            object["name"] = nil
            _ = try Preset(name, object)
            return .preset(name, object)
        case .removePreset:
            var reader = try arguments.reader("name", of: self.rawValue)
            guard let name = try reader.text("name") else { throw reader.wrong("name", "given") }
            try reader.finish()
            return .preset(name, nil)
        case .homeAssistantMode:
            var reader = try arguments.reader("mode", of: self.rawValue)
            let mode = try reader.text("mode").flatMap { HomeAssistantOptions.Mode(rawValue: $0.lowercased()) }
            guard let mode, mode.isWhole else { throw reader.wrong("mode", "companion or device") }
            try reader.finish()
            return .homeAssistantMode(mode)
        case .searchMedia:
            var reader = try self.reader(arguments)
            guard let query = try reader.text("query", maximumBytes: 200), !query.trimmedSpace.isEmpty else {
                throw reader.wrong("query", "given: words of a name")
            }
            let offset = try reader.integer("offset", in: 0...1_000_000) ?? 0
            try reader.finish()
            return .searchMedia(query, offset: offset)
        }
    }

    private func reader(_ arguments: CommandArguments) throws(CommandRejection) -> ArgumentReader {
        guard case .json(.object(let object)) = arguments else {
            throw CommandRejection(.badPayload, "\(self.rawValue): the payload must be a JSON object.")
        }
        return ArgumentReader(object, of: self.rawValue)
    }

    private func device(_ reader: inout ArgumentReader, _ id: CommandID?) throws(CommandRejection) -> String {
        if let device = try reader.text("device", maximumBytes: 128) { return device }
        guard case .text(let device) = id else {
            throw CommandRejection(.badPayload, "\(self.rawValue): device is missing: a slug, an id or an alias.")
        }
        return device
    }

    private func endpoint(_ arguments: CommandArguments) throws(CommandRejection) -> DeviceEndpoint {
        let expected = "an address like 192.168.1.31, tv.lan:8009 or [fe80::1%eth0]:8009, or an object with ip and port"
        if case .text(let text) = arguments {
            guard let host = KnownHost(text) else { throw CommandRejection(.badPayload, "\(self.rawValue) needs \(expected).") }
            return host.endpoint
        }
        guard case .json(.object) = arguments else { throw CommandRejection(.badPayload, "\(self.rawValue) needs \(expected).") }
        var reader = try self.reader(arguments)
        guard let host = try reader.text("ip", maximumBytes: 255), DeviceEndpoint.isHost(host) else {
            throw reader.wrong("ip", "an address or a host name")
        }
        let port = try reader.integer("port", in: 1...65_535)
        try reader.finish()
        return port.map { DeviceEndpoint(host: host, port: $0) } ?? DeviceEndpoint(host: host)
    }

    private static func preferences(_ reader: inout ArgumentReader) throws(CommandRejection) -> DevicePreferenceChanges {
        var changes = DevicePreferenceChanges()
        if let elements = try reader.array("aliases", maximumCount: DevicePreferences.maximumAliases) {
            let aliases = elements.compactMap(\.stringValue).filter(DevicePreferences.isAlias)
            guard aliases.count == elements.count, Set(aliases).count == aliases.count else {
                throw reader.wrong("aliases", "different texts of a-z, 0-9 and -, and none of the words that topics need")
            }
            changes.aliases = .set(aliases)
        }
        if let area = try reader.text("area", maximumBytes: DevicePreferences.maximumAreaBytes) { changes.area = .set(area) }
        if let isOff = try reader.bool("inactive_input_is_off") { changes.inactiveInputIsOff = .set(isOff) }
        if let percent = try reader.integer("max_volume", in: 0...100) { changes.maximumVolume = .set(percent) }
        if reader.isNull("max_volume") { changes.maximumVolume = .reset }
        if reader.isNull("aliases") { changes.aliases = .reset }
        if reader.isNull("area") { changes.area = .reset }
        if reader.isNull("inactive_input_is_off") { changes.inactiveInputIsOff = .reset }
        return changes
    }

    /// No argument for the current level, a level, or `{"level":…,"filters":[…],"publish":…}`.
    private func logLevels(_ arguments: CommandArguments) throws(CommandRejection) -> BridgeCommand.LogLevels {
        let levels = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
        switch arguments {
        case .none: return BridgeCommand.LogLevels()
        case .text(let word):
            guard let level = LogLevel(name: word) else { throw CommandRejection(.badPayload, "log_level must be one of \(levels).") }
            return BridgeCommand.LogLevels(level: level)
        case .json(.object(let object)):
            var reader = ArgumentReader(object, of: self.rawValue)
            var changes = BridgeCommand.LogLevels()
            if let word = try reader.text("level") {
                changes.level = LogLevel(name: word)
                if changes.level == nil { throw reader.wrong("level", "one of \(levels)") }
            }
            if let elements = try reader.array("filters", maximumCount: LogFilters.maximumCount) {
                let parsed = elements.compactMap { $0.stringValue.flatMap { LogFilter($0) } }
                guard parsed.count == elements.count else { throw reader.wrong("filters", "an array of texts like \"CastSender.*=debug\"") }
                changes.filters = parsed
            }
            if let word = try reader.text("publish") {
                changes.publish = PublishedLogLevel(rawValue: word.lowercased())
                if changes.publish == nil { throw reader.wrong("publish", "one of \(levels), or off") }
            }
            try reader.finish()
            return changes
        case .json: throw CommandRejection(.badPayload, "log_level must be one of \(levels), or an object with level, filters and publish.")
        }
    }
}

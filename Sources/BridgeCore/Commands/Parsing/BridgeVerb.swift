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
            return try self.read(arguments) { reader throws(CommandRejection) in
                let device = try self.device(&reader, id)
                let expected = "1 to 64 of the characters a-z, 0-9 and -, and none of the words that topics need"
                let slug = try reader.parsed("slug", expected, maximumBytes: 64) { Slug.isValid($0) ? $0 : nil }
                return .renameDevice(device, slug: slug)
            }
        case .deviceOptions:
            return try self.read(arguments) { reader throws(CommandRejection) in
                .deviceOptions(try self.device(&reader, id), try Self.preferences(&reader))
            }
        case .removeDevice:
            if case .text(let text) = arguments { return .removeDevice(text, .keepingSlug) }
            return try self.read(arguments) { reader throws(CommandRejection) in
                .removeDevice(try self.device(&reader, id), try reader.bool("forget") ?? false ? .forgetting : .keepingSlug)
            }
        case .cleanTopics:
            guard case .json(.object) = arguments else {
                try arguments.expectNone(for: self.rawValue)
                return .cleanTopics(apply: false)
            }
            return try self.read(arguments) { reader throws(CommandRejection) in .cleanTopics(apply: try reader.bool("apply") ?? false) }
        case .browseMedia:
            if case .none = arguments { return .browseMedia(.folder(nil), offset: 0) }
            return try self.read(arguments) { reader throws(CommandRejection) in
                let places: [String: BridgeCommand.MediaPlace] = ["presets": .presets, "recents": .recents]
                let list = try reader.parsed("list", "presets or recents") { places[$0] }
                if list != nil, reader.has("path") { throw reader.wrong("path", "left out beside list") }
                let path = try reader.parsed("path", "a folder of media.folders, like films/series", maximumBytes: MediaPath.maximumBytes) {
                    MediaPath($0)
                }
                return .browseMedia(list ?? .folder(path), offset: try Self.offset(&reader))
            }
        case .setPreset:
            guard case .json(.object(var object)) = arguments, let name = object["name"]?.stringValue else {
                throw CommandRejection(.badPayload, "preset/set needs an object with name and what to play.")
            }
            object["name"] = nil
            _ = try Preset(name, object)
            return .preset(name, object)
        case .removePreset: return .preset(try arguments.text("name", of: self.rawValue), nil)
        case .homeAssistantMode:
            return try arguments.read("mode", of: self.rawValue) { reader throws(CommandRejection) in
                let mode = try reader.text("mode").flatMap { HomeAssistantOptions.Mode(rawValue: $0.lowercased()) }
                guard let mode, mode.isWhole else { throw reader.wrong("mode", "companion or device") }
                return .homeAssistantMode(mode)
            }
        case .searchMedia:
            return try self.read(arguments) { reader throws(CommandRejection) in
                guard let query = try reader.text("query", maximumBytes: 200), !query.trimmedSpace.isEmpty else {
                    throw reader.wrong("query", "given: words of a name")
                }
                return .searchMedia(query, offset: try Self.offset(&reader))
            }
        }
    }

    /// Reads an object as a whole.
    private func read<Value>(
        _ arguments: CommandArguments, _ body: (inout ArgumentReader) throws(CommandRejection) -> Value
    ) throws(CommandRejection) -> Value {
        guard case .json(.object(let object)) = arguments else {
            throw CommandRejection(.badPayload, "\(self.rawValue): the payload must be a JSON object.")
        }
        return try ArgumentReader.read(object, of: self.rawValue, body)
    }

    private static func offset(_ reader: inout ArgumentReader) throws(CommandRejection) -> Int {
        try reader.integer("offset", in: 0...1_000_000) ?? 0
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
        if case .text(let text) = arguments, let host = KnownHost(text) { return host.endpoint }
        guard case .json(.object) = arguments else { throw CommandRejection(.badPayload, "\(self.rawValue) needs \(expected).") }
        return try self.read(arguments) { reader throws(CommandRejection) in
            guard let host = try reader.text("ip", maximumBytes: 255), DeviceEndpoint.isHost(host) else {
                throw reader.wrong("ip", "an address or a host name")
            }
            return try reader.integer("port", in: 1...65_535).map { DeviceEndpoint(host: host, port: $0) } ?? DeviceEndpoint(host: host)
        }
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
            changes.level = try reader.parsed("level", "one of \(levels)") { LogLevel(name: $0) }
            if let elements = try reader.array("filters", maximumCount: LogFilters.maximumCount) {
                let parsed = elements.compactMap { $0.stringValue.flatMap { LogFilter($0) } }
                guard parsed.count == elements.count else { throw reader.wrong("filters", "an array of texts like \"CastSender.*=debug\"") }
                changes.filters = parsed
            }
            changes.publish = try reader.parsed("publish", "one of \(levels), or off") { PublishedLogLevel(rawValue: $0.lowercased()) }
            try reader.finish()
            return changes
        case .json: throw CommandRejection(.badPayload, "log_level must be one of \(levels), or an object with level, filters and publish.")
        }
    }
}

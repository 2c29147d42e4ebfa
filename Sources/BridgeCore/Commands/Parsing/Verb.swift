import CastModels

/// The verbs below `cmd/`; they are also the values of `cmd` in the JSON form.
enum Verb: String, CaseIterable {
    case play, pause, stop, next, previous, load, launch, join, leave, show, transfer, check, announce
    case preset, save, recall, sleep, wake
    case presetNext = "preset_next"
    case presetPrevious = "preset_previous"
    case playPause = "play_pause"
    case quitApp = "quit_app"
    case skipAd = "skip_ad"
    case restartItem = "restart_item"
    case volumeUp = "volume_up"
    case volumeDown = "volume_down"
    case groupVolume = "group_volume"
    case queueLoad = "queue_load"
    case queueInsert = "queue_insert"
    case queueUpdate = "queue_update"
    case queueRemove = "queue_remove"
    case queueJump = "queue_jump"
    case queueMove = "queue_move"
    case queueClear = "queue_clear"

    init(_ name: String) throws(CommandRejection) {
        guard let verb = Self(rawValue: name) else { throw CommandParser.unknown("command", name) }
        self = verb
    }

    func command(_ arguments: CommandArguments, _ rules: CommandRules) throws(CommandRejection) -> DeviceCommand {
        switch self {
        case .load: return try LoadArguments.parse(arguments, rules)
        case .launch: return try self.launch(arguments, rules)
        case .show: return try PageArguments.parse(arguments)
        case .check: return .check(try CheckArguments.parse(arguments, rules))
        case .announce: return .announce(try AnnounceArguments.parse(arguments, rules))
        case .preset: return .preset(.named(try arguments.text("name", of: self.rawValue, maximumBytes: Preset.longestName)))
        case .presetNext: return try self.bare(.preset(.step(1)), arguments)
        case .presetPrevious: return try self.bare(.preset(.step(-1)), arguments)
        case .save: return try self.save(arguments)
        case .recall: return .recall(try arguments.text("name", of: self.rawValue, maximumBytes: Preset.longestName))
        case .sleep: return try self.sleep(arguments)
        case .wake: return try self.bare(.wake, arguments)
        case .transfer: return .transfer(to: try arguments.text("to", of: self.rawValue, maximumBytes: 200))
        case .volumeUp: return .set([.volume(try self.volume(arguments, sign: 1))])
        case .volumeDown: return .set([.volume(try self.volume(arguments, sign: -1))])
        case .groupVolume: return .groupVolume(try self.groupVolume(arguments, rules))
        case .queueLoad: return .queue(try QueueArguments.load(arguments, rules))
        case .queueInsert: return .queue(try QueueArguments.insert(arguments))
        case .queueUpdate: return .queue(try QueueArguments.update(arguments))
        case .queueRemove: return .queue(try QueueArguments.remove(arguments))
        case .queueJump: return .queue(try QueueArguments.jump(arguments))
        case .queueMove: return .queue(try QueueArguments.move(arguments))
        case .queueClear: return .queue(try QueueArguments.clear(arguments))
        case .play: return try self.bare(.play, arguments)
        case .pause: return try self.bare(.pause, arguments)
        case .playPause: return try self.bare(.playPause, arguments)
        case .stop: return try self.bare(.stop, arguments)
        case .next: return try self.bare(.next, arguments)
        case .previous: return try self.bare(.previous, arguments)
        case .quitApp: return try self.bare(.quitApp, arguments)
        case .join: return try self.bare(.join, arguments)
        case .leave: return try self.bare(.leave, arguments)
        case .skipAd: return try self.bare(.skipAd, arguments)
        case .restartItem: return try self.bare(.restartItem, arguments)
        }
    }

    private func bare(_ command: DeviceCommand, _ arguments: CommandArguments) throws(CommandRejection) -> DeviceCommand {
        try arguments.expectNone(for: self.rawValue)
        return command
    }

    /// An app id or a known app's name, bare or as `{"app":…}` with options; without one the default application.
    private func launch(_ arguments: CommandArguments, _ rules: CommandRules) throws(CommandRejection) -> DeviceCommand {
        var text: String?
        var options = rules.launchOptions
        switch arguments {
        case .text(let name): text = name
        case .json(.object(let object)):
            (text, options) = try ArgumentReader.read(object, of: self.rawValue) { reader throws(CommandRejection) in
                (try reader.text("app"), try LaunchArguments.options(&reader, rules))
            }
        case .none: break
        case .json: throw CommandRejection(.badPayload, "launch takes an app id or a known app's name, or an object.")
        }
        guard let id = text.map(rules.applications.id(for:)) ?? rules.defaultApplication else {
            throw CommandRejection(.badPayload, "launch: app \"\(text?.shortened ?? "")\" is neither an app id nor a known app's name.")
        }
        return .launch(applicationID: id, options: options)
    }

    /// A name, bare or as `{"name":…}`; with `"forget":true` what is saved under it is forgotten.
    private func save(_ arguments: CommandArguments) throws(CommandRejection) -> DeviceCommand {
        try arguments.read("name", of: self.rawValue) { reader throws(CommandRejection) in
            guard let name = try reader.text("name", maximumBytes: Preset.longestName) else { throw reader.wrong("name", "given") }
            return .save(name, forgets: try reader.bool("forget") ?? false)
        }
    }

    /// Minutes, bare or as `{"minutes":…}`; 0 and `off` end it.
    private func sleep(_ arguments: CommandArguments) throws(CommandRejection) -> DeviceCommand {
        try arguments.read("minutes", of: self.rawValue) { reader throws(CommandRejection) in
            let given = reader.take("minutes")
            let minutes = given?.stringValue.map { $0.lowercased() == "off" ? 0 : PlainValue.number($0.trimmedSpace) } ?? given?.doubleValue
            guard let minutes, (0...Sleep.longest).contains(minutes) else {
                throw reader.wrong("minutes", "0 to \(Int(Sleep.longest)), or off")
            }
            return .sleep(minutes == 0 ? nil : .seconds(minutes * 60))
        }
    }

    /// A percentage, absolute or relative, or `{"volume":…}`.
    private func groupVolume(_ arguments: CommandArguments, _ rules: CommandRules) throws(CommandRejection) -> RequestedVolume {
        let scale = rules.options.volumeScale
        switch arguments {
        case .text(let text): return try PlainValue.volume(text.trimmedSpace, of: self.rawValue, scale: scale)
        case .json(.object(let object)):
            return try ArgumentReader.read(object, of: self.rawValue) { reader throws(CommandRejection) in
                guard let value = reader.take("volume") else { throw reader.wrong("volume", "given") }
                return try PlainValue.volume(value, scale: scale)
            }
        case .json(let value): return try PlainValue.volume(value, of: self.rawValue, scale: scale)
        case .none: throw CommandRejection(.badPayload, "group_volume needs a percentage.")
        }
    }

    /// No argument for the device's own step, a percentage, or `{"step":…}`.
    private func volume(_ arguments: CommandArguments, sign: Int) throws(CommandRejection) -> RequestedVolume {
        var step: JSONValue?
        switch arguments {
        case .none: break
        case .text(let text): step = .string(text)
        case .json(.object(let object)):
            step = try ArgumentReader.read(object, of: self.rawValue) { $0.take("step") }
        case .json(let value): step = value
        }
        guard let step else { return RequestedVolume(steps: sign) }
        return RequestedVolume(points: Double(sign) * (try PlainValue.step(step)))
    }
}

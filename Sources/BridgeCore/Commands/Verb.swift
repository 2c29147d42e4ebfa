import CastModels

/// The verbs below `cmd/`; the same words are the `cmd` of the JSON form.
enum Verb: String {
    case play, pause, stop, next, previous, load, launch
    case playPause = "play_pause"
    case quitApp = "quit_app"
    case volumeUp = "volume_up"
    case volumeDown = "volume_down"

    init(_ name: String) throws(CommandRejection) {
        guard let verb = Self(rawValue: name) else { throw CommandParser.unknown("command", name) }
        self = verb
    }

    func command(_ arguments: CommandArguments) throws(CommandRejection) -> DeviceCommand {
        switch self {
        case .load: return .load(try LoadArguments.parse(arguments))
        case .launch: return .launch(applicationID: try self.application(arguments))
        case .volumeUp: return .set(PropertyChanges(volume: try self.volume(arguments, sign: 1)))
        case .volumeDown: return .set(PropertyChanges(volume: try self.volume(arguments, sign: -1)))
        case .play: try arguments.expectNone(for: self.rawValue); return .play
        case .pause: try arguments.expectNone(for: self.rawValue); return .pause
        case .playPause: try arguments.expectNone(for: self.rawValue); return .playPause
        case .stop: try arguments.expectNone(for: self.rawValue); return .stop
        case .next: try arguments.expectNone(for: self.rawValue); return .next
        case .previous: try arguments.expectNone(for: self.rawValue); return .previous
        case .quitApp: try arguments.expectNone(for: self.rawValue); return .quitApp
        }
    }

    /// An app id or a known app's name, bare or as `{"app":…}`.
    private func application(_ arguments: CommandArguments) throws(CommandRejection) -> String {
        var text: String?
        switch arguments {
        case .text(let name): text = name
        case .json(.object(let object)):
            var reader = ArgumentReader(object, of: self.rawValue)
            text = try reader.text("app")
            try reader.finish()
        case .none, .json: break
        }
        guard let text else { throw CommandRejection(.badPayload, "launch needs an app id or a known app's name.") }
        guard let id = Application.id(for: text) else {
            throw CommandRejection(.badPayload, "launch: \"\(text.shortened)\" is neither an app id nor a known app's name.")
        }
        return id
    }

    /// Nothing for the device's own step, a percentage, or `{"step":…}`.
    private func volume(_ arguments: CommandArguments, sign: Int) throws(CommandRejection) -> VolumeChange {
        var step: JSONValue?
        switch arguments {
        case .none: break
        case .text(let text): step = .string(text)
        case .json(.object(let object)):
            var reader = ArgumentReader(object, of: self.rawValue)
            step = reader.take("step")
            try reader.finish()
        case .json(let value): step = value
        }
        guard let step else { return VolumeChange(steps: sign) }
        return VolumeChange(points: Double(sign) * (try PlainValue.step(step)))
    }
}

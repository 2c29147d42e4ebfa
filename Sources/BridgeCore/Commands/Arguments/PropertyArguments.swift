import CastModels

enum PropertyArguments {
    /// The `<name>`s of `set/<name>`, in the order in which they are read.
    static let names = [
        "volume", "volume_level", "group_device_volume", "muted", "app", "repeat", "shuffle", "rate", "stream_volume", "stream_muted",
        "audio_track", "video_track", "text_track", "active_tracks", "text_style", "position", "position_percent",
    ]

    /// One property from a plain payload; a style from an object.
    static func parse(_ name: String, _ arguments: CommandArguments, _ rules: CommandRules) throws(CommandRejection) -> [PropertyChange] {
        switch arguments {
        case .text(let text) where name != "text_style": return [try self.read(name, .string(text), rules)]
        case .json(.object(let style)) where name == "text_style": return try self.parse([name: .object(style)], rules)
        case .json(.array(let ids)) where name == "active_tracks": return try self.parse([name: .array(ids)], rules)
        case .none where name != "text_style": throw CommandRejection(.badPayload, "set/\(name) needs a value.")
        case .text, .json, .none:
            let what = name == "text_style" ? "a JSON object" : "a plain value; send JSON to the topic set"
            throw CommandRejection(.badPayload, "set/\(name) takes \(what).")
        }
    }

    /// Several properties from JSON; at least one.
    static func parse(_ object: JSONObject, _ rules: CommandRules) throws(CommandRejection) -> [PropertyChange] {
        var reader = ArgumentReader(object, of: "set")
        var changes: [PropertyChange] = []
        var given: [String] = []
        for name in self.names {
            guard let value = reader.take(name) else { continue }
            if let other = self.alternatives[name]?.first(where: given.contains) {
                throw CommandRejection(.badPayload, "set: give \(other) or \(name), not both.")
            }
            given.append(name)
            changes.append(try self.read(name, value, rules))
        }
        try reader.finish()
        guard !changes.isEmpty else { throw CommandRejection(.badPayload, "set: no property is given.") }
        return changes
    }

    /// The properties before each one in `names` that set the same thing.
    private static let alternatives = [
        "volume_level": ["volume"], "group_device_volume": ["volume", "volume_level"], "position_percent": ["position"],
        "active_tracks": ["audio_track", "video_track", "text_track"],
    ]

    private static func read(_ name: String, _ value: JSONValue, _ rules: CommandRules) throws(CommandRejection) -> PropertyChange {
        let scale = rules.options.volumeScale
        switch name {
        case "volume": return .volume(try PlainValue.volume(value, scale: scale))
        case "volume_level": return .volume(try PlainValue.volumeLevel(value))
        case "group_device_volume": return .groupDeviceVolume(try PlainValue.volume(value, of: name, scale: scale))
        case "muted": return .muted(try PlainValue.muted(value))
        case "app": return .application(try self.application(value, rules))
        case "repeat": return .repeatMode(try PlainValue.repeatMode(value))
        case "shuffle": return .shuffled(try PlainValue.shuffle(value))
        case "rate": return .rate(try PlainValue.rate(value))
        case "stream_volume": return .streamVolume(try PlainValue.level(value, of: name))
        case "stream_muted": return .streamMuted(try PlainValue.muted(value, of: name))
        case "audio_track": return .audioTrack(try PlainValue.track(value, of: name, mayBeOff: false))
        case "video_track": return .videoTrack(try PlainValue.track(value, of: name, mayBeOff: false))
        case "text_track": return .textTrack(try PlainValue.track(value, of: name, mayBeOff: true))
        case "active_tracks": return .activeTracks(try PlainValue.trackIDs(value))
        case "text_style":
            guard let style = value.objectValue else { throw CommandRejection(.badPayload, "set: text_style must be an object.") }
            return .textStyle(try TextStyleArguments.parse(style))
        case "position": return .position(try PlainValue.position(value))
        default: return .position(try PlainValue.positionPercent(value))
        }
    }

    /// An application's id or name, or `none` or `off`.
    private static func application(_ value: JSONValue, _ rules: CommandRules) throws(CommandRejection) -> ApplicationChange {
        let text = value.stringValue?.trimmedSpace ?? ""
        if ["none", "off"].contains(text.lowercased()) { return .quit }
        guard let id = rules.applications.id(for: String(text)) else {
            throw CommandRejection(.badPayload, "app must be an app id, a known app's name, none or off.")
        }
        return .launch(applicationID: id)
    }
}

import CastModels

enum PropertyArguments {
    /// The `<name>`s of `set/<name>`, in the order in which they are read.
    static let names = [
        "volume", "volume_level", "group_device_volume", "muted", "app", "repeat", "shuffle", "rate", "stream_volume", "stream_muted",
        "audio_track", "video_track", "text_track", "active_tracks", "text_style", "position", "position_percent",
    ]

    /// One property from a plain payload; a style from an object.
    static func parse(_ name: String, _ arguments: CommandArguments, _ rules: CommandRules) throws(CommandRejection) -> PropertyChanges {
        switch arguments {
        case .text(let text) where name != "text_style":
            var changes = PropertyChanges()
            try self.read(name, .string(text), &changes, rules)
            return changes
        case .json(.object(let style)) where name == "text_style": return try self.parse([name: .object(style)], rules)
        case .json(.array(let ids)) where name == "active_tracks": return try self.parse([name: .array(ids)], rules)
        case .none where name != "text_style": throw CommandRejection(.badPayload, "set/\(name) needs a value.")
        case .text, .json, .none:
            let what = name == "text_style" ? "a JSON object" : "a plain value; send JSON to the topic set"
            throw CommandRejection(.badPayload, "set/\(name) takes \(what).")
        }
    }

    /// Several properties from JSON; at least one.
    static func parse(_ object: JSONObject, _ rules: CommandRules) throws(CommandRejection) -> PropertyChanges {
        var reader = ArgumentReader(object, of: "set")
        var changes = PropertyChanges()
        for name in self.names { if let value = reader.take(name) { try self.read(name, value, &changes, rules) } }
        try reader.finish()
        guard !changes.isEmpty else { throw CommandRejection(.badPayload, "set: no property is given.") }
        return changes
    }

    /// - Parameter changes: the properties before it in `names`.
    private static func read(
        _ name: String, _ value: JSONValue, _ changes: inout PropertyChanges, _ rules: CommandRules
    ) throws(CommandRejection) {
        let scale = rules.options.volumeScale
        switch name {
        case "volume": changes.volume = try PlainValue.volume(value, scale: scale)
        case "volume_level":
            guard changes.volume == nil else { throw CommandRejection(.badPayload, "set: give volume or volume_level, not both.") }
            changes.volume = try PlainValue.volumeLevel(value)
        case "group_device_volume":
            guard changes.volume == nil else {
                throw CommandRejection(.badPayload, "set: give volume or group_device_volume, not both.")
            }
            changes.groupDeviceVolume = try PlainValue.volume(value, of: name, scale: scale)
        case "muted": changes.muted = try PlainValue.muted(value)
        case "app": changes.application = try self.application(value, rules)
        case "repeat": changes.repeatMode = try PlainValue.repeatMode(value)
        case "shuffle": changes.isShuffled = try PlainValue.shuffle(value)
        case "rate": changes.rate = try PlainValue.rate(value)
        case "stream_volume": changes.streamVolume = try PlainValue.level(value, of: name)
        case "stream_muted": changes.streamMuted = try PlainValue.muted(value, of: name)
        case "audio_track": changes.audioTrack = try PlainValue.track(value, of: name, mayBeOff: false)
        case "video_track": changes.videoTrack = try PlainValue.track(value, of: name, mayBeOff: false)
        case "text_track": changes.textTrack = try PlainValue.track(value, of: name, mayBeOff: true)
        case "active_tracks":
            guard [changes.audioTrack, changes.videoTrack, changes.textTrack].allSatisfy({ $0 == nil }) else {
                throw CommandRejection(
                    .badPayload, "set: active_tracks must be left out beside audio_track, video_track and text_track.")
            }
            changes.activeTracks = try PlainValue.trackIDs(value)
        case "text_style":
            guard let style = value.objectValue else { throw CommandRejection(.badPayload, "set: text_style must be an object.") }
            changes.textStyle = try TextStyleArguments.parse(style)
        case "position": changes.position = try PlainValue.position(value)
        default:
            guard changes.position == nil else { throw CommandRejection(.badPayload, "set: give position or position_percent, not both.") }
            changes.position = try PlainValue.positionPercent(value)
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

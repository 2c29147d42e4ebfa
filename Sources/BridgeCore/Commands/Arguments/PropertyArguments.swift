import CastModels

enum PropertyArguments {
    /// The `<name>`s of `set/<name>`.
    static let names: Set<String> = [
        "volume", "volume_level", "muted", "position", "position_percent", "repeat", "shuffle", "rate", "text_track", "audio_track",
        "video_track", "active_tracks", "stream_volume", "stream_muted",
        "text_style", "app", "group_device_volume",
    ]

    /// One property from a plain payload; a style from an object.
    static func parse(_ name: String, _ arguments: CommandArguments, _ rules: CommandRules) throws(CommandRejection) -> PropertyChanges {
        switch arguments {
        case .text(let text) where name != "text_style": return try self.parse([name: .string(text)], rules)
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
        let scale = rules.options.volumeScale
        if let value = reader.take("volume") { changes.volume = try PlainValue.volume(value, scale: scale) }
        if let value = reader.take("volume_level") {
            guard changes.volume == nil else { throw CommandRejection(.badPayload, "set: give volume or volume_level, not both.") }
            changes.volume = try PlainValue.volumeLevel(value)
        }
        if let value = reader.take("group_device_volume") {
            guard changes.volume == nil else {
                throw CommandRejection(.badPayload, "set: give volume or group_device_volume, not both.")
            }
            changes.groupDeviceVolume = try PlainValue.volume(value, of: "group_device_volume", scale: scale)
        }
        if let value = reader.take("muted") { changes.muted = try PlainValue.muted(value) }
        if let value = reader.take("app") { changes.application = try self.application(value, rules) }
        if let value = reader.take("repeat") { changes.repeatMode = try PlainValue.repeatMode(value) }
        if let value = reader.take("shuffle") { changes.isShuffled = try PlainValue.shuffle(value) }
        if let value = reader.take("rate") { changes.rate = try PlainValue.rate(value) }
        if let value = reader.take("stream_volume") { changes.streamVolume = try PlainValue.level(value, of: "stream_volume") }
        if let value = reader.take("stream_muted") { changes.streamMuted = try PlainValue.muted(value, of: "stream_muted") }
        if let value = reader.take("audio_track") {
            changes.audioTrack = try PlainValue.track(value, of: "audio_track", mayBeOff: false)
        }
        if let value = reader.take("video_track") {
            changes.videoTrack = try PlainValue.track(value, of: "video_track", mayBeOff: false)
        }
        if let value = reader.take("text_track") { changes.textTrack = try PlainValue.track(value, of: "text_track", mayBeOff: true) }
        if let value = reader.take("active_tracks") {
            guard [changes.audioTrack, changes.videoTrack, changes.textTrack].allSatisfy({ $0 == nil }) else {
                throw reader.wrong("active_tracks", "left out beside audio_track, video_track and text_track")
            }
            changes.activeTracks = try PlainValue.trackIDs(value)
        }
        if let style = try reader.object("text_style") { changes.textStyle = try TextStyleArguments.parse(style) }
        if let value = reader.take("position") { changes.position = try PlainValue.position(value) }
        if let value = reader.take("position_percent") {
            guard changes.position == nil else { throw CommandRejection(.badPayload, "set: give position or position_percent, not both.") }
            changes.position = try PlainValue.positionPercent(value)
        }
        try reader.finish()
        guard !changes.isEmpty else { throw CommandRejection(.badPayload, "set: no property is given.") }
        return changes
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

import CastModels

/// Reads the properties of `set`.
enum PropertyArguments {
    /// The `<name>`s of `set/<name>`.
    static let names: Set<String> = ["volume", "volume_level", "muted", "position"]

    /// One property from a plain payload.
    static func parse(_ name: String, _ text: Substring) throws(CommandRejection) -> PropertyChanges {
        guard case .text(let text) = CommandArguments(text: text) else {
            throw CommandRejection(.badPayload, "set/\(name) needs a value.")
        }
        return try self.parse([name: .string(text)])
    }

    /// Several properties from JSON; at least one.
    static func parse(_ object: JSONObject) throws(CommandRejection) -> PropertyChanges {
        var reader = ArgumentReader(object, of: "set")
        var changes = PropertyChanges()
        if let value = reader.take("volume") { changes.volume = try PlainValue.volume(value) }
        if let value = reader.take("volume_level") {
            guard changes.volume == nil else { throw CommandRejection(.badPayload, "set: give volume or volume_level, not both.") }
            changes.volume = try PlainValue.volumeLevel(value)
        }
        if let value = reader.take("muted") { changes.muted = try PlainValue.muted(value) }
        if let value = reader.take("position") { changes.position = try PlainValue.position(value) }
        try reader.finish()
        guard !changes.isEmpty else { throw CommandRejection(.badPayload, "set: no property is given.") }
        return changes
    }
}

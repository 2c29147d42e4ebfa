import CastModels

/// Reads the arguments of `cmd/announce`: a web address, a text to speak, or an object with `url` or `text`.
enum AnnounceArguments {
    static func parse(_ arguments: CommandArguments, _ rules: CommandRules) throws(CommandRejection) -> Announcement {
        switch arguments {
        case .text(let text) where ["http://", "https://"].contains(where: text.lowercased().hasPrefix):
            return Announcement(.media(try MediaArguments.media(url: text, path: "announce")))
        case .text(let text): return Announcement(.text(try self.spoken(text, of: "announce"), language: nil))
        case .json(.object(let object)): return try self.object(object, rules)
        case .none, .json:
            throw CommandRejection(.badPayload, "announce needs a web address, a text to speak, or an object with url, text or file.")
        }
    }

    private static func object(_ object: JSONObject, _ rules: CommandRules) throws(CommandRejection) -> Announcement {
        var reader = ArgumentReader(object, of: "announce")
        var announcement = Announcement(try self.content(&reader))
        announcement.volume = try reader.take("volume").map { value throws(CommandRejection) in try self.volume(value) }
        for name in try reader.array("targets", maximumCount: 100) ?? [] {
            guard let name = name.stringValue, !name.isEmpty, name.utf8.count <= 200 else {
                throw reader.wrong("targets", "a list of slugs or ids")
            }
            if !announcement.targets.contains(name) { announcement.targets.append(name) }
        }
        announcement.priority = try reader.parsed("priority", "normal or high") { Announcement.Priority(rawValue: $0) } ?? .normal
        switch reader.take("chime") {
        case nil, .bool(false): break
        case .bool(true): announcement.chime = .doorbell
        case let value?:
            announcement.chime = value.stringValue.flatMap(Chime.init)
            if announcement.chime == nil { throw reader.wrong("chime", "true, or one of \(Chime.allCases.map(\.rawValue))") }
        }
        announcement.onlyIfRestorable = try reader.bool("only_if_restorable") ?? false
        try reader.finish()
        return announcement
    }

    private static func content(_ reader: inout ArgumentReader) throws(CommandRejection) -> Announcement.Content {
        let expected = "a file of media.folders, like sounds/bell.mp3"
        if let file = try MediaArguments.file(&reader, beside: ["url", "text"], expected) { return .media(file) }
        let name = try reader.name("url", "text")
        let type = try reader.text("content_type", maximumBytes: 128)
        let language = try reader.text("language", maximumBytes: 35)
        guard let given = try reader.text(name, maximumBytes: MediaArguments.maximumURLBytes) else {
            throw reader.wrong("url", "given, or text")
        }
        guard name == "text" else {
            if language != nil { throw reader.wrong("language", "left out beside url") }
            return .media(try MediaArguments.media(url: given, type: type, path: "announce: url"))
        }
        if type != nil { throw reader.wrong("content_type", "left out beside text") }
        return .text(try self.spoken(given, of: "announce: text"), language: language)
    }

    /// A percentage, a difference with its sign, or `{"at_least":…}`.
    private static func volume(_ value: JSONValue) throws(CommandRejection) -> Announcement.Volume {
        if case .object(let object) = value {
            return try ArgumentReader.read(object, of: "volume") { reader throws(CommandRejection) in
                guard let level = reader.take("at_least")?.doubleValue, (0...100).contains(level) else {
                    throw reader.wrong("at_least", "0 to 100")
                }
                return .atLeast(level / 100)
            }
        }
        let change = try PlainValue.volume(value, scale: .percent)
        return change.base.map { .absolute($0) } ?? .relative(change.points / 100)
    }

    private static func spoken(_ text: String, of path: String) throws(CommandRejection) -> String {
        guard text.utf8.count <= Announcement.maximumTextBytes else {
            throw CommandRejection(.badPayload, "\(path): at most \(Announcement.maximumTextBytes) bytes can be spoken.")
        }
        return text
    }
}

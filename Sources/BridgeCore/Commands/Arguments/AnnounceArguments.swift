import CastModels

/// Reads the arguments of `cmd/announce`: a web address, a text to speak, or an object with `url` or `text`.
enum AnnounceArguments {
    static func parse(_ arguments: CommandArguments, _ rules: CommandRules) throws(CommandRejection) -> Announcement {
        switch arguments {
        case .text(let text) where self.isAddress(text): return Announcement(.media(try MediaArguments.media(url: text, path: "announce")))
        case .text(let text): return Announcement(.text(try self.spoken(text, of: "announce"), language: nil))
        case .json(.object(let object)): return try self.object(object, rules)
        case .none, .json:
            throw CommandRejection(.badPayload, "announce needs a web address, a text to speak, or an object with url, text or file.")
        }
    }

    private static func object(_ object: JSONObject, _ rules: CommandRules) throws(CommandRejection) -> Announcement {
        var reader = ArgumentReader(object, of: "announce")
        var announcement = Announcement(try self.content(&reader))
        if let value = reader.take("volume") { announcement.volume = try self.volume(value, &reader) }
        for name in try reader.array("targets", maximumCount: 100) ?? [] {
            guard let name = name.stringValue, !name.isEmpty, name.utf8.count <= 200 else {
                throw reader.wrong("targets", "a list of slugs or ids")
            }
            if !announcement.targets.contains(name) { announcement.targets.append(name) }
        }
        if let word = try reader.text("priority") {
            guard let priority = Announcement.Priority(rawValue: word) else { throw reader.wrong("priority", "normal or high") }
            announcement.priority = priority
        }
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
        if let file = try reader.text("file", maximumBytes: MediaPath.maximumBytes) {
            if let other = ["url", "text"].first(where: reader.has) { throw reader.wrong(other, "left out beside file") }
            guard let path = MediaPath(file) else { throw reader.wrong("file", "a file of media.folders, like sounds/bell.mp3") }
            return .media(MediaInformation(contentID: MediaReference.contentID(of: path)))
        }
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
    private static func volume(_ value: JSONValue, _ reader: inout ArgumentReader) throws(CommandRejection) -> Announcement.Volume {
        if case .object(let object) = value {
            var inner = ArgumentReader(object, of: "volume")
            guard let level = inner.take("at_least")?.doubleValue, (0...100).contains(level) else {
                throw inner.wrong("at_least", "0 to 100")
            }
            try inner.finish()
            return .atLeast(level / 100)
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

    private static func isAddress(_ text: String) -> Bool {
        let text = text.lowercased()
        return text.hasPrefix("http://") || text.hasPrefix("https://")
    }
}

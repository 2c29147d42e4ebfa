import CastModels

/// Reads what `cmd/load` accepts: a URL, `["url","type"]`, or an object.
enum LoadArguments {
    /// Longest accepted URL or content id, in bytes.
    static let maximumURLBytes = 8192

    static func parse(_ arguments: CommandArguments) throws(CommandRejection) -> LoadCommand {
        switch arguments {
        case .none: throw CommandRejection(.badPayload, "load needs a URL, [\"url\",\"type\"] or an object with url.")
        case .text(let url): return try self.load(url: url, type: nil)
        case .json(.array(let elements)):
            let texts = elements.compactMap(\.stringValue)
            guard texts.count == elements.count, (1...2).contains(texts.count) else {
                throw CommandRejection(.badPayload, "load: an array must be [\"url\"] or [\"url\",\"type\"].")
            }
            return try self.load(url: texts[0], type: texts.count > 1 ? texts[1] : nil)
        case .json(.object(let object)): return try self.load(object)
        case .json: throw CommandRejection(.badPayload, "load needs a URL, [\"url\",\"type\"] or an object with url.")
        }
    }

    private static func load(url: String, type: String?) throws(CommandRejection) -> LoadCommand {
        let media = MediaInformation(
            contentID: try self.webURL(url, of: "url"), contentType: try self.contentType(type, url: url), streamType: .buffered)
        return LoadCommand(request: MediaLoadRequest(media: media))
    }

    private static func load(_ object: JSONObject) throws(CommandRejection) -> LoadCommand {
        var reader = ArgumentReader(object, of: "load")
        guard let url = try reader.text("url", maximumBytes: self.maximumURLBytes) else {
            throw CommandRejection(.badPayload, "load: url is missing.")
        }
        var application = ReceiverApplication.defaultMediaReceiver
        if let name = try reader.text("app") {
            guard let id = Application.id(for: name) else { throw reader.wrong("app", "an app id or a known app's name") }
            application = id
        }
        var type = try reader.text("content_type")
        if application == ReceiverApplication.defaultMediaReceiver {
            _ = try self.webURL(url, of: "url")
            type = try self.contentType(type, url: url)
        } else if url.contains("://") || type != nil {
            // Other applications have ids of their own and may need no type.
            type = try self.contentType(type, url: url)
        }
        var media = MediaInformation(contentID: url, contentType: type, streamType: try self.streamType(&reader))
        if let metadata = try reader.object("metadata") { media.metadata = try MetadataArguments.parse(metadata) }
        if let tracks = try reader.array("tracks", maximumCount: 64) { media.tracks = try TrackArguments.parse(tracks) }
        var request = MediaLoadRequest(media: media, autoplay: try reader.bool("autoplay"))
        request.startTime = try self.startTime(&reader)
        if let active = try reader.array("active_tracks", maximumCount: 64) {
            let ids = active.compactMap(\.intValue)
            guard ids.count == active.count else { throw reader.wrong("active_tracks", "an array of track ids") }
            request.activeTrackIDs = ids
        }
        request.customData = reader.take("custom_data")
        try reader.finish()
        return LoadCommand(request: request, applicationID: application)
    }

    private static func streamType(_ reader: inout ArgumentReader) throws(CommandRejection) -> StreamType {
        guard let word = try reader.text("stream") else { return .buffered }
        let type = StreamType(wireValue: word)
        if case .unknown = type { throw reader.wrong("stream", "buffered, live or none") }
        return type
    }

    private static func startTime(_ reader: inout ArgumentReader) throws(CommandRejection) -> Double? {
        guard let value = reader.take("position") else { return nil }
        let seconds = value.stringValue.map { PlainValue.seconds($0.trimmedSpace) } ?? value.doubleValue
        guard let seconds, (0...PlainValue.maximumSeconds).contains(seconds) else {
            throw reader.wrong("position", "seconds from 0, or h:mm:ss")
        }
        return seconds
    }

    /// A MIME type from what the sender said, else from the URL; refused when neither tells.
    private static func contentType(_ said: String?, url: String) throws(CommandRejection) -> String {
        if let said = said?.trimmedSpace, !said.isEmpty {
            if said.utf8.contains(UInt8(ascii: "/")) {
                guard ContentType.isMediaType(String(said)) else {
                    throw CommandRejection(.badPayload, "load: content_type must be a MIME type like video/mp4.")
                }
                return String(said)
            }
            guard let standard = ContentType.standard(for: String(said)) else {
                throw CommandRejection(
                    .badPayload, "load: content_type \"\(said.shortened)\" is neither a MIME type nor music, video or image.")
            }
            return ContentType.guess(url: url) ?? standard
        }
        guard let guess = ContentType.guess(url: url) else {
            throw CommandRejection(.badPayload, "load: the type of this URL can't be guessed; give content_type.")
        }
        return guess
    }

    /// An absolute `http` or `https` URL with a host, without spaces or control characters.
    static func webURL(_ text: String, of key: String) throws(CommandRejection) -> String {
        let lowered = text.lowercased()
        let rest = lowered.hasPrefix("http://") ? text.dropFirst(7) : lowered.hasPrefix("https://") ? text.dropFirst(8) : ""
        let host = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !host.isEmpty, text.utf8.count <= self.maximumURLBytes, !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            throw CommandRejection(.badPayload, "\(key) must be an absolute http or https URL without spaces (write a space as %20).")
        }
        return text
    }
}

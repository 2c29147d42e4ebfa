import CastModels

/// Reads the properties of one medium in loads and queue items. `media_content_id` and `media_content_type`, or `media_id` and `media_type`,
/// are the names of Home Assistant and its integrations for `url` and `content_type`.
enum MediaArguments {
    /// The longest accepted URL or content id, in bytes.
    static let maximumURLBytes = 8192
    static let maximumTracks = 64
    static let segmentFormats = "aac, ac3, e_ac3, fmp4, mp3, ts or ts_aac"
    /// The members that identify the medium.
    static let contentNames = ["file", "url", "media_content_id", "media_id", "content_id", "content_url", "entity"]

    /// Returns a medium of which only the URL and possibly the type is known.
    static func media(url: String, type: String? = nil, path: String) throws(CommandRejection) -> MediaInformation {
        MediaInformation(
            contentID: try self.webURL(url, of: path), contentType: try self.contentType(type, url: url, path: path), streamType: .buffered)
    }

    /// Takes the members of a medium out of an object.
    /// - Parameter application: the application that will play it; `nil` for the running one.
    static func media(
        _ reader: inout ArgumentReader, for application: String?, path: String
    ) throws(CommandRejection) -> MediaInformation {
        var media = try self.content(&reader, path: path)
        let type = try reader.text(try reader.name("content_type", "media_content_type", "media_type"))
        media.contentType = type
        if case .file = MediaReference(media) {
            if let type, !ContentType.isMediaType(type) { throw reader.wrong("content_type", "a MIME type like video/mp4") }
        } else if let url = media.contentURL ?? media.contentID {
            if application == ReceiverApplication.defaultMediaReceiver || application == nil && type == nil {
                media.contentType = try self.contentType(type, url: try self.webURL(url, of: "\(path): url"), path: path)
            } else if url.contains("://") || type != nil {
                // Other applications have their own content ids and may need no type.
                media.contentType = try self.contentType(type, url: url, path: path)
            }
        }
        media.streamType = try reader.word("stream", "buffered, live or none") ?? .buffered
        media.hlsSegmentFormat = try reader.word("hls_segment_format", self.segmentFormats)
        media.hlsVideoSegmentFormat = try reader.word("hls_video_segment_format", "fmp4 or mpeg2_ts")
        media.mediaCategory = try reader.word("media_category", "audio, video or image")
        media.startAbsoluteTime = try reader.number("start_absolute_time", in: 0...PlainValue.maximumSeconds)
        media.atvEntity = try reader.text("atv_entity", maximumBytes: self.maximumURLBytes)
        media.customData = reader.take("media_custom_data")
        media.duration = try reader.number("duration", in: 0.001...PlainValue.maximumSeconds)
        media.metadata = try MetadataArguments.parse(&reader)
        if let tracks = try reader.array("tracks", maximumCount: self.maximumTracks) { media.tracks = try TrackArguments.parse(tracks) }
        try AdArguments.read(&reader, into: &media)
        if let style = try reader.object("text_style") { media.textTrackStyle = try TextStyleArguments.parse(style) }
        return media
    }

    /// Takes the content: a `file`, `url`, or `content_id` and `content_url`, or an `entity` alone, or with one of these.
    private static func content(_ reader: inout ArgumentReader, path: String) throws(CommandRejection) -> MediaInformation {
        let key = try reader.name("url", "media_content_id", "media_id")
        let url = try reader.text(key, maximumBytes: self.maximumURLBytes)
        let expected = "a file or folder of media.folders, like films/night-ferry.mp4"
        if let file = try self.file(&reader, beside: self.contentNames.dropFirst(), expected) { return file }
        var media = MediaInformation(contentID: try reader.text("content_id", maximumBytes: self.maximumURLBytes))
        media.contentURL = try reader.text("content_url", maximumBytes: self.maximumURLBytes)
        media.entity = try reader.text("entity", maximumBytes: self.maximumURLBytes)
        if let contentURL = media.contentURL { _ = try self.webURL(contentURL, of: "\(path): content_url") }
        if let url {
            if let other = ["content_id", "content_url"].first(where: reader.has) { throw reader.wrong(other, "left out beside \(key)") }
            media.contentID = url
        }
        if media.contentID == nil, media.contentURL == nil, media.entity == nil {
            throw CommandRejection(.badPayload, "\(path): url is missing.")
        }
        return media
    }

    /// Takes a file of `media.folders`, beside which none of `others` may be given; `nil` without one.
    static func file(
        _ reader: inout ArgumentReader, beside others: ArraySlice<String>, _ expected: String
    ) throws(CommandRejection) -> MediaInformation? {
        guard let file = try reader.text("file", maximumBytes: MediaPath.maximumBytes) else { return nil }
        if let other = others.first(where: reader.has) { throw reader.wrong(other, "left out beside file") }
        guard let path = MediaPath(file) else { throw reader.wrong("file", expected) }
        return MediaInformation(contentID: MediaReference.contentID(of: path))
    }

    /// Takes the tracks to show from the start. If the medium lists tracks, each must be one of them.
    static func activeTracks(_ reader: inout ArgumentReader, of media: MediaInformation) throws(CommandRejection) -> [Int]? {
        guard let active = try reader.array("active_tracks", maximumCount: self.maximumTracks) else { return nil }
        let ids = active.compactMap(\.intValue)
        guard ids.count == active.count else { throw reader.wrong("active_tracks", "an array of track ids") }
        if let stranger = ids.first(where: { id in !media.tracks.contains { $0.trackID == id } }), !media.tracks.isEmpty {
            throw reader.wrong("active_tracks", "ids of tracks that are given; \(stranger) is none")
        }
        return ids
    }

    /// Returns the MIME type that the sender gave, otherwise that of the URL; `nil` when the bridge has to look at what is there.
    private static func contentType(_ given: String?, url: String, path: String) throws(CommandRejection) -> String? {
        guard let given = given?.trimmedSpace, !given.isEmpty else { return ContentType.guess(url: url) }
        if given.utf8.contains(UInt8(ascii: "/")) {
            guard ContentType.isMediaType(String(given)) else {
                throw CommandRejection(.badPayload, "\(path): content_type must be a MIME type like video/mp4.")
            }
            return String(given)
        }
        guard let kind = ContentType.words.first(where: { $0.value.contains(given.lowercased()) }) else {
            throw CommandRejection(
                .badPayload, "\(path): content_type \"\(given.shortened)\" is neither a MIME type nor a word like music, video or playlist."
            )
        }
        return ContentType.guess(url: url) ?? kind.key
    }

    /// Takes the MIME type of a track or a clip; without one it is that of the URL, which must then be known.
    /// - Parameter example: a type of this kind.
    static func contentType(
        _ reader: inout ArgumentReader, of url: String?, path: String, like example: String
    ) throws(CommandRejection) -> String? {
        let type = try reader.text("content_type") ?? url.flatMap { ContentType.guess(url: $0) }
        if let type, !ContentType.isMediaType(type) { throw reader.wrong("content_type", "a MIME type like \(example)") }
        guard url == nil || type != nil else {
            throw CommandRejection(.badPayload, "\(path): the type of this URL can't be guessed; give content_type.")
        }
        return type
    }

    /// Returns an absolute `http` or `https` URL with a host, without spaces or control characters.
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

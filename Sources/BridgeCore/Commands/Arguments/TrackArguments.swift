import CastModels

enum TrackArguments {
    static func parse(_ elements: [JSONValue]) throws(CommandRejection) -> [MediaTrack] {
        var tracks: [MediaTrack] = []
        for (index, element) in elements.enumerated() {
            let path = "tracks[\(index)]"
            guard let object = element.objectValue else { throw CommandRejection(.badPayload, "\(path) must be an object.") }
            let track = try self.track(object, path: path)
            guard !tracks.contains(where: { $0.trackID == track.trackID }) else {
                throw CommandRejection(.badPayload, "\(path): id \(track.trackID) is used twice.")
            }
            tracks.append(track)
        }
        return tracks
    }

    private static func track(_ object: JSONObject, path: String) throws(CommandRejection) -> MediaTrack {
        var reader = ArgumentReader(object, of: path)
        guard let id = try reader.integer("id", in: 0...1_000_000) else { throw reader.wrong("id", "given") }
        let kind: MediaTrack.Kind = try reader.word("type", "text, audio or video") ?? .text
        var track = MediaTrack(trackID: id, type: kind)
        let subtypes = "subtitles, captions, descriptions, chapters or metadata, and only of a text track"
        track.subtype = try reader.word("subtype", subtypes)
        if track.subtype != nil, kind != .text { throw reader.wrong("subtype", subtypes) }
        if kind == .text, track.subtype == nil { track.subtype = .subtitles }
        track.name = try reader.text("name")
        track.language = try reader.text("language", maximumBytes: 64)
        // Receivers reject subtitles without a language; `und` is RFC 5646's tag for an unknown one.
        if track.subtype == .subtitles, track.language == nil { track.language = "und" }
        if let url = try reader.text("url", maximumBytes: MediaArguments.maximumURLBytes) {
            track.contentID = try MediaArguments.webURL(url, of: "\(path).url")
        }
        track.contentType = try MediaArguments.contentType(&reader, of: track.contentID, path: path, like: "text/vtt")
        if let roles = try reader.array("roles", maximumCount: DocumentLimits.elements) {
            track.roles = roles.compactMap(\.stringValue).filter { (1...200).contains($0.utf8.count) }
            guard track.roles.count == roles.count else { throw reader.wrong("roles", "an array of texts of 1 to 200 bytes") }
        }
        track.customData = reader.take("custom_data")
        try reader.finish()
        return track
    }
}

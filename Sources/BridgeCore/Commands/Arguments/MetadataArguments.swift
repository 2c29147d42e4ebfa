import CastModels

/// Reads the `metadata` of a load: converts the contract's names (`series_title`) or those of the wire (`seriesTitle`) to the wire's.
enum MetadataArguments {
    private enum Form { case text, integer, number }

    private static let maximumTextBytes = 4096

    private static let types: [String: MediaMetadata.Kind] = [
        "generic": .generic, "movie": .movie, "tv_show": .tvShow, "tvshow": .tvShow, "music": .musicTrack, "music_track": .musicTrack,
        "photo": .photo, "audiobook": .audiobookChapter, "audiobook_chapter": .audiobookChapter,
    ]

    /// The key on the wire, its names in the contract, and its type (Cast reference: the metadata classes of `chrome.cast.media`).
    private static let fields: [(wire: String, names: [String], form: Form)] = [
        ("title", [], .text), ("subtitle", [], .text), ("artist", [], .text), ("studio", [], .text), ("composer", [], .text),
        ("location", [], .text), ("albumName", ["album", "album_name"], .text), ("albumArtist", ["album_artist"], .text),
        ("songName", ["song_name"], .text), ("seriesTitle", ["series", "series_title"], .text), ("season", [], .integer),
        ("episode", [], .integer), ("originalAirdate", ["original_airdate", "original_air_date"], .text),
        ("releaseDate", ["release_date"], .text), ("creationDateTime", ["creation_date_time"], .text),
        ("trackNumber", ["track_number"], .integer), ("discNumber", ["disc_number"], .integer), ("bookTitle", ["book_title"], .text),
        ("chapterTitle", ["chapter_title"], .text), ("chapterNumber", ["chapter_number"], .integer),
        ("contentRating", ["content_rating"], .text), ("latitude", [], .number), ("longitude", [], .number),
        ("width", [], .integer), ("height", [], .integer),
    ]

    /// Reads `metadata` and its short forms beside it: `title`, `subtitle`, `artist` and `image`; `nil` when none is given.
    static func parse(_ outer: inout ArgumentReader) throws(CommandRejection) -> MediaMetadata? {
        var metadata = try outer.object("metadata").map { object throws(CommandRejection) in try self.parse(object) }
        for name in ["title", "subtitle", "artist"] {
            guard let text = try outer.text(name, maximumBytes: self.maximumTextBytes) else { continue }
            guard metadata?.fields[name] == nil else { throw outer.wrong(name, "left out beside metadata.\(name)") }
            // Receivers show the artist only for music.
            metadata = metadata ?? MediaMetadata(type: outer.has("artist") ? .musicTrack : .generic)
            metadata?.fields[name] = .string(text)
        }
        if let image = try outer.text("image", maximumBytes: MediaArguments.maximumURLBytes) {
            var shown = metadata ?? MediaMetadata(type: .generic)
            guard shown.images.isEmpty else { throw outer.wrong("image", "left out beside metadata.images") }
            shown.images = [MediaImage(url: try MediaArguments.webURL(image, of: "image"))]
            metadata = shown
        }
        return metadata
    }

    static func parse(_ object: JSONObject) throws(CommandRejection) -> MediaMetadata {
        var reader = ArgumentReader(object, of: "metadata")
        var metadata = MediaMetadata(type: try self.type(&reader))
        for field in self.fields {
            for name in [field.wire] + field.names {
                guard let value = try self.value(name, field.form, &reader) else { continue }
                guard metadata.fields[field.wire] == nil else { throw reader.wrong(name, "given once, under one name") }
                metadata.fields.append(field.wire, value)
            }
        }
        metadata.images = try self.images(&reader)
        if let custom = try reader.object("custom") { try self.add(custom, to: &metadata) }
        try reader.finish()
        return metadata
    }

    /// Adds the application's own members, under their names.
    private static func add(_ custom: JSONObject, to metadata: inout MediaMetadata) throws(CommandRejection) {
        guard custom.members.count <= DocumentLimits.elements else {
            throw CommandRejection(.badPayload, "metadata: custom must have at most \(DocumentLimits.elements) members.")
        }
        for member in custom.members {
            let isKnown = self.fields.contains { $0.wire == member.key } || MediaMetadata.reservedNames.contains(member.key)
            guard !isKnown, !member.key.isEmpty, member.key.utf8.count <= 200 else {
                throw CommandRejection(
                    .badPayload, "custom: \"\(member.key.shortened)\" must be a member of metadata itself, or have 1 to 200 bytes.")
            }
            metadata.fields[member.key] = member.value
        }
    }

    private static func type(_ reader: inout ArgumentReader) throws(CommandRejection) -> MediaMetadata.Kind? {
        guard let value = reader.take(try reader.name("type", "metadataType")) else { return nil }
        if let word = value.stringValue, let kind = self.types[word.lowercased()] { return kind }
        if let number = value.intValue, (0...5).contains(number) || (100...1000).contains(number) {
            return MediaMetadata.Kind(rawValue: number)
        }
        throw reader.wrong("type", "generic, movie, tv_show, music, photo or audiobook_chapter")
    }

    private static func value(_ name: String, _ form: Form, _ reader: inout ArgumentReader) throws(CommandRejection) -> JSONValue? {
        switch form {
        case .text: try reader.text(name, maximumBytes: self.maximumTextBytes).map { .string($0) }
        case .integer: try reader.integer(name, in: 0...1_000_000).map { .integer(Int64($0)) }
        case .number: try reader.number(name, in: -180...180).map { .number($0) }
        }
    }

    /// Takes `images`; each is a URL, or `{"url","width","height"}`.
    static func images(_ reader: inout ArgumentReader) throws(CommandRejection) -> [MediaImage] {
        var images: [MediaImage] = []
        for image in try reader.array("images", maximumCount: 16) ?? [] { images.append(try self.image(image, at: images.count)) }
        return images
    }

    private static func image(_ value: JSONValue, at index: Int) throws(CommandRejection) -> MediaImage {
        let path = "images[\(index)]"
        if let url = value.stringValue { return MediaImage(url: try MediaArguments.webURL(url, of: path)) }
        guard let object = value.objectValue else { throw CommandRejection(.badPayload, "\(path) must be a URL or an object with url.") }
        var reader = ArgumentReader(object, of: path)
        guard let url = try reader.text("url", maximumBytes: MediaArguments.maximumURLBytes) else { throw reader.wrong("url", "given") }
        let image = MediaImage(
            url: try MediaArguments.webURL(url, of: "\(path).url"), width: try reader.integer("width", in: 1...100_000),
            height: try reader.integer("height", in: 1...100_000))
        try reader.finish()
        return image
    }
}

import CastModels

/// Reads what a queue is as a whole: `name`, `type` and `container`.
enum QueueDetailArguments {
    private static let maximumTextBytes = 4096
    private static let types =
        "album, playlist, audiobook, radio_station, podcast_series, tv_series, video_playlist, live_tv or movie"

    /// Takes these members out of an object; `nil` when none is given.
    static func parse(_ reader: inout ArgumentReader) throws(CommandRejection) -> MediaQueueData? {
        var data = MediaQueueData()
        data.name = try reader.text("name", maximumBytes: self.maximumTextBytes)
        data.queueType = try reader.word("type", self.types)
        data.containerMetadata = try reader.object("container").map { object throws(CommandRejection) in try self.container(object) }
        return data == MediaQueueData() ? nil : data
    }

    private static func container(_ object: JSONObject) throws(CommandRejection) -> MediaQueueContainerMetadata {
        var reader = ArgumentReader(object, of: "container")
        var container = MediaQueueContainerMetadata()
        switch try reader.text("type") {
        case nil, "generic": break
        case "audiobook": container.type = .audiobook
        default: throw reader.wrong("type", "generic or audiobook")
        }
        container.title = try reader.text("title", maximumBytes: self.maximumTextBytes)
        container.duration = try reader.number("duration", in: 0.001...PlainValue.maximumSeconds)
        container.images = try MetadataArguments.images(&reader)
        container.authors = try self.names("authors", &reader)
        container.narrators = try self.names("narrators", &reader)
        container.publisher = try reader.text("publisher", maximumBytes: self.maximumTextBytes)
        container.releaseDate = try reader.parsed("release_date", "a date like 2026-11-21") { MediaDate($0) }
        for (index, section) in (try reader.array("sections", maximumCount: DocumentLimits.elements) ?? []).enumerated() {
            guard let object = section.objectValue else { throw reader.wrong("sections[\(index)]", "an object as metadata") }
            container.sections.append(try MetadataArguments.parse(object))
        }
        try reader.finish()
        return container
    }

    private static func names(_ key: String, _ reader: inout ArgumentReader) throws(CommandRejection) -> [String] {
        let names = try reader.array(key, maximumCount: DocumentLimits.elements) ?? []
        let texts = names.compactMap(\.stringValue).filter { (1...self.maximumTextBytes).contains($0.utf8.count) }
        guard texts.count == names.count else { throw reader.wrong(key, "an array of texts of 1 to \(self.maximumTextBytes) bytes") }
        return texts
    }
}

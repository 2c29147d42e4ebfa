import CastModels

/// Reads the ads of a medium: `breaks`, `break_clips` and `vmap_ads_request`.
enum AdArguments {
    /// The most breaks of one medium, and the most clips.
    static let maximumCount = DocumentLimits.elements
    private static let maximumIDBytes = 200
    private static let maximumResponseBytes = 32_768

    /// Takes these members out of an object. Every clip that a break names must be given.
    static func read(_ reader: inout ArgumentReader, into media: inout MediaInformation) throws(CommandRejection) {
        media.vmapAdsRequest = try self.request("vmap_ads_request", &reader)
        if let clips = try reader.array("break_clips", maximumCount: self.maximumCount) {
            for (index, element) in clips.enumerated() {
                let clip = try self.clip(element, path: "break_clips[\(index)]")
                if media.adBreakClips.contains(where: { $0.id == clip.id }) { throw self.usedTwice(clip.id, path: "break_clips[\(index)]") }
                media.adBreakClips.append(clip)
            }
        }
        guard let breaks = try reader.array("breaks", maximumCount: self.maximumCount) else { return }
        for (index, element) in breaks.enumerated() {
            let path = "breaks[\(index)]"
            let adBreak = try self.adBreak(element, path: path)
            if media.adBreaks.contains(where: { $0.id == adBreak.id }) { throw self.usedTwice(adBreak.id, path: path) }
            if let unknown = adBreak.clipIDs.first(where: { id in !media.adBreakClips.contains { $0.id == id } }) {
                throw CommandRejection(.badPayload, "\(path): clip \"\(unknown.shortened)\" is missing in break_clips.")
            }
            media.adBreaks.append(adBreak)
        }
    }

    private static func adBreak(_ element: JSONValue, path: String) throws(CommandRejection) -> AdBreak {
        guard let object = element.objectValue else {
            throw CommandRejection(.badPayload, "\(path) must be an object with id, position and clips.")
        }
        var reader = ArgumentReader(object, of: path)
        guard let id = try reader.text("id", maximumBytes: self.maximumIDBytes) else { throw reader.wrong("id", "given") }
        var adBreak = AdBreak(id: id)
        guard let clips = try reader.array("clips", maximumCount: self.maximumCount) else { throw reader.wrong("clips", "given") }
        adBreak.clipIDs = clips.compactMap(\.stringValue)
        guard !clips.isEmpty, adBreak.clipIDs.count == clips.count else { throw reader.wrong("clips", "ids of clips, at least one") }
        let isAfterEnd = reader.take("position")?.doubleValue == -1
        adBreak.position = try isAfterEnd ? -1 : reader.seconds("position")
        if adBreak.position == nil { throw reader.wrong("position", "given: seconds, h:mm:ss, or -1 for after the end") }
        adBreak.duration = try reader.number("duration", in: 0.001...PlainValue.maximumSeconds)
        adBreak.isEmbedded = try reader.bool("embedded") ?? false
        adBreak.isWatched = try reader.bool("watched") ?? false
        try reader.finish()
        return adBreak
    }

    private static func clip(_ element: JSONValue, path: String) throws(CommandRejection) -> AdBreakClip {
        guard let object = element.objectValue else { throw CommandRejection(.badPayload, "\(path) must be an object with id.") }
        var reader = ArgumentReader(object, of: path)
        guard let id = try reader.text("id", maximumBytes: self.maximumIDBytes) else { throw reader.wrong("id", "given") }
        var clip = AdBreakClip(id: id)
        clip.title = try reader.text("title", maximumBytes: 4096)
        clip.contentID = try self.url("url", &reader, path)
        clip.contentType = try MediaArguments.contentType(&reader, of: clip.contentID, path: path, like: "video/mp4")
        clip.duration = try reader.number("duration", in: 0.001...PlainValue.maximumSeconds)
        clip.whenSkippable = try reader.seconds("skippable_after")
        clip.posterURL = try self.url("poster", &reader, path)
        clip.clickThroughURL = try self.url("click_url", &reader, path)
        clip.vastAdsRequest = try self.request("vast_ads_request", &reader)
        clip.hlsSegmentFormat = try reader.word("hls_segment_format", MediaArguments.segmentFormats)
        clip.customData = reader.take("custom_data")
        try reader.finish()
        return clip
    }

    /// Takes a request to an ad server: its `ad_tag_url`, or the `ads_response` itself.
    private static func request(_ key: String, _ outer: inout ArgumentReader) throws(CommandRejection) -> VASTAdsRequest? {
        guard let object = try outer.object(key) else { return nil }
        var reader = ArgumentReader(object, of: key)
        let request = VASTAdsRequest(
            adTagURL: try self.url("ad_tag_url", &reader, key),
            adsResponse: try reader.text("ads_response", maximumBytes: self.maximumResponseBytes))
        guard (request.adTagURL == nil) != (request.adsResponse == nil) else {
            throw reader.wrong("ad_tag_url", "given, or ads_response, and not both")
        }
        try reader.finish()
        return request
    }

    private static func url(_ key: String, _ reader: inout ArgumentReader, _ path: String) throws(CommandRejection) -> String? {
        guard let url = try reader.text(key, maximumBytes: MediaArguments.maximumURLBytes) else { return nil }
        return try MediaArguments.webURL(url, of: "\(path).\(key)")
    }

    private static func usedTwice(_ id: String, path: String) -> CommandRejection {
        CommandRejection(.badPayload, "\(path): id \"\(id.shortened)\" is used twice.")
    }
}

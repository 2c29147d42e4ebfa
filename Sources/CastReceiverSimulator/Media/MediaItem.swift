/// One entry of a queue: what to play, and how the simulated network treats it, which follows from its URL alone.
struct MediaItem: Sendable, Hashable {
    var itemID: Int
    /// MediaInformation as the sender wrote it; status messages repeat it, with the duration filled in.
    var media: JSON
    var autoplay: Bool
    var startTime: Double
    /// Further members of the queue item, repeated in `items`.
    var customData: JSON?

    init(itemID: Int, media: JSON, autoplay: Bool = true, startTime: Double = 0, customData: JSON? = nil) {
        self.itemID = itemID
        self.media = media
        self.autoplay = autoplay
        self.startTime = startTime
        self.customData = customData
        if self.media["streamType"] == nil { self.media["streamType"] = "BUFFERED" }
        if let duration = self.duration { self.media["duration"] = .number(duration) }
    }

    var contentID: String? { self.media["contentId"]?.text }
    private var url: String { self.media["contentUrl"]?.text ?? self.contentID ?? "" }
    var isLive: Bool { self.media["streamType"]?.text?.uppercased() == "LIVE" }
    var isImage: Bool { self.media["contentType"]?.text?.hasPrefix("image/") ?? false }
    /// Titles by the names the metadata types have for them.
    var title: String? {
        let metadata = self.media["metadata"]
        return metadata?["title"]?.text ?? metadata?["songName"]?.text
    }

    /// Seconds: what the sender stated, else `?duration=` of the URL, else a length of 2 to 10 minutes that follows from the URL.
    /// `nil` for live streams and images.
    var duration: Double? {
        if self.isLive || self.isImage { return nil }
        if let stated = self.media["duration"]?.double, stated > 0 { return stated }
        if let named = self.query("duration"), named > 0 { return named }
        return 120 + Double(SeededRandom.hash(self.url) % 480)
    }

    /// `/missing` in the path: it cannot be loaded.
    var isMissing: Bool { self.path.contains("/missing") }
    /// `?error_at=SECONDS`: playback breaks at that position.
    var errorPosition: Double? { self.query("error_at") }
    /// `?load_time=SECONDS`: how long loading takes.
    var loadTime: Duration? { self.query("load_time").flatMap { (0...600).contains($0) ? .seconds($0) : nil } }

    private var path: Substring { self.url.prefix { $0 != "?" && $0 != "#" } }

    private func query(_ name: String) -> Double? {
        guard let mark = self.url.firstIndex(of: "?") else { return nil }
        for pair in self.url[self.url.index(after: mark)...].prefix(while: { $0 != "#" }).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0] == name, let number = Double(parts[1]), number.isFinite { return number }
        }
        return nil
    }

    /// Reads a queue item or the top level of a `LOAD`; `nil` without media that names content.
    init?(_ item: JSON, itemID: Int) {
        guard let media = item["media"], media.isObject, let contentID = media["contentId"]?.text ?? media["contentUrl"]?.text,
            !contentID.isEmpty
        else { return nil }
        self.init(
            itemID: itemID, media: media, autoplay: item["autoplay"]?.boolean ?? true,
            startTime: max(0, item["startTime"]?.double ?? item["currentTime"]?.double ?? 0), customData: item["customData"])
    }

    var json: JSON {
        .members([
            "itemId": .integer(self.itemID), "media": self.media, "autoplay": .bool(self.autoplay), "startTime": .number(self.startTime),
            "customData": self.customData, "orderId": .integer(self.itemID - 1),
        ])
    }
}

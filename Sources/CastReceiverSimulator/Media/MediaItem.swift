/// One entry of a queue: what to play and how.
struct MediaItem: Sendable, Hashable {
    /// Largest `size`: a status has to tell the item in one frame of 64 KiB.
    static let maximumSize = 60_000

    var itemID: Int
    /// MediaInformation as the sender wrote it; status messages repeat it, with the duration filled in.
    var media: JSON { didSet { self.mediaSize = self.media.utf8.count } }
    var autoplay: Bool
    /// Seconds from the start at which it begins; `nil` means the beginning, or the live edge.
    var startTime: Double?
    /// Seconds to play from there; negative ones count from the end.
    var playbackDuration: Double?
    /// Seconds before the end of the item before it at which it is preloaded.
    var preloadTime: Double?
    /// Tracks that are active when the queue comes to it.
    var activeTrackIDs: [Int] { didSet { self.measureExtras() } }
    /// Its place before the queue was shuffled.
    var orderID: Int
    var customData: JSON? { didSet { self.measureExtras() } }
    /// Seconds, from the sender; `nil` when it did not say.
    private(set) var statedDuration: Double?
    /// What its content says of its length; `nil` while nobody has looked.
    private(set) var content: Content?
    /// `media` in bytes of JSON.
    private(set) var mediaSize: Int
    /// What every element of `items` carries beside it and a sender can make large, in bytes of JSON.
    private(set) var extrasSize: Int

    /// Everything of it that can be large, in bytes of JSON.
    var size: Int { self.mediaSize + self.extrasSize }

    /// Reads a queue item or the top level of a `LOAD`; `nil` without media that names content, or with too much of it.
    init?(_ item: JSON, itemID: Int) {
        guard let media = item["media"], Self.namesContent(media) else { return nil }
        self.itemID = itemID
        self.media = media
        self.autoplay = item["autoplay"]?.boolean ?? true
        self.startTime = (item["startTime"]?.double ?? item["currentTime"]?.double).map { max(0, $0) }
        self.playbackDuration = item["playbackDuration"]?.double
        self.preloadTime = item["preloadTime"]?.double.flatMap { $0 > 0 ? $0 : nil }
        self.activeTrackIDs = (item["activeTrackIds"]?.elements ?? []).compactMap(\.int)
        self.orderID = itemID - 1
        self.customData = item["customData"]
        (self.mediaSize, self.extrasSize) = (0, 0)
        self.complete()
        self.measureExtras()
        guard self.size <= Self.maximumSize else { return nil }
    }

    private mutating func measureExtras() {
        let tracks = self.activeTrackIDs.isEmpty ? 0 : JSON.array(self.activeTrackIDs.map(JSON.integer)).utf8.count
        self.extrasSize = tracks + (self.customData?.utf8.count ?? 0)
    }

    /// What was found by reading it.
    struct Content: Sendable, Hashable {
        /// Its length in seconds; `nil` when it does not tell.
        var seconds: Double?
    }

    /// Its content is going to be read: no length is made up for it.
    mutating func awaitContent() {
        guard self.content == nil else { return }
        self.content = Content(seconds: nil)
        self.media["duration"] = self.statedDuration.map(JSON.number)
    }

    /// Takes over what its content says, which goes above what the sender stated.
    mutating func found(seconds: Double?) {
        self.content = Content(seconds: seconds)
        if !self.isLive, let seconds { self.media["duration"] = .number(seconds) }
    }

    private static func namesContent(_ media: JSON) -> Bool {
        guard media.isObject else { return false }
        return ["contentId", "contentUrl", "entity"].contains { !(media[$0]?.text ?? "").isEmpty }
    }

    /// Fills in what a receiver knows and the sender need not say.
    private mutating func complete() {
        var media = self.media
        self.statedDuration = media["duration"]?.double.flatMap { $0 > 0 ? $0 : nil }
        if media["streamType"]?.text == nil { media["streamType"] = "BUFFERED" }
        if let duration = self.duration { media["duration"] = .number(duration) }
        self.media = media
    }

    /// Takes what `QUEUE_UPDATE` says about the item; false when its new media name no content, or with too much of it.
    mutating func update(_ changes: JSON) -> Bool {
        if let media = changes["media"] {
            guard Self.namesContent(media) else { return false }
            self.media = media
            self.content = nil
            self.complete()
        }
        if let autoplay = changes["autoplay"]?.boolean { self.autoplay = autoplay }
        if let startTime = changes["startTime"]?.double { self.startTime = max(0, startTime) }
        if let playbackDuration = changes["playbackDuration"]?.double { self.playbackDuration = playbackDuration }
        if let preloadTime = changes["preloadTime"]?.double { self.preloadTime = preloadTime > 0 ? preloadTime : nil }
        if let tracks = changes["activeTrackIds"]?.elements { self.activeTrackIDs = tracks.compactMap(\.int) }
        if let customData = changes["customData"] { self.customData = customData }
        return self.size <= Self.maximumSize
    }

    var contentID: String? { self.media["contentId"]?.text }
    var isLive: Bool { self.media["streamType"]?.text?.uppercased() == "LIVE" }
    var isImage: Bool { self.media["contentType"]?.text?.hasPrefix("image/") ?? false }
    /// Titles by the names the metadata types have for them.
    var title: String? {
        let metadata = self.media["metadata"]
        return metadata?["title"]?.text ?? metadata?["songName"]?.text
    }

    /// Where playback of the item ends by itself, in seconds; `nil` for live streams and images.
    var end: Double? {
        guard let duration = self.duration, let playbackDuration, playbackDuration != 0 else { return self.duration }
        let start = self.startTime ?? 0
        return playbackDuration > 0 ? min(duration, start + playbackDuration) : max(min(start, duration), duration + playbackDuration)
    }

    /// How much of an item is told.
    enum Extent: Sendable, Hashable {
        case everything
        /// Senders inherit missing media from what they know of the item.
        case withoutMedia
        /// Without anything that can be large.
        case brief
    }

    /// An element of `items`.
    func json(_ extent: Extent = .everything) -> JSON {
        .members([
            "itemId": .integer(self.itemID), "media": extent == .everything ? self.media : nil, "autoplay": .bool(self.autoplay),
            "startTime": .number(self.startTime ?? 0), "playbackDuration": self.playbackDuration.map(JSON.number),
            "preloadTime": self.preloadTime.map(JSON.number),
            "activeTrackIds": self.activeTrackIDs.isEmpty || extent == .brief ? nil : .array(self.activeTrackIDs.map(JSON.integer)),
            "customData": extent == .brief ? nil : self.customData, "orderId": .integer(self.orderID),
        ])
    }
}

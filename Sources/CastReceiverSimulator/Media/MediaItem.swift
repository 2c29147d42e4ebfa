/// One item of a queue: its media and its playback options.
struct MediaItem: Sendable, Hashable {
    /// The largest `size`: a status must contain the item in one frame of 64 KiB.
    static let maximumSize = 60_000

    var itemID: Int
    /// MediaInformation as the sender wrote it; status messages repeat it, with the duration filled in.
    var media: JSON { didSet { self.mediaSize = self.media.utf8.count } }
    var autoplay: Bool
    /// Seconds from the start at which it begins; `nil` means the beginning, or the live edge.
    var startTime: Double?
    /// Seconds to play from there; a negative value counts from the end.
    var playbackDuration: Double?
    /// Seconds before the end of the previous item at which it is preloaded.
    var preloadTime: Double?
    /// The tracks that are active when the queue reaches it.
    var activeTrackIDs: [Int] { didSet { self.measureExtras() } }
    /// Its position before the queue was shuffled.
    var orderID: Int
    var customData: JSON? { didSet { self.measureExtras() } }
    /// The sender's duration in seconds; `nil` when it stated none.
    private(set) var statedDuration: Double?
    /// The duration of the content; `nil` while the content was not read.
    private(set) var content: Content?
    private(set) var mediaSize: Int
    /// The size of all other variable parts of its element in `items`, in bytes of JSON.
    private(set) var extrasSize: Int

    /// The size of all variable parts, in bytes of JSON.
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

    /// The result of reading the content.
    struct Content: Sendable, Hashable {
        /// The duration in seconds; `nil` when the content does not contain it.
        var seconds: Double?
    }

    /// Marks the content as about to be read, so that no duration is derived from the URL.
    mutating func awaitContent() {
        guard self.content == nil else { return }
        self.content = Content(seconds: nil)
        self.media["duration"] = self.statedDuration.map(JSON.number)
    }

    /// Stores the result of reading the content, which takes precedence over the sender's duration.
    mutating func found(seconds: Double?) {
        self.content = Content(seconds: seconds)
        if !self.isLive, let seconds { self.media["duration"] = .number(seconds) }
    }

    private static func namesContent(_ media: JSON) -> Bool {
        guard media.isObject else { return false }
        return ["contentId", "contentUrl", "entity"].contains { !(media[$0]?.text ?? "").isEmpty }
    }

    /// Fills in the values that a receiver knows and the sender may leave out.
    private mutating func complete() {
        var media = self.media
        self.statedDuration = media["duration"]?.double.flatMap { $0 > 0 ? $0 : nil }
        if media["streamType"]?.text == nil { media["streamType"] = "BUFFERED" }
        if let duration = self.duration { media["duration"] = .number(duration) }
        self.media = media
    }

    /// Applies the changes of `QUEUE_UPDATE`; returns `false` when the new media name no content, or too much of it.
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
    /// The title, from the fields of the metadata types.
    var title: String? {
        let metadata = self.media["metadata"]
        return metadata?["title"]?.text ?? metadata?["songName"]?.text
    }

    /// The position at which the item ends by itself, in seconds; `nil` for live streams and images.
    var end: Double? {
        guard let duration = self.duration, let playbackDuration, playbackDuration != 0 else { return self.duration }
        let start = self.startTime ?? 0
        return playbackDuration > 0 ? min(duration, start + playbackDuration) : max(min(start, duration), duration + playbackDuration)
    }

    /// How much of an item is written.
    enum Extent: Sendable, Hashable {
        case everything
        /// Without media, which senders take from their knowledge of the item.
        case withoutMedia
        /// Without variable parts.
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

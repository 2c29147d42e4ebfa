/// The last pictures of a cache without a folder, so that several viewers of one picture cause one download. Pure.
struct RecentImages {
    /// How long a picture is kept, in seconds.
    static let lifetime: Int64 = 30
    static let countLimit = 32
    /// The largest size of all pictures together, in bytes.
    static let byteLimit = 4 << 20

    private struct Entry {
        var image: CachedImage
        /// Seconds since 1970.
        var until: Int64
    }

    /// Oldest first.
    private var entries: [Entry] = []

    /// Returns the picture of an address; removes those whose time is over. A clock that was set back extends no lifetime.
    mutating func image(at url: String, now: Int64) -> CachedImage? {
        self.entries.removeAll { now >= $0.until || $0.until - now > Self.lifetime }
        return self.entries.first { $0.image.url == url }?.image
    }

    /// Adds a picture in place of the previous one of its address; the oldest pictures make room for it.
    /// - Parameter freshness: limits its time further; `nil` when its server forbids storing it.
    mutating func add(_ image: CachedImage, _ freshness: ImageFreshness?, now: Int64) {
        self.entries.removeAll { $0.image.url == image.url }
        guard let freshness, freshness.isFresh(at: now) else { return }
        self.entries.append(Entry(image: image, until: min(freshness.expires, now + Self.lifetime)))
        var bytes = self.entries.reduce(0) { $0 + $1.image.bytes.count }
        while bytes > Self.byteLimit || self.entries.count > Self.countLimit { bytes -= self.entries.removeFirst().image.bytes.count }
    }

    mutating func removeAll() { self.entries = [] }
}

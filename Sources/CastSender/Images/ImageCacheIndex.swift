/// Lists the pictures on disk and decides which to remove to stay within the limit: the least recently used. Pure.
struct ImageCacheIndex {
    struct Entry: Hashable {
        var bytes: Int
        /// The number of the last use; larger is later.
        var lastUse: UInt64
    }

    /// The largest number of pictures, which also bounds a flood of small ones.
    static let countLimit = 4_096

    private(set) var entries: [String: Entry] = [:]
    private(set) var totalBytes = 0
    private let byteLimit: Int
    private var uses: UInt64 = 0

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// - Returns: whether the picture is stored. The call counts as a use.
    mutating func use(_ name: String) -> Bool {
        guard self.entries[name] != nil else { return false }
        self.uses += 1
        self.entries[name]?.lastUse = self.uses
        return true
    }

    /// Adds a picture that is about to be stored.
    ///
    /// - Parameter bytes: the size of its file.
    /// - Returns: the names of the pictures to remove; `nil` when the picture exceeds the limit of all pictures together.
    mutating func add(_ name: String, bytes: Int) -> [String]? {
        self.remove(name)
        guard bytes <= self.byteLimit else { return nil }
        self.uses += 1
        self.entries[name] = Entry(bytes: bytes, lastUse: self.uses)
        self.totalBytes += bytes
        guard self.totalBytes > self.byteLimit || self.entries.count > Self.countLimit else { return [] }
        var removed: [String] = []
        for (oldest, _) in self.entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            guard self.totalBytes > self.byteLimit || self.entries.count > Self.countLimit else { break }
            self.remove(oldest)
            removed.append(oldest)
        }
        return removed
    }

    mutating func remove(_ name: String) {
        guard let entry = self.entries.removeValue(forKey: name) else { return }
        self.totalBytes -= entry.bytes
    }
}

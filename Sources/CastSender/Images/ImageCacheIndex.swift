/// Knows which pictures are on disk and which have to go to stay within the bound: those that were used longest ago. Pure.
struct ImageCacheIndex {
    struct Entry: Hashable {
        var bytes: Int
        /// Counts uses; larger is later.
        var lastUse: UInt64
    }

    /// Most pictures, so that a flood of small ones is bounded as well.
    static let countLimit = 4_096

    private(set) var entries: [String: Entry] = [:]
    private(set) var totalBytes = 0
    private let byteLimit: Int
    private var uses: UInt64 = 0

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// - Returns: whether the picture is there. It counts as used now.
    mutating func use(_ name: String) -> Bool {
        guard self.entries[name] != nil else { return false }
        self.uses += 1
        self.entries[name]?.lastUse = self.uses
        return true
    }

    /// A picture is to be stored.
    ///
    /// - Parameter bytes: the size of its file.
    /// - Returns: the names of those to remove; `nil` when it is larger than all pictures together may be.
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

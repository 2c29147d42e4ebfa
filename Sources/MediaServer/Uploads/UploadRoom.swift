import BridgeCore

/// Decides which uploaded files have to go. Pure: times are arguments.
struct UploadRoom {
    struct File: Sendable, Hashable {
        let name: String
        let size: Int
        /// Seconds since 1970.
        let modified: Int
    }

    /// The bytes that a disk keeps for others.
    static let reserve = 256 << 20

    let options: UploadOptions

    /// Returns the files whose time is over.
    func expired(_ files: [File], now: Int) -> [File] { files.filter { $0.modified < now - self.options.days * 86_400 } }

    /// Returns the files that make room for one more of `size` bytes, the oldest first.
    func removals(from files: [File], for size: Int) -> [File] {
        var (count, bytes) = (files.count, files.reduce(0) { $0 + $1.size })
        return self.oldest(files) { file in
            guard count >= self.options.countLimit || bytes + size > self.options.byteLimit else { return false }
            (count, bytes) = (count - 1, bytes - file.size)
            return true
        }
    }

    /// Returns the files that free so much of the disk that `size` bytes fit beside the reserve.
    /// - Returns: `nil` when all of them together are not enough.
    func removals(from files: [File], for size: Int, free: Int) -> [File]? {
        var missing = size + Self.reserve - free
        let removed = self.oldest(files) { file in
            guard missing > 0 else { return false }
            missing -= file.size
            return true
        }
        return missing > 0 ? nil : removed
    }

    private func oldest(_ files: [File], while isRemoved: (File) -> Bool) -> [File] {
        Array(files.sorted { ($0.modified, $0.name) < ($1.modified, $1.name) }.prefix(while: isRemoved))
    }

    /// Returns a name for a file whose name comes from elsewhere, with an extension that fits its type.
    static func name(_ given: String, type: String) -> String {
        let allowed = given.unicodeScalars.map { scalar in
            scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || "/\\:*?#\"<>|".unicodeScalars.contains(scalar)
                ? "_" : Character(scalar)
        }
        var stem = String(allowed).drop { $0 == "." || $0 == " " }
        var suffix = ""
        if let dot = stem.lastIndex(of: "."), ContentType.guess(name: String(stem[dot...])) != nil {
            (stem, suffix) = (stem[..<dot], String(stem[dot...]))
        } else {
            suffix = ContentType.fileExtension(of: type).map { ".\($0)" } ?? ""
        }
        while stem.utf8.count > 120 { stem.removeLast() }
        return (stem.isEmpty ? "file" : stem) + suffix
    }
}

import CastModels
import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#endif

/// Stores pictures in files of one folder: a line of JSON, then the bytes. The files are readable by their owner only, because addresses
/// contain secrets.
///
/// The methods block until the disk has finished, so the cache calls them outside of event loops.
struct ImageStore: Sendable {
    /// The line of JSON in front of the picture.
    struct Head: Sendable, Hashable, Codable {
        var url: String
        var freshness: ImageFreshness
    }

    struct StoredImage: Sendable, Hashable {
        var image: CachedImage
        var freshness: ImageFreshness
    }

    struct Listing: Sendable, Hashable {
        var name: String
        var bytes: Int
        /// Seconds since 1970.
        var changed: Int
    }

    private static let suffix = ".image"
    private static let headLimit = 16_384

    let folder: String
    /// The largest picture that is read, in bytes.
    let imageByteLimit: Int

    /// Returns the file name of a picture: the FNV-1a hash of its address. Of two addresses with the same hash only one is kept.
    static func name(of url: String) -> String {
        let hash = url.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16) + Self.suffix
    }

    /// Creates the folder, removes the files of interrupted writes, and lists the pictures, least recently changed first.
    @concurrent func open() async -> [Listing] {
        _ = mkdir(self.folder, 0o700)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.folder)) ?? []
        var listings: [Listing] = []
        for name in names {
            if name.hasSuffix(Self.suffix + ".new") { unlink(self.path(name)) }
            guard name.hasSuffix(Self.suffix), name.dropLast(Self.suffix.count).allSatisfy(\.isHexDigit) else { continue }
            var status = stat()
            guard lstat(self.path(name), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            listings.append(Listing(name: name, bytes: Int(status.st_size), changed: status.st_mtim.tv_sec))
        }
        return listings.sorted { ($0.changed, $0.name) < ($1.changed, $1.name) }
    }

    /// - Returns: `nil` when the file is missing, damaged or of another address.
    @concurrent func read(_ url: String) async -> StoredImage? {
        guard let file = fopen(self.path(Self.name(of: url)), "rbe") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: Self.headLimit + self.imageByteLimit + 1)
        let count = fread(&bytes, 1, bytes.count, file)
        let contents = bytes[..<count]
        guard ferror(file) == 0, let end = contents.firstIndex(of: UInt8(ascii: "\n")), end <= Self.headLimit,
            let head = try? JSONDecoder().decode(Head.self, from: Data(contents[..<end])), head.url == url
        else { return nil }
        let picture = Array(contents[(end + 1)...])
        guard picture.count <= self.imageByteLimit, let format = ImageFormat(picture) else { return nil }
        return StoredImage(image: CachedImage(url: url, format: format, bytes: picture), freshness: head.freshness)
    }

    /// Returns the file content of a picture; `nil` when its address is too long.
    func contents(_ stored: StoredImage) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let head = try? encoder.encode(Head(url: stored.image.url, freshness: stored.freshness)), head.count <= Self.headLimit
        else { return nil }
        return Array(head) + [UInt8(ascii: "\n")] + stored.image.bytes
    }

    /// Replaces a file as a whole. A picture that cannot be stored is fetched again the next time, so no error is reported.
    ///
    /// - Returns: whether the file was written.
    @concurrent func write(_ contents: [UInt8], for url: String) async -> Bool {
        PrivateFile.replace(self.path(Self.name(of: url)), with: contents, syncs: false) == nil
    }

    @concurrent func remove(_ names: [String]) async { for name in names { unlink(self.path(name)) } }

    private func path(_ name: String) -> String { self.folder + "/" + name }
}

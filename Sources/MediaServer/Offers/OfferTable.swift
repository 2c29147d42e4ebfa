import BridgeCore
import CastModels

/// What a device may get.
package enum Content: Sendable, Hashable {
    /// A file below a named folder; with a manifest also the media in the manifest's own folder and below.
    case file(MediaPath)
    /// Subtitles in a file, as WebVTT.
    case subtitles(MediaPath)
    /// Bytes in memory: speech, converted subtitles of the network.
    case bytes([UInt8], type: String)

    /// The bytes that it takes.
    var byteCount: Int { if case .bytes(let bytes, _) = self { bytes.count } else { 0 } }

    /// For a file, as its kind and path; `nil` for bytes, which end with the run.
    fileprivate var kept: (kind: String, path: MediaPath)? {
        switch self {
        case .file(let path): ("file", path)
        case .subtitles(let path): ("subtitles", path)
        case .bytes: nil
        }
    }

    var isKept: Bool { self.kept != nil }
}

/// What is offered now, by path. Pure: times and tokens are arguments.
struct OfferTable {
    static let maximumCount = 4096
    static let maximumBytes = 64 << 20

    struct Offer {
        let content: Content
        /// The last component of its path.
        let name: String
        let lifetime: Duration
        fileprivate(set) var end: Duration
    }

    private var offers: [String: Offer] = [:]
    private(set) var byteCount = 0

    var count: Int { self.offers.count }

    /// Adds an offer; those that end first make room.
    /// - Returns: `false` for content that is larger than all may be together.
    mutating func add(_ content: Content, at token: String, name: String, for lifetime: Duration, now: Duration) -> Bool {
        guard content.byteCount <= Self.maximumBytes else { return false }
        for (token, offer) in self.offers where offer.end <= now { self.remove(token) }
        while self.offers.count >= Self.maximumCount || self.byteCount + content.byteCount > Self.maximumBytes {
            let isShort = self.offers.count < Self.maximumCount
            let candidates = self.offers.lazy.filter { !isShort || $0.value.content.byteCount > 0 }
            guard let first = candidates.min(by: { $0.value.end < $1.value.end }) else { return false }
            self.remove(first.key)
        }
        self.offers[token] = Offer(content: content, name: name, lifetime: lifetime, end: now + lifetime)
        self.byteCount += content.byteCount
        return true
    }

    /// Returns the offer with this token, whose lifetime begins again.
    mutating func take(_ token: String, now: Duration) -> Offer? {
        guard let offer = self.offers[token], offer.end > now else { return nil }
        self.offers[token]?.end = now + offer.lifetime
        return offer
    }

    /// Returns what is offered with this token, whose lifetime stays.
    func content(at token: String) -> Content? { self.offers[token]?.content }

    /// - Returns: what was offered.
    @discardableResult
    mutating func remove(_ token: String) -> Content? {
        guard let offer = self.offers.removeValue(forKey: token) else { return nil }
        self.byteCount -= offer.content.byteCount
        return offer.content
    }

    /// Returns the offers of files, for a later run.
    func kept(now: Duration) -> JSONValue {
        let rows = self.offers.filter { $0.value.end > now }.sorted { $0.key < $1.key }.compactMap { token, offer in
            offer.content.kept.map { kept in
                (token, ["name": .string(offer.name), kept.kind: .string(kept.path.description)] as JSONValue)
            }
        }
        return .object(JSONObject(rows))
    }

    /// Adds what an earlier run kept; its lifetime begins again.
    mutating func add(kept json: JSONValue?, for lifetime: Duration, now: Duration) {
        for member in json?.objectValue?.members ?? [] where OfferPath.isToken(member.key) {
            let row = member.value
            func path(_ kind: String) -> MediaPath? { row[kind]?.stringValue.flatMap { MediaPath($0) } }
            let content: Content? = path("file").map { .file($0) } ?? path("subtitles").map { .subtitles($0) }
            guard let content, let name = row["name"]?.stringValue else { continue }
            _ = self.add(content, at: member.key, name: OfferPath.harmless(name), for: lifetime, now: now)
        }
    }
}

/// The first addresses in a manifest, as far as its beginning contains them. They are relative to the manifest.
package struct ManifestContent: Sendable, Hashable {
    static let itemLimit = 3
    /// The largest number of variants whose codecs are kept.
    package static let variantLimit = 256
    /// The largest list of codecs in bytes; a longer one is ignored.
    static let codecsLimit = 256

    /// The addresses of the first variants and renditions, or of the first key, initialization and segment.
    package private(set) var items: [String] = []
    /// The codecs of each variant that lists codecs.
    package private(set) var variants: [Set<MediaCodec>] = []
    /// Whether the content needs a licence (DRM), and not only a plain key.
    package var isProtected = false
    /// Whether segments are encrypted as a whole, so that their bytes show no format.
    package var hasEncryptedSegments = false
    /// Whether the manifest names nothing to play.
    package var isEmpty = true

    package init() {}

    /// Whether no further address is kept.
    var isFull: Bool { self.items.count >= Self.itemLimit }

    mutating func add(_ item: String) {
        guard !self.isFull, !item.isEmpty, !self.items.contains(item) else { return }
        self.items.append(item)
    }

    mutating func add(variant codecs: Set<MediaCodec>) {
        guard !codecs.isEmpty, self.variants.count < Self.variantLimit else { return }
        self.variants.append(codecs)
    }

    package var codecs: Set<MediaCodec> { self.variants.reduce(into: []) { $0.formUnion($1) } }

    /// The video codecs that every variant with video has, and the audio codecs that every variant with audio has.
    package var requiredCodecs: Set<MediaCodec> {
        [true, false].reduce(into: []) { required, isVideo in
            let sets = self.variants.map { $0.filter { $0.isVideo == isVideo } }.filter { !$0.isEmpty }
            if let first = sets.first { required.formUnion(sets.dropFirst().reduce(first) { $0.intersection($1) }) }
        }
    }

    /// Parses a list of codecs (RFC 6381); empty for a list that is too long.
    static func codecs(_ list: some StringProtocol) -> Set<MediaCodec> {
        guard list.utf8.count <= self.codecsLimit else { return [] }
        return Set(list.split(separator: ",").compactMap { MediaCodec(sampleEntry: String($0).trimmingSpace) })
    }
}

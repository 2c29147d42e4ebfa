/// The addresses that a manifest names first, as far as its beginning shows. They are relative to the manifest.
package struct ManifestContent: Sendable, Hashable {
    /// Most addresses of a manifest that are kept.
    static let itemLimit = 3
    /// Most variants whose codecs are kept.
    package static let variantLimit = 256
    /// Most bytes of a list of codecs; a longer one is not read.
    static let codecsLimit = 256

    /// The first variants and renditions, or the first key, initialization and segment.
    package private(set) var items: [String] = []
    /// The codecs of each variant that names some.
    package private(set) var variants: [Set<MediaCodec>] = []
    /// Whether the content is encrypted for a licence, not by a plain key.
    package var isProtected = false
    /// Whether it names anything to play.
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

    /// Every codec of a variant.
    package var codecs: Set<MediaCodec> { self.variants.reduce(into: []) { $0.formUnion($1) } }

    /// The codecs that every variant with picture has, and those that every variant with sound has.
    package var requiredCodecs: Set<MediaCodec> {
        [true, false].reduce(into: []) { required, isVideo in
            let sets = self.variants.map { $0.filter { $0.isVideo == isVideo } }.filter { !$0.isEmpty }
            if let first = sets.first { required.formUnion(sets.dropFirst().reduce(first) { $0.intersection($1) }) }
        }
    }

    /// Reads a list of codecs (RFC 6381); none of one that is too long.
    static func codecs(_ list: some StringProtocol) -> Set<MediaCodec> {
        guard list.utf8.count <= self.codecsLimit else { return [] }
        return Set(list.split(separator: ",").compactMap { MediaCodec(sampleEntry: String($0).trimmingSpace) })
    }
}

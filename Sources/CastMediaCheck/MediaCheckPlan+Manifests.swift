import CastModels
import HTTPFetch

/// Checks manifests, and the heads of what they name first.
extension MediaCheckPlan {
    /// The formats of the first initializations and segments.
    struct SegmentFormats: Sendable, Hashable {
        /// The first of them.
        var step: MediaCheckStep
        var codecs: Set<MediaCodec> = []
        var isProtected = false
    }

    mutating func handleManifest(_ response: HTTPFetchResponse, _ format: MediaFormat, _ step: MediaCheckStep) {
        let content: ManifestContent
        switch format.container {
        case .hls: content = HLSPlaylist.read(response.body)
        case .dash: content = DASHManifest.read(response.body)
        default: return
        }
        // A truncated playlist may name the media later.
        if content.isEmpty, !response.isCut, response.body.count < MediaCheckStep.headLength {
            self.add(.emptyManifest, step, "The manifest names nothing to play.")
        }
        self.judgeCodecs(content.requiredCodecs, isProtected: content.isProtected, step)
        self.report.facts.codecs = content.codecs.map(\.rawValue).sorted()
        self.hasEncryptedSegments = content.hasEncryptedSegments
        guard let base = FetchAddress(step.url) else { return }
        // Before the tracks, because these items are most of the content.
        var items: [MediaCheckStep] = []
        for item in content.items {
            // Keys may be data, or names for an application.
            guard let address = base.resolving(item), !items.contains(where: { $0.url == address.text }) else { continue }
            items.append(step.next(.manifestItem, .manifestItem, address.text, after: response))
            if address.host != base.host { self.judgeName(of: address.text, .manifestItem) }
        }
        self.steps.insert(contentsOf: items, at: 0)
    }

    /// Checks the head of an initialization or a segment. The playlist of a variant is not followed.
    mutating func handleManifestItem(_ response: HTTPFetchResponse, of step: MediaCheckStep) {
        guard let format = FormatReader.read(response.body) else { return }
        if format.container == .html { return self.add(.webPage, step, "The manifest names an address that is a web page.") }
        guard format.kind == .file, !self.hasEncryptedSegments else { return }
        var segments = self.segments ?? SegmentFormats(step: step)
        segments.codecs.formUnion(format.codecs)
        if format.isProtected { segments.isProtected = true }
        // HLS has segments of Dolby Digital without a container (RFC 8216 section 3.4).
        if format.container == .ac3 { segments.codecs.insert(.ac3) } else { self.judgeContainer(format, step) }
        self.segments = segments
    }

    /// Judges the codecs that only the segments show. The manifest's own list was judged with the manifest.
    mutating func judgeSegments() {
        guard let segments = self.segments else { return }
        self.segments = nil
        let listed = Set(self.report.facts.codecs.compactMap { MediaCodec(rawValue: $0) })
        let isKnownToBeProtected = self.report.findings.contains { $0.code == .protectedContent }
        self.judgeCodecs(
            segments.codecs.subtracting(listed), beside: listed, isProtected: segments.isProtected && !isKnownToBeProtected, segments.step)
    }
}

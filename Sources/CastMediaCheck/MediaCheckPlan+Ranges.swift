import CastModels
import HTTPFetch

/// Checks ranges of files, and text tracks.
extension MediaCheckPlan {
    mutating func judgeRanges(_ response: HTTPFetchResponse, _ format: MediaFormat, _ step: MediaCheckStep) {
        let size = self.report.facts.size
        guard response.status == 206 else {
            // Without a length it is a stream that is generated on the fly; a short file is read as a whole.
            guard let size, size > MediaCheckStep.headLength, self.media.streamType != .live else { return }
            self.report.facts.acceptsRanges = false
            self.add(.noRanges, step, "The server ignores Range requests.")
            if format.isIndexAtEnd {
                self.add(.indexAtEnd, step, "The index of the file is at its end, and the server ignores Range requests.")
            }
            return
        }
        if let fault = RangeRule.fault(
            contentRange: response.value(of: "Content-Range"), offset: 0, count: response.isCut ? nil : response.body.count)
        {
            return self.add(.wrongRanges, step, "The server answers Range requests wrongly: \(fault).")
        }
        self.report.facts.acceptsRanges = true
        let (offset, length) = (1024, 64)
        if response.body.count >= offset + length {
            let expected = Array(response.body[offset..<offset + length])
            self.steps.insert(step.next(.range(offset: offset, expected: expected), .media, step.url, after: response), at: 0)
        }
        if format.isIndexAtEnd, let start = MP4Reader.indexOffset(MediaBytes(bytes: response.body)), size.map({ start < $0 }) ?? true {
            self.steps.insert(step.next(.index(offset: start), .media, step.url, after: response), at: 0)
        }
    }

    mutating func handleRange(_ response: HTTPFetchResponse, of step: MediaCheckStep, offset: Int, expected: [UInt8]) {
        var fault: String?
        if response.status != 206 {
            fault = "one is answered with status 206, another with \(response.status)"
        } else {
            fault = RangeRule.fault(
                contentRange: response.value(of: "Content-Range"), offset: offset, count: response.isCut ? nil : response.body.count)
            // The answer of a slow server may be truncated.
            let isSame = response.isCut ? expected.starts(with: response.body) : response.body == expected
            if fault == nil, !isSame { fault = "the same bytes are different when asked for again" }
        }
        guard let fault else { return }
        self.report.facts.acceptsRanges = false
        self.add(.wrongRanges, step, "The server answers Range requests wrongly: \(fault).")
    }

    mutating func handleIndex(_ response: HTTPFetchResponse, of step: MediaCheckStep) {
        guard response.status == 206 else { return }
        let index = MP4Reader.read(MediaBytes(bytes: response.body))
        self.judgeCodecs(index.codecs, isProtected: index.isProtected, step)
    }

    // MARK: - Tracks

    mutating func handleTrack(_ response: HTTPFetchResponse, of step: MediaCheckStep) {
        switch FormatReader.read(response.body)?.container {
        case .webVTT, .ttml: break
        case .html: self.add(.webPage, step, "The address of a track is a web page.")
        case let other?: self.add(.trackFormat, step, "A track is \(other.title), which receivers don't show.")
        case nil: self.add(.trackFormat, step, "A track is neither WebVTT nor TTML.")
        }
    }

    mutating func handlePreflight(_ response: HTTPFetchResponse, of step: MediaCheckStep) {
        guard (200...299).contains(response.status) else {
            return self.add(
                .corsHeaders, step, "The server answers OPTIONS with status \(response.status), so it allows no headers for a track.")
        }
        let missing = OriginRule.missingHeaders(allowed: response.value(of: "Access-Control-Allow-Headers"))
        guard !missing.isEmpty else { return }
        self.add(.corsHeaders, step, "The server does not allow the headers \(missing.joined(separator: ", ")) for a track.")
    }
}

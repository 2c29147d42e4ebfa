import CastModels
import HTTPFetch

/// Checks the answers: status, origin, and the head of the medium.
extension MediaCheckPlan {
    mutating func handle(_ response: HTTPFetchResponse, of step: MediaCheckStep) {
        switch step.purpose {
        case .preflight: return self.handlePreflight(response, of: step)
        case .range(let offset, let expected): return self.handleRange(response, of: step, offset: offset, expected: expected)
        case .index: return self.handleIndex(response, of: step)
        case .media: self.collectFacts(response, of: step)
        case .manifestItem, .track: break
        }
        guard self.isSuccess(response, of: step) else {
            self.dropPreflight(of: step)
            return
        }
        if step.needsOrigin { self.judgeOrigin(response, of: step) }
        switch step.purpose {
        case .track: self.handleTrack(response, of: step)
        case .manifestItem: self.handleManifestItem(response, of: step)
        default: self.handleMedia(response, of: step)
        }
    }

    private mutating func collectFacts(_ response: HTTPFetchResponse, of step: MediaCheckStep) {
        let range = response.value(of: "Content-Range").flatMap { RangeRule.ContentRange($0) }
        self.report.facts.url = step.url
        self.report.facts.address = response.address.description
        self.report.facts.status = response.status
        self.report.facts.contentType = response.value(of: "Content-Type")
        if response.status == 206 { self.report.facts.size = range?.size }
        if response.status == 200 { self.report.facts.size = response.value(of: "Content-Length").flatMap { Int($0) } }
        self.report.facts.allowedOrigin = response.value(of: "Access-Control-Allow-Origin")
    }

    private mutating func isSuccess(_ response: HTTPFetchResponse, of step: MediaCheckStep) -> Bool {
        let answer = "The server answers with status \(response.status)"
        switch response.status {
        case 200, 206:
            if !response.body.isEmpty { return true }
            self.add(
                response.isCut ? .timedOut : .empty, step, response.isCut ? "The server sends no content." : "The content has no bytes.")
        case 416:
            let isEmpty = response.value(of: "Content-Range").flatMap { RangeRule.ContentRange($0) }?.size == 0
            self.add(isEmpty ? .empty : .wrongRanges, step, isEmpty ? "The content has no bytes." : "\(answer) to a valid Range request.")
        case 401, 407: self.add(.loginRequired, step, "\(answer): it wants a login.")
        case 403: self.add(.forbidden, step, "\(answer): it refuses access.")
        case 404: self.add(.notFound, step, "\(answer): there is nothing at this address.")
        case 410: self.add(.gone, step, "\(answer): the content is no longer available.")
        case 500...599: self.add(.serverError, step, "\(answer): it has a fault.")
        default: self.add(.badStatus, step, "\(answer).")
        }
        return false
    }

    mutating func judgeOrigin(_ response: HTTPFetchResponse, of step: MediaCheckStep) {
        let allowed = response.value(of: "Access-Control-Allow-Origin")
        guard let code = step.originOfRedirects ?? OriginRule.finding(allowed: allowed) else { return }
        if step.originOfRedirects != nil {
            let fault = code == .corsOtherOrigin ? "allows only another origin than that of" : "sends no Access-Control-Allow-Origin for"
            self.add(code, step, "A redirect to this address \(fault) Google's receivers, so they may not follow it.")
        } else if code == .corsOtherOrigin {
            self.add(code, step, "The server allows only the origin \((allowed ?? "").excerpt), not that of Google's receivers.")
        } else {
            self.add(code, step, "The server sends no Access-Control-Allow-Origin, so receivers may not read it.")
        }
    }

    // MARK: - The medium

    private mutating func handleMedia(_ response: HTTPFetchResponse, of step: MediaCheckStep) {
        let type = response.value(of: "Content-Type").map(ContentTypeRule.bare)
        guard let format = FormatReader.read(response.body) else {
            if type.map({ ContentTypeRule.fits($0, .html) }) == true {
                self.add(.webPage, step, "The address is a web page.")
            } else {
                self.add(.unknownFormat, step, "The first bytes show no known format.")
            }
            return
        }
        self.report.facts.container = format.container.rawValue
        guard format.container != .html else { return self.add(.webPage, step, "The address is a web page.") }
        self.judgeType(type, format, step)
        self.judgeLoadType(format, step)
        self.judgeContainer(format, step)
        if format.kind == .adaptive || !self.tracks.isEmpty { self.judgeOrigin(response, of: step) }
        switch format.kind {
        case .adaptive: self.handleManifest(response, format, step)
        case .file:
            self.judgeCodecs(format.codecs, isProtected: format.isProtected, step)
            self.judgeRanges(response, format, step)
        case .image: self.judgeScreen(hasPicture: true, isImage: true, step)
        case .text, .other: break
        }
    }

    private mutating func judgeType(_ type: String?, _ format: MediaFormat, _ step: MediaCheckStep) {
        guard let type, !type.isEmpty else {
            return self.add(.noContentType, step, "The server sends no Content-Type; the content is \(format.container.title).")
        }
        guard !ContentTypeRule.fits(type, format.container) else { return }
        self.add(.wrongContentType, step, "The server says \(type.excerpt); the content is \(format.container.title).")
    }

    private mutating func judgeLoadType(_ format: MediaFormat, _ step: MediaCheckStep) {
        guard let declared = self.media.contentType.map(ContentTypeRule.bare), !ContentTypeRule.fits(declared, format.container) else {
            return
        }
        let kind = ContentTypeRule.kind(of: declared)
        let isOtherPlayer = format.kind == .adaptive || kind != nil && kind != format.kind
        // A file is played with any type that belongs to files.
        guard isOtherPlayer || kind != nil else { return }
        self.add(
            .wrongLoadType, .media, url: step.url, "It is loaded as \(declared.excerpt); the content is \(format.container.title).",
            severity: isOtherPlayer ? .error : .warning)
    }

    mutating func judgeContainer(_ format: MediaFormat, _ step: MediaCheckStep) {
        let title = format.container.title
        switch format.kind == .text ? false : format.container.isPlayed {
        case true?: break
        case false?: self.add(.containerNotSupported, step, "The content is \(title), which Cast devices don't play.")
        case nil: self.add(.containerDependsOnDevice, step, "The content is \(title), which only some Cast devices play.")
        }
    }

    /// - Parameter others: codecs of other tracks, among which receivers may select.
    mutating func judgeCodecs(
        _ codecs: Set<MediaCodec>, beside others: Set<MediaCodec> = [], isProtected: Bool, _ step: MediaCheckStep
    ) {
        let sorted = codecs.sorted { $0.rawValue < $1.rawValue }
        let known = Set(self.report.facts.codecs).union(sorted.map(\.rawValue))
        self.report.facts.codecs = known.sorted()
        let titles = { (codecs: [MediaCodec]) in codecs.map(\.title).joined(separator: ", ") }
        let unplayed = sorted.filter { $0.isPlayed == false }
        // Receivers select among the tracks of a kind.
        let all = codecs.union(others)
        let fatal = unplayed.filter { codec in !all.contains { $0.isVideo == codec.isVideo && $0.isPlayed != false } }
        if !fatal.isEmpty {
            self.add(.codecNotSupported, step, "It is coded in \(titles(fatal)), which Cast devices don't play.")
        } else if !unplayed.isEmpty {
            self.add(
                .codecNotSupported, step.subject, url: step.url,
                "One of its tracks is coded in \(titles(unplayed)), which Cast devices don't play.", severity: .warning)
        }
        let unsure = sorted.filter(\.needsWarning)
        if !unsure.isEmpty { self.add(.codecDependsOnDevice, step, "It is coded in \(titles(unsure)), which only some Cast devices play.") }
        if isProtected { self.add(.protectedContent, step, "The content is encrypted and needs a licence.") }
        self.judgeScreen(hasPicture: codecs.contains(where: \.isVideo), isImage: false, step)
    }

    private mutating func judgeScreen(hasPicture: Bool, isImage: Bool, _ step: MediaCheckStep) {
        guard hasPicture, let capabilities = self.capabilities, !capabilities.contains(.videoOut) else { return }
        self.add(
            .noScreen, .media, url: step.url,
            isImage ? "The content is an image, and the device has no screen." : "The content has a picture, and the device has no screen.",
            severity: isImage ? .error : .warning)
    }
}

import CastModels
import HTTPFetch

/// Decides what the check fetches next and interprets each answer. Pure: answers, certificates and time are arguments.
///
/// ```
///  media ─► range, index of MP4 ─► items of the manifest ─► each track, its preflight ─► finished
///    └─ a redirect is fetched in its place; TLS that failed asks for the certificates of the server
/// ```
package struct MediaCheckPlan: Sendable {
    package enum Action: Sendable, Hashable {
        /// Fetch this request and call `answered`.
        case fetch(HTTPFetchRequest)
        /// Read the server's certificates and call `certificates`.
        case certificates(url: String, scopes: Set<AddressPolicy.Scope>?, limit: Duration)
        case finished(MediaCheckReport)
    }

    /// The time limits of one fetch.
    package struct Pace: Sendable, Hashable {
        /// The time limit of an answer; a server that exceeds it is reported. Must be below the limit of the whole check.
        package var fetch = Duration.seconds(3)
        /// The time limit of a body; a longer one is truncated, which is no finding.
        package var body = Duration.seconds(1)
        /// The time limit of the connection to one address. It leaves time for a second address, and for a lost first packet, which is sent
        /// again after 1 s (RFC 6298 section 2.1).
        var connection: Duration { self.fetch * 2 / 5 }

        package init() {}
    }

    /// The largest size of all bodies together, in bytes. Headers count as well, but those of the last answer only when it has arrived; the
    /// HTTP parser limits them.
    package static let byteLimit = 256_000
    /// The largest number of requests, redirects included.
    package static let fetchLimit = 32
    static let redirectLimit = 8
    /// The largest number of tracks that are checked.
    static let trackLimit = 4

    let media: MediaInformation
    let capabilities: DeviceCapabilities?
    private let hostsFile: Set<String>
    private let now: Int64
    private let pace: Pace
    var steps: [MediaCheckStep] = []
    private var current: MediaCheckStep?
    /// The step whose TLS handshake failed.
    private var refused: MediaCheckStep?
    private var bytesLeft = MediaCheckPlan.byteLimit
    private var fetchesLeft = MediaCheckPlan.fetchLimit
    private var isLastFetchShort = false
    /// Whether the segments of the manifest show no format.
    var hasEncryptedSegments = false
    /// What the heads of initializations and segments show; judged together, because adaptation sets may be alternatives.
    var segments: SegmentFormats?
    var report = MediaCheckReport()

    /// - Parameters:
    ///   - capabilities: the capabilities of the device; `nil` when unknown.
    ///   - hostsFile: the names of this machine's hosts file, in lower case.
    ///   - now: seconds since 1970.
    package init(media: MediaInformation, capabilities: DeviceCapabilities?, hostsFile: Set<String>, now: Int64, pace: Pace = Pace()) {
        self.media = media
        self.capabilities = capabilities
        self.hostsFile = hostsFile
        self.now = now
        self.pace = pace
        let url = media.contentURL ?? media.contentID ?? ""
        guard FetchAddress(url) != nil else {
            self.add(.invalidURL, .media, url: url, "The medium has no http or https address.")
            return
        }
        self.report.facts.url = url
        self.steps = [MediaCheckStep(.media, .media, url)]
        self.judgeName(of: url, .media)
        for track in self.tracks {
            guard let url = track.contentID, FetchAddress(url) != nil else {
                self.add(.invalidURL, .track, url: track.contentID, "A track has no http or https address.")
                continue
            }
            self.steps += [MediaCheckStep(.track, .track, url), MediaCheckStep(.preflight, .track, url)]
            self.judgeName(of: url, .track)
        }
    }

    /// The text tracks outside the medium.
    var tracks: ArraySlice<MediaTrack> {
        self.media.tracks.filter { $0.type == .text && $0.contentID != nil && $0.isInband != true }.prefix(Self.trackLimit)
    }

    /// - Parameter remaining: the remaining time of the check.
    package mutating func next(remaining: Duration) -> Action {
        if self.steps.first?.purpose != .manifestItem { self.judgeSegments() }
        let limit = min(remaining, self.pace.fetch)
        let isOver = remaining <= .zero || self.bytesLeft <= 0 || self.fetchesLeft <= 0
        if let refused = self.refused {
            if !isOver { return .certificates(url: refused.url, scopes: refused.scopes, limit: limit) }
            self.certificates([])
        }
        guard let step = self.steps.first else { return .finished(self.finalReport) }
        if isOver {
            self.report.isComplete = false
            return .finished(self.finalReport)
        }
        self.steps.removeFirst()
        self.current = step
        self.fetchesLeft -= 1
        self.isLastFetchShort = limit < self.pace.fetch
        return .fetch(step.request(bytesLeft: self.bytesLeft, limit: limit, pace: self.pace))
    }

    package mutating func answered(_ result: Result<HTTPFetchResponse, HTTPFetchError>) {
        guard let step = self.current else { return }
        self.current = nil
        switch result {
        case .failure(let error): self.failed(step, error)
        case .success(let response):
            self.bytesLeft -= response.body.count + response.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
            if step.purpose != .preflight, response.isRedirect { return self.redirected(step, response) }
            self.handle(response, of: step)
        }
    }

    /// - Parameter chain: DER certificates, the server's own first; empty when the server sent none.
    package mutating func certificates(_ chain: [[UInt8]]) {
        guard let step = self.refused else { return }
        self.refused = nil
        let (code, text) = CertificateFault.finding(chain: chain, host: FetchAddress(step.url)?.host ?? "", now: self.now)
        self.add(code, step, text)
    }

    // MARK: - Failures and redirects

    private mutating func failed(_ step: MediaCheckStep, _ error: HTTPFetchError) {
        // A later step that depends on this one would show nothing new.
        self.dropPreflight(of: step)
        switch error.code {
        case .invalidURL: self.add(.invalidURL, step, "The address is no http or https address.")
        case .nameNotResolved where error.isLookupLate && self.isLastFetchShort: self.report.isComplete = false
        case .nameNotResolved: self.add(.nameNotResolved, step, "The name of the server has no address.")
        case .addressRefused: self.refusedAddress(step, error)
        case .unreachable: self.add(.unreachable, step, "No connection to \(error.address.map(\.description) ?? "the server").")
        case .tlsFailed: self.refused = step
        case .timedOut where self.isLastFetchShort: self.report.isComplete = false
        case .timedOut: self.add(.timedOut, step, "The server sends no answer within \(self.pace.fetch.components.seconds) s.")
        case .invalidAnswer: self.add(.invalidAnswer, step, "The server does not answer as a web server.")
        case .cancelled:
            self.steps = []
            self.report.isComplete = false
        }
    }

    private mutating func refusedAddress(_ step: MediaCheckStep, _ error: HTTPFetchError) {
        let host = FetchAddress(step.url)?.host ?? ""
        switch error.address.map(AddressPolicy.scope) {
        case .loopback: self.add(.loopbackAddress, step, "\(host) is this machine's loopback address.")
        case .linkLocal: self.add(.linkLocalAddress, step, "\(host) is a link-local address.")
        case .privateNetwork where step.scopes?.contains(.privateNetwork) == false:
            self.add(.addressRefused, step, "A server on the Internet leads to \(host), which is in a private network.")
        case .multicast, .privateNetwork, .global, nil: self.add(.addressRefused, step, "\(host) is an address that is not fetched from.")
        }
    }

    private mutating func redirected(_ step: MediaCheckStep, _ response: HTTPFetchResponse) {
        if step.purpose == .media { self.report.facts.redirectCount += 1 }
        guard let from = FetchAddress(step.url), let target = response.value(of: "Location").flatMap(from.resolving) else {
            self.dropPreflight(of: step)
            return self.add(.invalidURL, step, "The server redirects to something that is no http or https address.")
        }
        var next = step.next(step.purpose, step.subject, target.text, after: response)
        next.previous = step.previous + [step.url]
        next.originOfRedirects = step.originOfRedirects ?? OriginRule.finding(allowed: response.value(of: "Access-Control-Allow-Origin"))
        if next.previous.contains(target.text) {
            self.dropPreflight(of: step)
            return self.add(.redirectLoop, step, "The server redirects in a circle.")
        }
        if next.previous.count > Self.redirectLimit {
            self.dropPreflight(of: step)
            return self.add(.tooManyRedirects, step, "The server redirects more than \(Self.redirectLimit) times.")
        }
        if from.isSecure, !target.isSecure { self.add(.redirectToHTTP, step, "The server redirects from https to http.") }
        if target.host != from.host { self.judgeName(of: target.text, step.subject) }
        // Questions about the first address continue with the last one.
        for index in self.steps.indices where self.steps[index].purpose == .preflight && self.steps[index].url == step.url {
            self.steps[index] = step.next(.preflight, self.steps[index].subject, target.text, after: response)
        }
        self.steps.insert(next, at: 0)
    }

    /// Removes the preflight of a track that could not be fetched.
    mutating func dropPreflight(of step: MediaCheckStep) {
        guard step.purpose == .track else { return }
        self.steps.removeAll { $0.purpose == .preflight && $0.url == step.url }
    }

    // MARK: - Findings

    mutating func judgeName(of url: String, _ subject: MediaFinding.Subject) {
        guard let host = FetchAddress(url)?.host, let code = HostNameRule.finding(host: host, hostsFile: self.hostsFile) else { return }
        switch code {
        case .hostsFileName:
            self.add(code, subject, url: url, "The name \(host) is in this machine's hosts file, which devices don't have.")
        case .loopbackAddress: self.add(code, subject, url: url, "\(host) is, on a device, the device itself.")
        default: self.add(code, subject, url: url, "The name \(host) is known in this network only.")
        }
    }

    mutating func add(_ code: MediaFinding.Code, _ step: MediaCheckStep, _ text: String) {
        self.add(code, step.subject, url: step.url, text)
    }

    /// Adds a finding, once for each part of the medium.
    mutating func add(
        _ code: MediaFinding.Code, _ subject: MediaFinding.Subject, url: String?, _ text: String, severity: MediaFinding.Severity? = nil
    ) {
        guard !self.report.findings.contains(where: { $0.code == code && $0.subject == subject }) else { return }
        var finding = MediaFinding(code, subject, url: url, text)
        if let severity { finding.severity = severity }
        self.report.findings.append(finding)
    }

    private var finalReport: MediaCheckReport {
        var report = self.report
        report.findings = report.findings.filter { $0.severity == .error } + report.findings.filter { $0.severity == .warning }
        return report
    }
}

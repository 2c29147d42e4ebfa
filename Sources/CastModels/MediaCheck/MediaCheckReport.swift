/// The result of `MediaCheck`.
public struct MediaCheckReport: Sendable, Hashable {
    /// Errors first; empty when nothing is wrong as far as the check reaches.
    public var findings: [MediaFinding]
    public var facts: MediaFacts
    /// Whether everything was fetched that the check wanted; not when its limit of time or bytes ended it.
    public var isComplete: Bool

    public init(findings: [MediaFinding] = [], facts: MediaFacts = MediaFacts(), isComplete: Bool = true) {
        self.findings = findings
        self.facts = facts
        self.isComplete = isComplete
    }

    public var hasErrors: Bool { self.findings.contains { $0.severity == .error } }
}

/// The facts about a medium that its server and the head of the file show.
public struct MediaFacts: Sendable, Hashable {
    /// The address after all redirects.
    public var url: String?
    /// The numeric address that answered.
    public var address: String?
    /// The HTTP status.
    public var status: Int?
    public var redirectCount: Int
    /// The Content-Type header.
    public var contentType: String?
    /// In bytes; `nil` when the server doesn't say.
    public var size: Int?
    /// The format that the first bytes show (`mp4`, `hls` …); `nil` when it is not known.
    public var container: String?
    /// The codecs that the head of the file or the manifest names (`h264`, `aac` …).
    public var codecs: [String]
    /// Whether the server answers requests for a range of bytes; `nil` when that was not tried.
    public var acceptsRanges: Bool?
    /// The Access-Control-Allow-Origin header.
    public var allowedOrigin: String?

    public init() {
        self.redirectCount = 0
        self.codecs = []
    }
}

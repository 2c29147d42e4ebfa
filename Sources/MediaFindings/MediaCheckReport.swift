/// The result of `MediaCheck`.
public struct MediaCheckReport: Sendable, Hashable {
    /// The findings, errors first; empty when the check found no fault.
    public var findings: [MediaFinding]
    public var facts: MediaFacts
    /// Whether the check fetched everything that it needed; `false` when its limit of time or bytes ended it.
    public var isComplete: Bool

    public init(findings: [MediaFinding] = [], facts: MediaFacts = MediaFacts(), isComplete: Bool = true) {
        self.findings = findings
        self.facts = facts
        self.isComplete = isComplete
    }

    public var hasErrors: Bool { self.findings.contains { $0.severity == .error } }
}

/// Facts about a medium from its server and the head of the file.
public struct MediaFacts: Sendable, Hashable {
    /// The address after all redirects.
    public var url: String?
    /// The numeric address that answered.
    public var address: String?
    /// The HTTP status code.
    public var status: Int?
    public var redirectCount: Int
    /// The Content-Type header.
    public var contentType: String?
    /// The size in bytes; `nil` when the server does not report it.
    public var size: Int?
    /// The format, detected from the first bytes (`mp4`, `hls` …); `nil` when unknown.
    public var container: String?
    /// The codecs that the head of the file or the manifest names (`h264`, `aac` …).
    public var codecs: [String]
    /// Whether the server supports range requests; `nil` when that was not checked.
    public var acceptsRanges: Bool?
    /// The Access-Control-Allow-Origin header.
    public var allowedOrigin: String?

    public init() {
        self.redirectCount = 0
        self.codecs = []
    }
}

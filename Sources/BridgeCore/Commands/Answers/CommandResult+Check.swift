import CastModels
import MediaFindings

/// The result of a media check in answers and in the output of `cast2mqtt check --json`.
extension MediaCheckReport {
    public var json: JSONObject {
        ["findings": self.findingsJSON, "media": .object(self.facts.json), "complete": .bool(self.isComplete)]
    }

    /// An array, empty when nothing was found.
    public var findingsJSON: JSONValue { .array(self.findings.map { .object($0.json) }) }
}

extension MediaFinding {
    fileprivate var json: JSONObject {
        [
            "code": .string(self.code.rawValue), "severity": .string(self.severity.rawValue), "subject": .string(self.subject.rawValue),
            "text": .string(self.text), "remedy": .string(self.remedy), "url": self.url.map { .string($0.shortened(to: 1000)) } ?? .null,
        ]
    }
}

extension MediaFacts {
    fileprivate var json: JSONObject {
        let text = { (text: String?) -> JSONValue in text.map { .string($0.shortened(to: 1000)) } ?? .null }
        return [
            "url": text(self.url), "address": text(self.address), "status": self.status.map { .integer(Int64($0)) } ?? .null,
            "redirects": .integer(Int64(self.redirectCount)), "content_type": text(self.contentType),
            "size": self.size.map { .integer(Int64($0)) } ?? .null, "container": text(self.container),
            "codecs": .array(self.codecs.map { .string($0) }), "ranges": self.acceptsRanges.map { .bool($0) } ?? .null,
            "allowed_origin": text(self.allowedOrigin),
        ]
    }
}

extension CommandResult {
    /// Whether the medium may be the cause of this result of a load.
    public var isWorthChecking: Bool { self.code == .loadFailed || self.code == .timeout }

    /// Returns the result of a failed load with the findings of the check of its medium. The first error's remedy becomes the hint.
    public func adding(_ report: MediaCheckReport) -> CommandResult {
        var result = self
        result.data["findings"] = report.findingsJSON
        if let finding = report.findings.first(where: { $0.severity == .error }) { result.hint = finding.remedy }
        return result
    }
}

/// A reason why a device can't play a medium, or may not play it well.
public struct MediaFinding: Sendable, Hashable {
    /// The kind of a finding. New ones may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name in topics and in JSON.
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
    }

    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// Devices can't play the medium.
        case error
        /// Some devices can't play the medium, or something beside playing does not work.
        case warning
    }

    /// The part of the medium that a finding is about.
    public enum Subject: String, Sendable, Hashable, CaseIterable {
        /// The address that was loaded.
        case media
        /// A playlist, an initialization or a segment that the manifest names.
        case manifestItem = "manifest_item"
        /// A track outside the medium.
        case track
    }

    public var code: Code
    public var severity: Severity
    public var subject: Subject
    /// The finding in one sentence, for people.
    public var text: String
    /// How to remove the cause, for people.
    public var remedy: String
    /// The address that the finding is about, query included.
    public var url: String?

    public init(_ code: Code, severity: Severity, subject: Subject = .media, text: String, remedy: String, url: String? = nil) {
        self.code = code
        self.severity = severity
        self.subject = subject
        self.text = text
        self.remedy = remedy
        self.url = url
    }
}

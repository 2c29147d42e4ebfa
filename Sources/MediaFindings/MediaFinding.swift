/// A reason why devices cannot play a medium, or may play it badly.
public struct MediaFinding: Sendable, Hashable {
    /// The kind of a finding. New ones may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name in topics and in JSON.
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
    }

    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// Devices cannot play the medium.
        case error
        /// Some devices cannot play the medium, or a feature other than playback does not work.
        case warning
    }

    /// The part of the medium that has the fault.
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
    /// The address with the fault, including its query.
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

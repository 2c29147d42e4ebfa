import CastModels

/// Decides which namespaces of applications may be used over MQTT. Only listed ones are allowed.
public struct NamespacePolicy: Sendable, Hashable {
    /// The longest namespace, in characters, as senders limit it.
    public static let maximumLength = 128

    private static let prefix = "urn:x-cast:"
    /// The platform's own namespaces. A pattern with a wildcard never matches them.
    private static let platformPrefix = "urn:x-cast:com.google.cast."
    /// Namespaces of the platform's own protocol: any message on them could end the session.
    private static let linkPrefix = "urn:x-cast:com.google.cast.tp."

    private let patterns: [GlobPattern]

    /// - Parameter patterns: exact namespaces, or globs.
    public init(_ patterns: [GlobPattern] = []) { self.patterns = patterns }

    public var isEmpty: Bool { self.patterns.isEmpty }

    /// The most open namespaces of one device.
    public static let maximumChannels = 16

    /// Returns the allowed namespaces among those of an application, in alphabetical order; of too many the first ones.
    public func channels(of spoken: [String]) -> [String] {
        guard !self.isEmpty else { return [] }
        return Array(Set(spoken.filter { self.allows($0) }).sorted().prefix(Self.maximumChannels))
    }

    /// The namespaces that are listed without a wildcard, in alphabetical order; of too many the first ones.
    var listed: [String] {
        Array(
            Set(self.patterns.map(\.pattern).filter { !$0.contains { $0 == "*" || $0 == "?" } && self.allows($0) }).sorted()
                .prefix(Self.maximumChannels))
    }

    /// Returns whether messages of `namespace` may be sent and received.
    public func allows(_ namespace: String) -> Bool {
        guard Self.isValid(namespace), !namespace.hasPrefix(Self.linkPrefix) else { return false }
        let isPlatform = namespace.hasPrefix(Self.platformPrefix)
        return self.patterns.contains { isPlatform ? $0.pattern == namespace : $0.matches(namespace) }
    }

    /// Returns whether `namespace` is valid: `urn:x-cast:` and more, in characters that are allowed in a topic level and in a frame.
    public static func isValid(_ namespace: String) -> Bool {
        namespace.hasPrefix(self.prefix) && namespace.utf8.count > self.prefix.utf8.count && namespace.count <= self.maximumLength
            && namespace.utf8.allSatisfy {
                (0x21..<0x7F).contains($0) && ![UInt8(ascii: "/"), UInt8(ascii: "+"), UInt8(ascii: "#")].contains($0)
            }
    }
}

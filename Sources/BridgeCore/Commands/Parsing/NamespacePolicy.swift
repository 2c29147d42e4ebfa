import CastModels

/// Which namespaces of applications may be spoken over MQTT. Nothing is allowed unless it is listed.
package struct NamespacePolicy: Sendable, Hashable {
    /// Longest namespace, in characters, as senders limit it.
    package static let maximumLength = 128

    private static let prefix = "urn:x-cast:"
    /// The platform's own namespaces: a pattern with a wildcard never means them.
    private static let platformPrefix = "urn:x-cast:com.google.cast."
    /// What the platform's own conversation goes over: whoever wrote there would end the session.
    private static let linkPrefix = "urn:x-cast:com.google.cast.tp."

    private let patterns: [GlobPattern]

    /// - Parameter patterns: exact namespaces, or globs.
    package init(_ patterns: [GlobPattern] = []) { self.patterns = patterns }

    /// Whether nothing at all is allowed.
    package var isEmpty: Bool { self.patterns.isEmpty }

    /// The most namespaces of one device that are open at once.
    package static let maximumChannels = 16

    /// Returns the namespaces to open of those that an application speaks, in alphabetical order; of too many the first ones.
    package func channels(of spoken: [String]) -> [String] {
        guard !self.isEmpty else { return [] }
        return Array(Set(spoken.filter { self.allows($0) }).sorted().prefix(Self.maximumChannels))
    }

    /// The namespaces that are listed without a wildcard, in alphabetical order; of too many the first ones.
    var listed: [String] {
        Array(
            Set(self.patterns.map(\.pattern).filter { !$0.contains { $0 == "*" || $0 == "?" } && self.allows($0) }).sorted()
                .prefix(Self.maximumChannels))
    }

    /// Whether messages of `namespace` may go to and fro.
    package func allows(_ namespace: String) -> Bool {
        guard Self.isValid(namespace), !namespace.hasPrefix(Self.linkPrefix) else { return false }
        let isPlatform = namespace.hasPrefix(Self.platformPrefix)
        return self.patterns.contains { isPlatform ? $0.pattern == namespace : $0.matches(namespace) }
    }

    /// Whether `namespace` is one: `urn:x-cast:` and something behind it, in characters that a topic level and a frame can hold.
    package static func isValid(_ namespace: String) -> Bool {
        namespace.hasPrefix(self.prefix) && namespace.utf8.count > self.prefix.utf8.count && namespace.count <= self.maximumLength
            && namespace.utf8.allSatisfy {
                (0x21..<0x7F).contains($0) && ![UInt8(ascii: "/"), UInt8(ascii: "+"), UInt8(ascii: "#")].contains($0)
            }
    }
}

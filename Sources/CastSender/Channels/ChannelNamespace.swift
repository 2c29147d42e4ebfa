import CastModels
import CastProtocol

/// Checks the namespace of a custom channel, by the rules of the SDK.
enum ChannelNamespace {
    /// The longest namespace, in characters.
    static let maximumLength = 128

    /// The prefix of the platform's own namespaces. A message of ours there could end the session.
    private static let transportPrefix = CastNamespace.reservedPrefix + "tp."

    /// - Throws: `invalidRequest` with the fault; `notAllowed` for the platform's own namespaces.
    static func validate(_ namespace: String) throws(CastError) {
        guard !namespace.isEmpty else { throw Self.wrong("is empty") }
        guard namespace.count <= Self.maximumLength else { throw Self.wrong("has more than \(Self.maximumLength) characters") }
        guard namespace.hasPrefix(CastNamespace.prefix) else { throw Self.wrong("doesn't begin with \(CastNamespace.prefix)") }
        guard namespace != CastNamespace.prefix else { throw Self.wrong("has nothing after \(CastNamespace.prefix)") }
        guard !namespace.hasPrefix(Self.transportPrefix) else {
            throw CastError(.notAllowed, detail: "\(Self.transportPrefix)… is the link's own", argument: "namespace")
        }
    }

    private static func wrong(_ what: String) -> CastError { .invalidArgument("namespace", "it \(what)") }
}

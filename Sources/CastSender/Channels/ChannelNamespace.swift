import CastModels
import CastProtocol

/// What a custom channel's namespace may be, as the SDK checks it.
enum ChannelNamespace {
    /// The most characters.
    static let maximumLength = 128

    /// What the platform's own conversation goes over: whoever wrote there would end the session, not use it.
    private static let transportPrefix = CastNamespace.reservedPrefix + "tp."

    /// - Throws: `invalidRequest` that says what is wrong; `notAllowed` for the platform's own conversation.
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

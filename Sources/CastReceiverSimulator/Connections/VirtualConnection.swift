/// A virtual connection inside a socket: a sender's id bound to the platform or to an application's transport.
struct VirtualConnection: Sendable, Hashable {
    /// `connType` of `CONNECT`.
    enum Kind: Int, Sendable, Hashable {
        /// Counts as a sender that holds the application open.
        case strong = 0
        /// The application sees it but may end without it.
        case weak = 1
        /// The application does not see it; it receives broadcasts and may send.
        case invisible = 2

        var name: String {
            switch self {
            case .strong: "strong"
            case .weak: "weak"
            case .invisible: "invisible"
            }
        }
    }

    var source: String
    var destination: String
    var kind: Kind
}

/// A virtual connection on a socket, between a sender's id and the platform or an application's transport.
struct VirtualConnection: Sendable, Hashable {
    /// The kind, `connType` of `CONNECT`.
    enum Kind: Int, Sendable, Hashable {
        /// The application counts it as a sender and stays open for it.
        case strong = 0
        /// The application sees the sender but may end without it.
        case weak = 1
        /// The application does not see the sender, which receives broadcasts and may send messages.
        case invisible = 2
    }

    var source: String
    var destination: String
    var kind: Kind
}

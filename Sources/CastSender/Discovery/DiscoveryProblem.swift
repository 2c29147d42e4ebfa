import CastModels

/// A host or an interface of the configuration at which discovery finds nothing, and the reason.
public struct DiscoveryProblem: Sendable, Hashable {
    public enum Place: Sendable, Hashable {
        case host(KnownHost)
        /// The name of a network interface.
        case interface(String)

        /// The host with its port, or the name of the interface.
        public var name: String {
            switch self {
            case .host(let host): host.endpoint.description
            case .interface(let name): name
            }
        }
    }

    public var place: Place
    /// The reason, for people.
    public var reason: String
    /// Whether the device answered and did not prove that it is genuine.
    public var isAuthenticationFailure = false
}

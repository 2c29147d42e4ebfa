extension DiscoveryManager {
    /// Where to look and what for.
    public struct Configuration: Sendable, Hashable {
        public var isMulticastEnabled: Bool
        /// Names of network interfaces; empty for all that are up and can multicast, `!name` for all but that one (`!br-*` for all but those that begin so).
        public var interfaces: [String]
        public var knownHosts: [KnownHost]
        public var criteria: DiscoveryCriteria
        /// Whether to listen only, after the first questions; otherwise every network is asked again each 15 s.
        public var isPassive: Bool

        public init(
            isMulticastEnabled: Bool = true, interfaces: [String] = [], knownHosts: [KnownHost] = [],
            criteria: DiscoveryCriteria = DiscoveryCriteria(), isPassive: Bool = true
        ) {
            self.isMulticastEnabled = isMulticastEnabled
            self.interfaces = interfaces
            self.knownHosts = knownHosts
            self.criteria = criteria
            self.isPassive = isPassive
        }
    }
}

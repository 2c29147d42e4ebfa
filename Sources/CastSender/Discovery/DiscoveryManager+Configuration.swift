extension DiscoveryManager {
    /// Where to search, and for which devices.
    public struct Configuration: Sendable, Hashable {
        public var isMulticastEnabled: Bool
        /// Names of network interfaces. Empty selects all that are up and can multicast; `!name` selects all except that one (`!br-*` all
        /// except those with that prefix).
        public var interfaces: [String]
        public var knownHosts: [KnownHost]
        public var criteria: DiscoveryCriteria
        /// Whether to only listen after the first queries; otherwise every network is queried again every 15 s.
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

import MulticastDNS

/// The reason why no device is found, and its remedy.
public struct DiscoveryHint: Sendable, Hashable {
    /// The reason, for programs.
    public enum Cause: String, Sendable, Hashable, CaseIterable {
        case nothingToSearch = "nothing_to_search"
        case noInterface = "no_interface"
        case socketRefused = "socket_refused"
        case containerNetwork = "container_network"
        case multicastBlocked = "multicast_blocked"
        case silence, onlyOthers = "only_others", onlyHosts = "only_hosts"
        case notGenuine = "not_genuine"
    }

    public var cause: Cause
    /// The reason, for people.
    public var reason: String
    /// The remedy, for people.
    public var remedy: String

    init(statistics: BrowserStatistics?, knownHosts: Int, problems: [DiscoveryProblem] = [], isInContainerNetwork: Bool = false) {
        let interfaces = statistics?.interfaces ?? []
        let refusal = interfaces.lazy.compactMap(\.lastError).first
        let names = interfaces.map(\.name).joined(separator: ", ")
        let deaf = interfaces.filter { $0.receivesItself == false && !$0.families.isEmpty }.map(\.name).joined(separator: ", ")
        switch statistics {
        case _ where problems.contains(where: \.isAuthenticationFailure):
            self.init(
                .notGenuine, "a known host has answered, but did not prove that it is genuine: \(Self.text(problems))",
                "check the trusted root certificates, or only report authentication")
        case nil where knownHosts > 0:
            self.init(
                .onlyHosts, "none of the known hosts has answered\(problems.isEmpty ? "" : ": ")\(Self.text(problems))",
                "check that the devices are on and their addresses right, or allow mDNS")
        case nil:
            self.init(.nothingToSearch, "mDNS is off and no host is named", "allow mDNS or name the devices' hosts")
        case .some where interfaces.isEmpty:
            self.init(
                .noInterface, "no network interface is up that can multicast",
                "connect the machine, or run a container with host networking")
        case .some where refusal != nil && interfaces.allSatisfy({ $0.families.isEmpty }):
            self.init(
                .socketRefused, "the system refuses multicast on \(names): \(refusal.map { "\($0)" } ?? "")",
                "check the interface's name and state, and that UDP port 5353 may be shared")
        case .some where isInContainerNetwork:
            self.init(
                .containerNetwork, "the container has a network of its own (\(names)), which multicast does not enter",
                "run the container with host networking (network_mode: host), or name the devices' hosts")
        case .some where !deaf.isEmpty:
            self.init(
                .multicastBlocked, "this machine does not receive multicast on \(deaf), not even its own",
                "let UDP port 5353 in through the firewall of this machine")
        case .some(let statistics) where statistics.packetsReceived == 0:
            self.init(
                .silence, "no mDNS packet was received on \(names)",
                "check the firewall for UDP port 5353, that devices are in the same network (VLAN, Wi-Fi isolation), and host networking of"
                    + " containers; or name the devices' hosts")
        case .some:
            self.init(
                .onlyOthers, "mDNS works on \(names), but no Cast device has answered",
                "check that the devices are on and in the same network; or name their hosts")
        }
    }

    /// The number of problems that a reason names.
    private static let namedProblems = 3

    private static func text(_ problems: [DiscoveryProblem]) -> String {
        let named = problems.sorted { $0.isAuthenticationFailure && !$1.isAuthenticationFailure }.prefix(Self.namedProblems)
        return named.map { "\($0.place.name): \($0.reason)" }.joined(separator: "; ")
    }

    private init(_ cause: Cause, _ reason: String, _ remedy: String) {
        self.cause = cause
        self.reason = reason
        self.remedy = remedy
    }
}

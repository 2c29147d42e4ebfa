import Testing

@testable import CastSender
@testable import MulticastDNS

@Suite("Why no device is found")
struct DiscoveryHintTests {
    private static func interface(
        _ name: String, isOpen: Bool, error: MulticastDNSError? = nil, receivesItself: Bool? = true
    ) -> InterfaceStatus {
        var status = InterfaceStatus(name: name)
        status.families = isOpen ? [.ipv4] : []
        (status.lastError, status.receivesItself) = (error, receivesItself)
        return status
    }

    private static func statistics(_ interfaces: [InterfaceStatus], packets: Int = 0) -> BrowserStatistics {
        var statistics = BrowserStatistics()
        (statistics.interfaces, statistics.packetsReceived) = (interfaces, packets)
        return statistics
    }

    private static let refusal = MulticastDNSError(.system, detail: "permission denied")

    @Test(
        "each cause has a reason that names the interfaces, and a remedy",
        arguments: [
            (nil, 0, .nothingToSearch, []), (nil, 2, .onlyHosts, []), (statistics([]), 0, .noInterface, []),
            (statistics([]), 2, .noInterface, []),
            (statistics([interface("eth0", isOpen: false, error: refusal)]), 0, .socketRefused, ["eth0"]),
            (statistics([interface("eth0", isOpen: true), interface("wlan0", isOpen: true)]), 0, .silence, ["eth0, wlan0"]),
            // One working interface is enough to notice silence.
            (statistics([interface("eth0", isOpen: true), interface("eth1", isOpen: false, error: refusal)]), 0, .silence, ["eth0, eth1"]),
            (statistics([interface("eth0", isOpen: true)], packets: 7), 0, .onlyOthers, ["eth0"]),
            // The answers that another interface receives don't tell of this one.
            (
                statistics([interface("eth0", isOpen: true, receivesItself: false), interface("docker0", isOpen: true)], packets: 7), 0,
                .multicastBlocked, ["on eth0,"]
            ),
            // Nothing was sent yet.
            (statistics([interface("eth0", isOpen: true, receivesItself: nil)]), 0, .silence, ["eth0"]),
        ] as [(BrowserStatistics?, Int, DiscoveryHint.Cause, [String])])
    func causes(statistics: BrowserStatistics?, hosts: Int, cause: DiscoveryHint.Cause, parts: [String]) {
        let hint = DiscoveryHint(statistics: statistics, knownHosts: hosts)
        #expect(hint.cause == cause && !hint.reason.isEmpty && !hint.remedy.isEmpty)
        for part in parts { #expect(hint.reason.contains(part), "\(hint.reason)") }
    }

    @Test("known hosts are named with their reasons, one that failed its proof first", arguments: [true, false])
    func hosts(isGenuine: Bool) {
        let problems = (1...5).map { index in
            DiscoveryProblem(
                place: .host(KnownHost(endpoint: DeviceEndpoint(host: "10.0.0.\(index)"))), reason: "reason \(index)",
                isAuthenticationFailure: index == 5 && !isGenuine)
        }
        let hint = DiscoveryHint(statistics: nil, knownHosts: 6, problems: problems)
        #expect(hint.cause == (isGenuine ? .onlyHosts : .notGenuine))
        #expect(
            hint.reason.hasSuffix(
                isGenuine ? "10.0.0.3:8009: reason 3" : "10.0.0.5:8009: reason 5; 10.0.0.1:8009: reason 1; 10.0.0.2:8009: reason 2"),
            "\(hint.reason)")
    }
}

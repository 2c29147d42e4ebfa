import MulticastDNS

/// The search that runs: the browser of multicast DNS, and a probe of each known host.
struct DiscoverySearch: Sendable {
    let browser: Browser?
    let probes: [KnownHostProbe]

    /// Asks every host that has not answered at once.
    func wakeProbes() { for probe in self.probes { probe.wake() } }

    /// Returns the known hosts that have not answered and the named interfaces that cannot be used.
    func problems() async -> [DiscoveryProblem] {
        var problems: [DiscoveryProblem] = []
        for probe in self.probes {
            guard let error = await probe.failure else { continue }
            problems.append(
                DiscoveryProblem(
                    place: .host(probe.host), reason: "\(error)", isAuthenticationFailure: error.code.isAuthenticationFailure))
        }
        for interface in await self.browser?.statistics.interfaces ?? [] where interface.families.isEmpty {
            guard let error = interface.lastError else { continue }
            problems.append(DiscoveryProblem(place: .interface(interface.name), reason: error.detail))
        }
        return problems
    }
}

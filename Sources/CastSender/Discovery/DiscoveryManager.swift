import CastModels
import Logging
import MulticastDNS
import NIOCore

/// Finds devices: by multicast DNS, and at the hosts the user names (SDK: `GCKDiscoveryManager`).
///
/// An actor on the event loop given to it; `onChange` is called there, in order.
public actor DiscoveryManager {
    /// Where to look and what for.
    public struct Configuration: Sendable, Hashable {
        public var isMulticastEnabled: Bool
        /// Names of network interfaces; empty for all that are up and can multicast.
        public var interfaces: [String]
        public var knownHosts: [KnownHost]
        public var criteria: DiscoveryCriteria

        public init(
            isMulticastEnabled: Bool = true, interfaces: [String] = [], knownHosts: [KnownHost] = [],
            criteria: DiscoveryCriteria = DiscoveryCriteria()
        ) {
            self.isMulticastEnabled = isMulticastEnabled
            self.interfaces = interfaces
            self.knownHosts = knownHosts
            self.criteria = criteria
        }
    }

    private static let serviceType = "_googlecast._tcp.local"
    /// Silence after which the log says why nothing is found.
    private static let hintTime = TimeAmount.minutes(1)

    private let configuration: Configuration
    private let eventLoop: any EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { self.eventLoop.executor.asUnownedSerialExecutor() }

    private let makeProbe: @Sendable (KnownHost) -> KnownHostProbe
    private let logger: Logger
    private let onChange: @Sendable (DeviceChange) -> Void
    private var registry: DeviceRegistry
    private var browser: Browser?
    private var probes: [KnownHostProbe] = []
    private var isRunning = false

    /// - Parameters:
    ///   - connector: reaches the known hosts, whose identity they must tell themselves.
    ///   - random: a number in `0..<1`; for delays.
    ///   - onChange: called on `eventLoop`.
    public init(
        configuration: Configuration, eventLoop: any EventLoop, connector: some CastConnector, handshakeGate: HandshakeGate,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }, logger: Logger,
        onChange: @escaping @Sendable (DeviceChange) -> Void
    ) {
        self.configuration = configuration
        self.eventLoop = eventLoop
        self.logger = logger
        self.onChange = onChange
        self.registry = DeviceRegistry(criteria: configuration.criteria)
        self.makeProbe = { host in
            KnownHostProbe(
                host: host, eventLoop: eventLoop, connector: connector, handshakeGate: handshakeGate, random: random, logger: logger)
        }
    }

    /// The devices found so far, sorted by name.
    public var devices: [Device] { self.registry.devices }

    /// Looks until the task is cancelled. What is missing (interfaces, hosts, answers) is waited for. Call it once at a time.
    public func run() async {
        guard !self.isRunning else { return }
        self.isRunning = true
        let probes = self.configuration.knownHosts.map(self.makeProbe)
        self.probes = probes
        let browser = self.configuration.isMulticastEnabled ? self.makeBrowser() : nil
        self.browser = browser
        await withDiscardingTaskGroup { group in
            if let browser { group.addTask { await self.browse(browser) } }
            for probe in probes {
                group.addTask {
                    await probe.run { identity, isVerified in
                        self.assumeIsolated { $0.located(identity, at: probe.host.endpoint, isVerified: isVerified) }
                    }
                }
            }
            group.addTask { await self.logHint() }
            group.addTask { await untilCancelled() }
        }
        self.browser = nil
        self.probes = []
        self.isRunning = false
    }

    /// Asks at once, on every interface and at every known host that hasn't answered.
    public func searchNow() async {
        for probe in self.probes { probe.wake() }
        await self.browser?.queryNow()
    }

    /// The control link of a device told who it is.
    ///
    /// - Parameter endpoint: where it was reached. A known host at which another device answers belongs to that one from then on.
    public func identified(_ identity: DeviceIdentity, at endpoint: DeviceEndpoint? = nil) {
        if let endpoint, self.configuration.knownHosts.contains(where: { $0.endpoint == endpoint }) {
            self.located(identity, at: endpoint, isVerified: true)
        } else {
            self.tell(self.registry.verify(identity))
        }
    }

    /// Why nothing is found; `nil` when something is.
    public func hint() async -> DiscoveryHint? {
        guard self.registry.isEmpty else { return nil }
        return DiscoveryHint(
            statistics: await self.browser?.statistics, isMulticastEnabled: self.configuration.isMulticastEnabled,
            knownHosts: self.configuration.knownHosts.count)
    }

    private func makeBrowser() -> Browser {
        let interfaces = self.configuration.interfaces
        return Browser(
            serviceType: Self.serviceType, interfaces: interfaces.isEmpty ? .all : .named(interfaces), eventLoop: self.eventLoop,
            logger: self.logger
        ) { [weak self] change in
            self?.assumeIsolated { $0.heard(change) }
        }
    }

    private func browse(_ browser: Browser) async {
        do {
            try await browser.run()
        } catch {
            self.logger.error("the network can't be searched for devices", metadata: ["error": "\(error)"])
        }
    }

    private func heard(_ change: ServiceChange) {
        do throws(DeviceRegistry.Omission) {
            self.tell(try self.registry.apply(change))
        } catch {
            self.logger.debug("an announcement is left out", metadata: ["reason": "\(error)", "service": "\(change.instanceName)"])
        }
        if case .networkChanged = change {
            for probe in self.probes { probe.wake() }
        }
    }

    private func located(_ identity: DeviceIdentity, at endpoint: DeviceEndpoint, isVerified: Bool) {
        self.tell(self.registry.locate(identity, at: endpoint, isVerified: isVerified))
    }

    private func tell(_ changes: [DeviceChange]) {
        for change in changes { self.onChange(change) }
    }

    private func logHint() async {
        await sleep(Self.hintTime, on: self.eventLoop)
        guard !Task.isCancelled, let hint = await self.hint() else { return }
        self.logger.notice("no device was found for a minute", metadata: ["reason": "\(hint.reason)", "remedy": "\(hint.remedy)"])
    }
}

extension ServiceChange {
    fileprivate var instanceName: String {
        switch self {
        case .found(let service), .updated(let service), .sighted(let service), .removed(let service): service.instanceName
        case .networkChanged: ""
        }
    }
}

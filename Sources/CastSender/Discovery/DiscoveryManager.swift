import CastModels
import EventLoopTiming
import LogKeys
import Logging
import MulticastDNS
import NIOCore

/// Finds devices with multicast DNS and at the hosts that the user names (SDK: `GCKDiscoveryManager`).
///
/// An actor on the event loop given to it; `onChange` is called there, in order.
public actor DiscoveryManager {
    private static let serviceType = "_googlecast._tcp.local"
    /// The time after which the log gives the reason if no device was found.
    private static let hintTime = TimeAmount.minutes(1)
    /// The time after a restart of browsing within which announcements must be received again. Others are removed.
    private static let reannouncementLimit = TimeAmount.minutes(1)

    private let configuration: Configuration
    private let eventLoop: any EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { self.eventLoop.executor.asUnownedSerialExecutor() }

    private let makeProbe: @Sendable (KnownHost) -> KnownHostProbe
    private let logger: Logger
    private let onChange: @Sendable (DeviceChange) -> Void
    private var registry: DeviceRegistry
    private var search = DiscoverySearch(browser: nil, probes: [])
    private var isRunning = false
    private let isWanted: StateSource<Bool>
    private let activeScan: ActiveScan
    private let questions: ApplicationQuestions
    private(set) var listing = DeviceListing()
    private var hasWarnedOfFullTable = false

    /// - Parameters:
    ///   - configuration: where to search, and which devices to report.
    ///   - eventLoop: runs the manager.
    ///   - connector: connects to known hosts, which are asked for their identity, and to devices that are asked for their applications.
    ///   - handshakeGate: the gate that all links of the process share.
    ///   - random: returns a random number in `0..<1`, for delays.
    ///   - authentication: whether and how devices that are asked must prove that they are genuine.
    ///   - isStarted: whether `run` searches at once; otherwise it waits for `startDiscovery`.
    ///   - logger: receives the manager's own log lines.
    ///   - linkLoggers: the loggers for connections to devices; `nil` makes these use `logger`.
    ///   - onChange: called on `eventLoop` with every change, also of devices that have not been asked for their applications yet.
    public init(
        configuration: Configuration, eventLoop: any EventLoop, connector: some CastConnector, handshakeGate: HandshakeGate,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        authentication: DeviceAuthentication = DeviceAuthentication(),
        isStarted: Bool = true, logger: Logger, linkLoggers: LinkLoggers? = nil, onChange: @escaping @Sendable (DeviceChange) -> Void
    ) {
        self.configuration = configuration
        self.eventLoop = eventLoop
        self.logger = logger
        self.onChange = onChange
        self.registry = DeviceRegistry(criteria: configuration.criteria)
        self.isWanted = StateSource(isStarted)
        self.activeScan = ActiveScan(isPassive: StateSource(configuration.isPassive))
        let connection = TemporaryConnection(
            eventLoop: eventLoop, connector: connector, handshakeGate: handshakeGate, random: random, authentication: authentication,
            loggers: linkLoggers ?? LinkLoggers(all: logger))
        self.questions = ApplicationQuestions(configuration.criteria, connection: connection, logger: logger)
        self.makeProbe = { host in
            KnownHostProbe(
                host: host, eventLoop: eventLoop, connector: connector, handshakeGate: handshakeGate, random: random,
                authentication: authentication, logger: logger)
        }
    }

    /// The devices that match the criteria, sorted by name. A device is removed when its announcements end (a goodbye, or expiry), unless a
    /// session with it is active. A device that was found at a known host stays.
    public var devices: [Device] { self.observed.list.devices }

    /// Returns a device that matches the criteria, also one whose announcements have ended; `nil` when it was never found. Unlike
    /// `devices`, this needs no sorted list.
    public func device(_ id: Device.ID) -> Device? { self.registry.device(id) }

    /// Waits until a device is found.
    ///
    /// - Returns: `nil` when it was not found within `limit`, discovery ended, or the caller gave up.
    public func device(_ id: Device.ID, within limit: Duration) async -> Device? {
        let (lists, eventLoop) = (self.deviceLists, self.eventLoop)
        return await withTaskGroup(of: Device?.self) { group in
            group.addTask {
                for await list in lists { if let device = list.first(where: { $0.id == id }) { return device } }
                return nil
            }
            group.addTask {
                await sleep(TimeAmount(limit), on: eventLoop)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    /// The current and every newer value of `devices`. The sequence ends when the `CastContext` ends.
    public var deviceLists: StateSequence<[Device]> { self.observed.states.sequence }

    /// The changes of the list from now on; 1024 are kept for a slow reader. The sequence ends when the `CastContext`
    /// ends.
    public var deviceChanges: EventSequence<DeviceListChange> { self.observed.changes.sequence }

    /// Starts or resumes discovery; needs `run`.
    public nonisolated func startDiscovery() { self.isWanted.set(true) }

    /// Stops discovery. The list stays unchanged; missed changes are noticed within a minute after discovery starts again.
    public nonisolated func stopDiscovery() { self.isWanted.set(false) }

    /// Whether discovery was started, and not stopped since; it searches while the context runs.
    public nonisolated var isStarted: Bool { self.isWanted.newest ?? false }

    /// Whether discovery mostly listens: the queries of each network become rarer, down to one an hour. If `false`, discovery also queries
    /// every network every 15 s, which causes more traffic and finds devices that do not announce themselves.
    public nonisolated var isPassive: Bool { !self.activeScan.isActive }

    /// Changes `isPassive`, also during `run`.
    public nonisolated func setPassive(_ isPassive: Bool) { self.activeScan.isPassive.set(isPassive) }

    /// Compares devices with other patterns and capabilities from now on; what devices are asked for stays.
    public func setCriteria(include: [GlobPattern], exclude: [GlobPattern], capabilities: DeviceCapabilities) {
        var criteria = self.configuration.criteria
        (criteria.include, criteria.exclude, criteria.capabilities) = (include, exclude, capabilities)
        self.notify(self.registry.setCriteria(criteria))
    }

    /// Searches until the task is cancelled. Missing interfaces, hosts and answers do not end it. A second call returns at once while the
    /// first one runs.
    public func run() async {
        guard !self.isRunning else { return }
        self.isRunning = true
        var changes = self.isWanted.sequence.makeAsyncIterator()
        var newest = await changes.next(isolation: self)
        while let isWanted = newest {
            guard isWanted else {
                newest = await changes.next(isolation: self)
                continue
            }
            newest = await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.searchOnce() }
                var next = await changes.next(isolation: self)
                while next == true { next = await changes.next(isolation: self) }
                group.cancelAll()
                return next
            }
        }
        self.isRunning = false
    }

    private func searchOnce() async {
        let probes = self.configuration.knownHosts.map(self.makeProbe)
        let browser = self.configuration.isMulticastEnabled ? self.makeBrowser() : nil
        self.search = DiscoverySearch(browser: browser, probes: probes)
        let start = self.registry.present
        await withDiscardingTaskGroup { group in
            if let browser { group.addTask { await self.browse(browser) } }
            for probe in probes {
                group.addTask {
                    while !Task.isCancelled {
                        await probe.run { identity, isVerified in
                            self.assumeIsolated { $0.located(identity, at: probe.host.endpoint, isVerified: isVerified) }
                        }
                        await probe.untilDoubted()
                    }
                }
            }
            group.addTask { await self.logHint() }
            if let browser {
                group.addTask { await self.activeScan.run(on: self.eventLoop) { await browser.queryNow() } }
                group.addTask { await self.dropUnseen(since: start) }
            }
            for _ in 0..<self.questions.runners { group.addTask { await self.inquire() } }
            group.addTask { await untilCancelled() }
        }
        self.search = DiscoverySearch(browser: nil, probes: [])
    }

    private func inquire() async { await self.questions.run { self.list($0) } }

    /// Sends queries at once, on every interface and to every known host that has not answered.
    public func searchNow() async {
        self.search.wakeProbes()
        await self.search.browser?.queryNow()
    }

    /// Finds the device at a host and adds it, as if the host were configured as a known one.
    ///
    /// - Returns: the device, also one that does not match the criteria.
    /// - Throws: the error of a failed proof at once; after `limit` the last error of connecting, or `timeout` when the device reports
    ///   no id.
    public func locate(_ endpoint: DeviceEndpoint, within limit: TimeAmount) async throws(CastError) -> Device {
        let probe = self.makeProbe(KnownHost(endpoint: endpoint))
        let (identities, continuation) = AsyncStream<DeviceIdentity>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let eventLoop = self.eventLoop
        let identity = await withTaskGroup(of: Void.self, returning: DeviceIdentity?.self) { group in
            group.addTask {
                await probe.run {
                    if $0.code.isProofFailure { continuation.finish() }
                } onIdentity: { identity, _ in
                    continuation.yield(identity)
                }
            }
            group.addTask {
                await sleep(limit, on: eventLoop)
                continuation.finish()
            }
            defer { group.cancelAll() }
            return await identities.first { _ in true }
        }
        guard let identity else {
            throw await probe.failure ?? CastError(.timeout, detail: "no device reported its id")
        }
        self.located(identity, at: endpoint, isVerified: true)
        let information = identity.information
        return self.registry.device(identity.id)
            ?? Device(
                id: identity.id, friendlyName: information.friendlyName ?? identity.id, modelName: information.modelName ?? "",
                capabilities: information.capabilities, endpoints: [endpoint], identity: .verified)
    }

    /// Reports that the control link of a device confirmed its identity.
    ///
    /// - Parameters:
    ///   - identity: the identity that the device reported.
    ///   - endpoint: the endpoint of the link. A known host at which another device answers is assigned to that device.
    public func identified(_ identity: DeviceIdentity, at endpoint: DeviceEndpoint? = nil) {
        if let endpoint, self.configuration.knownHosts.contains(where: { $0.endpoint == endpoint }) {
            self.located(identity, at: endpoint, isVerified: true)
        } else {
            self.notify(self.registry.verify(identity))
        }
    }

    /// Returns the reason why no device was found; `nil` when one was found, even if it does not match the criteria.
    public func hint() async -> DiscoveryHint? {
        guard self.registry.isEmpty else { return nil }
        let statistics = await self.search.browser?.statistics
        return DiscoveryHint(
            statistics: statistics, knownHosts: self.configuration.knownHosts.count, problems: await self.problems(),
            isInContainerNetwork: ContainerNetwork.isOnlyWay(statistics?.interfaces ?? []))
    }

    /// Returns the known hosts that have not answered and the named interfaces that cannot be used, whether or not devices were found
    /// elsewhere.
    public func problems() async -> [DiscoveryProblem] { await self.search.problems() }

    private func makeBrowser() -> Browser {
        let interfaces = self.configuration.interfaces
        return Browser(
            serviceType: Self.serviceType, interfaces: InterfaceSelection(interfaces), eventLoop: self.eventLoop,
            logger: self.logger
        ) { [weak self] change in
            self?.assumeIsolated { $0.handle(change) }
        }
    }

    private func browse(_ browser: Browser) async {
        do {
            try await browser.run()
        } catch {
            self.logger.error("the network can't be searched for devices", metadata: [.error: "\(error)"])
        }
    }

    /// Removes announcements that were not received again since `moment`. The new browser does not report the end of an announcement that
    /// only the previous one received.
    private func dropUnseen(since moment: DeviceRegistry.Moment) async {
        await sleep(Self.reannouncementLimit, on: self.eventLoop)
        guard !Task.isCancelled else { return }
        self.notify(self.registry.dropSources(lastSeenUpTo: moment))
    }

    func handle(_ change: ServiceChange) {
        do throws(DeviceRegistry.Omission) {
            self.notify(try self.registry.apply(change))
        } catch {
            // Warn once: while the table is full, every further announcement would log a line.
            let level: Logger.Level = error == .tableFull && !self.hasWarnedOfFullTable ? .warning : .debug
            if error == .tableFull { self.hasWarnedOfFullTable = true }
            self.logger.log(
                level: level, "announcement left out", metadata: [.reason: "\(error)", .service: "\(change.instanceName)"])
        }
        if case .networkChanged = change { self.search.wakeProbes() }
    }

    private func located(_ identity: DeviceIdentity, at endpoint: DeviceEndpoint, isVerified: Bool) {
        let former = self.registry.knownHosts(of: identity.id)
        if isVerified, !former.isEmpty, !former.contains(endpoint) {
            // Where it was, another device may be now.
            for probe in self.search.probes where former.contains(probe.host.endpoint) { probe.doubted() }
        }
        self.notify(self.registry.locate(identity, at: endpoint, isVerified: isVerified))
    }

    private func notify(_ changes: [DeviceChange]) {
        for change in changes {
            self.list(change)
            self.onChange(change)
        }
    }

    // MARK: - The list

    private var observed: DeviceListing.Observed {
        if let observed = self.listing.observed { return observed }
        return self.listing.observe(self.registry.devices.filter { self.isListed($0.id) })
    }

    /// Ends the sequences, because `run` has ended and is not called again.
    func finish() { self.listing.finish() }

    /// Keeps these devices in the list even when their announcements have ended.
    func keep(_ ids: Set<Device.ID>) { for id in self.listing.keep(ids) { self.list(id) } }

    private func list(_ change: DeviceChange) {
        switch change {
        case .found(let device), .changed(let device), .addressesChanged(let device):
            self.questions.seen(device)
            self.list(device.id)
        case .sighted(let id), .lost(let id): self.list(id)
        case .networkChanged: break
        }
    }

    private func list(_ id: Device.ID) {
        if self.listing.observed != nil { self.listing.update(id, self.isListed(id) ? self.registry.device(id) : nil) }
    }

    private func isListed(_ id: Device.ID) -> Bool {
        (self.registry.isPresent(id) || self.listing.kept.contains(id)) && self.questions.isWanted(id)
    }

    private func logHint() async {
        await sleep(Self.hintTime, on: self.eventLoop)
        guard !Task.isCancelled, let hint = await self.hint() else { return }
        self.logger.notice("no device was found for a minute", metadata: [.reason: "\(hint.reason)", .remedy: "\(hint.remedy)"])
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

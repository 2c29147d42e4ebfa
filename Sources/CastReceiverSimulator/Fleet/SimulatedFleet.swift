import FoundationEssentials
import LogKeys
import Logging
import MulticastDNS
import MulticastDNSAnnouncing
import NIOCore

/// Simulated Cast devices on the network.
///
/// `start()` opens their listeners. `run()` announces them and serves the control socket until its task is cancelled; it then sends
/// goodbyes. Tests in the same process may omit `run()` if they need neither.
public actor SimulatedFleet {
    /// The devices and groups, as planned from the configuration. `control(_:_:)` with `state` reports ports that the system chose.
    public nonisolated let plan: FleetPlan

    let configuration: SimulatorConfiguration
    private let group: any EventLoopGroup
    let logger: Logger
    private(set) var devices: [SimulatedDevice] = []
    private var announcer: ServiceAnnouncer?
    private var environment: DeviceEnvironment?
    /// The number of temporary groups created so far.
    private var groupsMade = 0
    /// The turns of groups that are switched or elect a leader, so that an election sees each group either on or off.
    let groupTurns = Turns()
    private var controlServer: (server: ControlServer, listener: NIOAsyncChannel<ControlServer.Connection, Never>)?
    /// The second halves of reboots, which `run()` performs.
    let jobs = AsyncStream<Job>.makeStream(bufferingPolicy: .bufferingOldest(10_000))

    typealias Job = @Sendable () async -> Void

    /// - Throws: `SimulatorError` `configuration`.
    public init(configuration: SimulatorConfiguration, group: any EventLoopGroup, logger: Logger = Logger(label: "cast-simulator"))
        throws(SimulatorError)
    {
        self.configuration = configuration
        self.group = group
        self.logger = logger
        self.plan = try configuration.plan()
    }

    /// Opens the listeners of every device; call it once.
    ///
    /// - Throws: `SimulatorError` `resource` naming the address or file that could not be used; everything is then closed again.
    public func start() async throws(SimulatorError) {
        guard self.devices.isEmpty else { throw SimulatorError(.wrongState, "the fleet has been started already") }
        let journal: Journal?
        if let path = self.configuration.journalPath { journal = try Journal(path: path) } else { journal = nil }
        if let interfaces = self.configuration.interfaces {
            self.announcer = ServiceAnnouncer(interfaces: .named(interfaces), eventLoop: self.group.next(), logger: self.logger)
        }
        let authenticator = DeviceAuthenticator()
        if let path = self.configuration.authenticationRootPath {
            do { try Data(try authenticator.rootPEM(at: Date()).utf8).write(to: URL(fileURLWithPath: path)) } catch {
                throw SimulatorError(.resource, "cannot write \(path): \(error)")
            }
        }
        self.environment = DeviceEnvironment(
            ports: self.configuration.eurekaPorts, authenticator: authenticator, journal: journal, announcer: self.announcer)
        for description in self.plan.devices { try self.addDevice(description) }
        let devices = self.devices
        do throws(SimulatorError) {
            for result in await Self.all(devices, { device throws(SimulatorError) in try await device.start() }) { try result.get() }
            await self.introduceGroups()
            for setup in self.configuration.script?.setup ?? [] { try await self.control(setup.device, setup.verb) }
            if let path = self.configuration.controlPath {
                let server = ControlServer(path: path, group: self.group, logger: self.logger) { [weak self] line in
                    await self?.answer(line: line) ?? ["ok": false, "error": "stopped", "detail": "the fleet has ended"]
                }
                self.controlServer = (server, try await server.listen())
            }
        } catch {
            await self.stop()
            throw error
        }
    }

    /// Announces the devices and serves until the task is cancelled; everything is closed when it returns.
    ///
    /// - Parameter onReady: called when every device is announced.
    /// - Throws: `SimulatorError` `resource` when a device cannot be announced.
    public func run(onReady: @escaping @Sendable () -> Void = {}) async throws {
        let (devices, announcer, control, scenario) = (
            self.devices, self.announcer, self.controlServer, self.configuration.scenario
        )
        let result: Result<Void, any Error>
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                if let announcer { group.addTask { try await announcer.run() } }
                if let control { group.addTask { try await control.server.serve(control.listener) } }
                group.addTask { await self.runJobs() }
                group.addTask {
                    for result in await Self.all(devices, { device throws(SimulatorError) in try await device.announce() }) {
                        try result.get()
                    }
                    onReady()
                    if let scenario { try await self.play(scenario) }
                    for await _ in AsyncStream<Never>.makeStream().stream {}
                }
                defer { group.cancelAll() }
                while try await group.next() != nil, !Task.isCancelled {}
            }
            result = .success(())
        } catch {
            result = Task.isCancelled ? .success(()) : .failure(error)
        }
        await self.stop()
        try result.get()
    }

    /// Closes everything. `run()` does this at its end; a fleet that was only started needs it.
    public func stop() async {
        let devices = self.devices
        for device in devices {
            try? await device.stop(goodbye: true)
            await device.connect(members: [:], groups: [])
        }
        if let control = self.controlServer {
            self.controlServer = nil
            try? await control.listener.channel.close().get()
        }
    }

    @discardableResult
    func addDevice(_ description: DeviceDescription) throws(SimulatorError) -> SimulatedDevice {
        guard let environment = self.environment else { throw SimulatorError(.wrongState, "the fleet has not been started") }
        let device = SimulatedDevice(
            description: description, settings: self.configuration.settings, environment: environment,
            authentication: self.configuration.authentication, eventLoop: self.group.next())
        self.devices.append(device)
        return device
    }

    func removeDevice(_ device: SimulatedDevice) { self.devices.removeAll { $0 === device } }

    /// Returns the index of a new temporary group.
    func nextGroupIndex() -> Int {
        defer { self.groupsMade += 1 }
        return self.groupsMade
    }

    // MARK: Running

    func introduceGroups() async {
        let groups = self.devices.filter(\.description.isGroup)
        var memberIDs: [String: [String]] = [:]
        for group in groups { memberIDs[group.description.id] = await group.memberIDs }
        let byID = Dictionary(self.devices.map { ($0.description.id, $0) }) { first, _ in first }
        for device in self.devices {
            let own = groups.filter { memberIDs[$0.description.id]?.contains(device.description.id) ?? false }
            let members = Dictionary((memberIDs[device.description.id] ?? []).compactMap { id in byID[id].map { (id, $0) } }) {
                first, _ in first
            }
            await device.connect(members: members, groups: own)
            var references: [GroupReference] = []
            for group in own {
                let (endpoint, here) = (await group.endpoint, await device.endpoint)
                references.append(
                    GroupReference(
                        name: group.description.friendlyName, uuid: group.description.uuid,
                        leader: endpoint.address == here.address ? nil : "\(endpoint.address):\(endpoint.port)", port: endpoint.port,
                        isMultichannel: group.description.model.isMultichannel, isDynamic: group.description.model.isDynamic))
            }
            await device.setGroupReferences(references)
        }
    }

    private func runJobs() async {
        let jobs = self.jobs.stream
        await withDiscardingTaskGroup { group in
            for await job in jobs { group.addTask { await job() } }
            group.cancelAll()
        }
    }

    private func play(_ scenario: Scenario) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        for step in scenario.steps {
            try await clock.sleep(until: start + step.at)
            do throws(SimulatorError) { _ = try await self.answer(step.request) } catch {
                self.logger.warning("scenario step failed", metadata: [.at: "\(step.at)", .error: "\(error)"])
            }
        }
    }

    /// Calls `body` with all devices at the same time; returns the results in the order of the devices.
    static func all<Value: Sendable>(
        _ devices: [SimulatedDevice], _ body: @escaping @Sendable (SimulatedDevice) async throws(SimulatorError) -> Value
    ) async -> [Result<Value, SimulatorError>] {
        await withTaskGroup(of: (Int, Result<Value, SimulatorError>).self) { group in
            for (index, device) in devices.enumerated() {
                group.addTask {
                    do throws(SimulatorError) { return (index, .success(try await body(device))) } catch { return (index, .failure(error)) }
                }
            }
            return await group.reduce(into: [(Int, Result<Value, SimulatorError>)]()) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}

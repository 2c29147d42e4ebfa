import Logging
import MulticastDNS
import NIOCore

/// Simulated Cast devices on the network.
///
/// `start()` makes them listen, `run()` announces them and serves the control socket until its task is cancelled; it then takes leave
/// properly. Tests in the same process may do without `run()` as long as they need neither.
public actor SimulatedFleet {
    /// The devices and groups, as planned from the configuration; ports that the system chose are in `control(_:_:)` `state`.
    public nonisolated let plan: FleetPlan

    private let configuration: SimulatorConfiguration
    private let group: any EventLoopGroup
    private let logger: Logger
    private var devices: [SimulatedDevice] = []
    private var announcing: Announcing?
    private var controlServer: (server: ControlServer, listener: NIOAsyncChannel<ControlServer.Connection, Never>)?
    /// Second halves of reboots, which `run()` carries out.
    private let jobs = AsyncStream<Job>.makeStream(bufferingPolicy: .bufferingOldest(10_000))

    private typealias Job = @Sendable () async -> Void

    /// - Throws: `SimulatorError` `configuration`.
    public init(configuration: SimulatorConfiguration, group: any EventLoopGroup, logger: Logger = Logger(label: "cast-simulator")) throws(SimulatorError) {
        self.configuration = configuration
        self.group = group
        self.logger = logger
        self.plan = try FleetPlan(
            devices: configuration.devices, groups: configuration.groups, addressBase: configuration.addressBase, port: configuration.port,
            seed: configuration.seed)
    }

    /// Makes every device listen; call it once.
    ///
    /// - Throws: `SimulatorError` `resource` naming what could not be used; everything is closed again then.
    public func start() async throws(SimulatorError) {
        guard self.devices.isEmpty else { throw SimulatorError(.wrongState, "the fleet has been started already") }
        let journal: Journal?
        if let path = self.configuration.journalPath { journal = try Journal(path: path) } else { journal = nil }
        if let interfaces = self.configuration.interfaces {
            let eventLoop = self.group.next()
            let announcer = Announcer(interfaces: .named(interfaces), eventLoop: eventLoop, logger: self.logger)
            self.announcing = Announcing(announcer: announcer, eventLoop: eventLoop)
        }
        let environment = DeviceEnvironment(
            ports: self.configuration.eurekaPorts, authenticator: DeviceAuthenticator(), journal: journal, announcer: self.announcing)
        let settings = self.configuration.settings
        let devices = self.plan.devices.map {
            SimulatedDevice(description: $0, settings: settings, environment: environment, eventLoop: self.group.next())
        }
        self.devices = devices
        do throws(SimulatorError) {
            try await Self.forEach(devices) { device throws(SimulatorError) in try await device.start() }
            await self.introduceGroups()
            if let path = self.configuration.controlPath {
                let server = ControlServer(path: path, group: self.group, logger: self.logger) { [weak self] line in
                    await self?.answer(line: line) ?? ["ok": false, "error": "stopped"]
                }
                self.controlServer = (server, try await server.listen())
            }
        } catch {
            await self.shutDown()
            throw error
        }
    }

    /// Announces the devices and serves until the task is cancelled; all is closed when it returns.
    ///
    /// - Parameter onReady: called when every device is announced.
    /// - Throws: `SimulatorError` `resource` when a device cannot be announced.
    public func run(onReady: @escaping @Sendable () -> Void = {}) async throws {
        let (devices, announcer, control, scenario) = (self.devices, self.announcing?.announcer, self.controlServer, self.configuration.scenario)
        let result: Result<Void, any Error>
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                if let announcer { group.addTask { try await announcer.run() } }
                if let control { group.addTask { try await control.server.serve(control.listener) } }
                group.addTask { await self.runJobs() }
                group.addTask {
                    try await Self.forEach(devices) { device throws(SimulatorError) in try await device.announce() }
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
        await self.shutDown()
        try result.get()
    }

    /// Closes everything. `run()` does it at its end; a fleet that was only started needs it.
    public func shutDown() async {
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

    // MARK: Control

    /// Does something to one device.
    ///
    /// - Returns: for `state` the simulator's truth about the device, else an empty object.
    /// - Throws: `unknownDevice`, `wrongState`, `invalidRequest`, `resource`.
    @discardableResult
    public func control(_ name: String, _ verb: ControlVerb) async throws(SimulatorError) -> JSON {
        try await self.control(try self.device(name), verb)
    }

    /// Carries out one line of the control socket and returns its answer: `{"ok":true,…}` or `{"ok":false,"error":…,"detail":…}`.
    public func answer(line: String) async -> JSON {
        do throws(SimulatorError) { return try await self.answer(try ControlRequest(line: line)) } catch {
            return ["ok": false, "error": .string(error.code.rawValue), "detail": .string(error.detail)]
        }
    }

    private func answer(_ request: ControlRequest) async throws(SimulatorError) -> JSON {
        switch request {
        case .list: return ["ok": true, "devices": .array(self.plan.devices.map(\.summary))]
        case .burst(let count, let change): return await self.burst(count: count, change)
        case .device(ControlRequest.everyDevice, let verb): return await self.controlAll(verb)
        case .device(let name, .state): return ["ok": true, "state": try await self.control(name, .state)]
        case .device(let name, let verb):
            try await self.control(name, verb)
            return ["ok": true]
        }
    }

    private func controlAll(_ verb: ControlVerb) async -> JSON {
        let devices = self.devices
        let results = await withTaskGroup(of: (Int, Result<JSON, SimulatorError>).self) { group in
            for (index, device) in devices.enumerated() {
                group.addTask {
                    do throws(SimulatorError) { return (index, .success(try await self.control(device, verb))) } catch { return (index, .failure(error)) }
                }
            }
            var results: [(Int, Result<JSON, SimulatorError>)] = []
            for await result in group { results.append(result) }
            return results.sorted { $0.0 < $1.0 }.map(\.1)
        }
        var failures = JSON.object([])
        var states: [JSON] = []
        for (device, result) in zip(devices, results) {
            switch result {
            case .success(let state): states.append(state)
            case .failure(let error): failures[device.description.controlName] = .string(error.description)
            }
        }
        let failed = devices.count - states.count
        return .members([
            "ok": .bool(failed == 0), "done": .integer(states.count), "failed": failed == 0 ? nil : failures, "states": verb == .state ? .array(states) : nil,
        ])
    }

    private func control(_ device: SimulatedDevice, _ verb: ControlVerb) async throws(SimulatorError) -> JSON {
        if verb != .state { await device.record("control", ["do": .string(verb.name)]) }
        switch verb {
        case .state: return await device.state
        case .remote(let action): try await device.perform(action)
        case .refuse(let refuses): try await device.refuse(refuses)
        case .reset: try await device.reset()
        case .freeze(let midFrame): try await device.freeze(midFrame: midFrame)
        case .thaw: try await device.thaw()
        case .delay(let delay): await device.setAnswerDelay(delay)
        case .reboot(let duration):
            try await device.beginReboot()
            let logger = self.logger
            self.jobs.continuation.yield {
                try? await Task.sleep(for: duration)
                do { try await device.finishReboot() } catch {
                    logger.warning("Device did not come back", metadata: ["device": "\(device.description.controlName)", "error": "\(error)"])
                }
            }
        case .move(let relocation): try await self.move(device, relocation)
        case .stop(let goodbye): try await device.stop(goodbye: goodbye)
        case .start:
            try await device.start()
            try await device.announce()
        case .silence(let isSilent): try await device.silence(isSilent)
        }
        return [:]
    }

    private func move(_ device: SimulatedDevice, _ relocation: ControlVerb.Relocation) async throws(SimulatorError) {
        var relocation = relocation
        if let leader = relocation.leader { relocation.address = await (try self.device(leader)).endpoint.address }
        var host: String?
        if device.description.isGroup, let address = relocation.address {
            host = device.description.uuid
            for other in self.devices where !other.description.isGroup {
                if await other.endpoint.address == address { host = other.description.uuid }
            }
        }
        try await device.move(address: relocation.address, port: relocation.port, hostUUID: host)
        await self.introduceGroups()
    }

    private func burst(count: Int, _ change: ControlRequest.BurstChange) async -> JSON {
        let devices = self.devices.prefix(max(0, count))
        let start = NIODeadline.now().uptimeNanoseconds
        let changes = devices.map { device in device.eventLoop.submit { device.assumeIsolated { $0.burst(change) } } }
        var changed = 0
        for future in changes where (try? await future.get()) ?? false { changed += 1 }
        return ["ok": true, "t_ns": .integer(Int(start)), "done": .integer(changed)]
    }

    private func device(_ name: String) throws(SimulatorError) -> SimulatedDevice {
        guard let device = self.devices.first(where: { $0.description.controlName == name }) else {
            throw SimulatorError(.unknownDevice, "no device \"\(name)\"; \"list\" tells their names")
        }
        return device
    }

    // MARK: Running

    /// Tells devices and groups of each other.
    private func introduceGroups() async {
        let groups = self.devices.filter(\.description.isGroup)
        let byID = Dictionary(self.devices.map { ($0.description.id, $0) }) { first, _ in first }
        for device in self.devices {
            let own = groups.filter { $0.description.members.contains { $0.id == device.description.id } }
            let members = Dictionary(device.description.members.compactMap { member in byID[member.id].map { (member.id, $0) } }) { first, _ in first }
            await device.connect(members: members, groups: own)
            var references: [GroupReference] = []
            for group in own {
                let (endpoint, here) = (await group.endpoint, await device.endpoint)
                references.append(
                    GroupReference(
                        name: group.description.friendlyName, uuid: group.description.uuid,
                        leader: endpoint.address == here.address ? nil : "\(endpoint.address):\(endpoint.port)", port: endpoint.port))
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
                self.logger.warning("Scenario step failed", metadata: ["at": "\(step.at)", "error": "\(error)"])
            }
        }
    }

    private static func forEach(
        _ devices: [SimulatedDevice], _ body: @escaping @Sendable (SimulatedDevice) async throws(SimulatorError) -> Void
    ) async throws(SimulatorError) {
        let failure = await withTaskGroup(of: SimulatorError?.self) { group in
            for device in devices {
                group.addTask {
                    do throws(SimulatorError) {
                        try await body(device)
                        return nil
                    } catch { return error }
                }
            }
            var first: SimulatorError?
            for await failure in group { first = first ?? failure }
            return first
        }
        if let failure { throw failure }
    }
}

extension DeviceDescription {
    /// One entry of the answer to `list`.
    var summary: JSON {
        [
            "device": .string(self.controlName), "id": .string(self.id), "name": .string(self.friendlyName), "model": .string(self.model.name),
            "address": .string(self.address), "port": .integer(self.port), "group": .bool(self.isGroup),
        ]
    }
}

import BridgeCore
import CastReceiverSimulator
import CastSender
import CastTestSupport
import Logging
import MQTTClient
import NIOCore
import ServiceLifecycle
import Synchronization

@testable import Bridge

#if canImport(Glibc)
    import Glibc
#endif

/// A bridge with its devices and its broker, all in memory and in virtual time.
final class BridgeWorld: World {
    let virtual: VirtualLoop
    let broker: ModelBroker
    let connector: MemoryConnector
    let devices: [MemoryDevice]
    let bridge: Bridge
    private let group: ServiceGroup
    let directory: String
    /// The log from `logLevel` on.
    let log = LogRecorder()
    private let isKnown: Bool
    /// Whether `advance` waits for writes of the state file; `false` in tests in which the disk hangs.
    let waitsForDisk = Locked(true)
    /// Whether time stands still while pictures are fetched; `false` for a source that holds them back.
    let waitsForFetches = Locked(true)
    private let running = Locked<Task<Void, Never>?>(nil)
    let endedAt = Locked<NIODeadline?>(nil)
    /// The time of day at virtual time 0, in milliseconds since 1970. A test changes it to set the clock.
    let wallStart = Locked<Int64>(1_800_000_000_000)

    /// - Parameters:
    ///   - groups: speaker groups, behind the devices in `devices`; each has an address of its own.
    ///   - remembered: what the state file knows of the devices beside their names and addresses: their retained topics.
    ///   - announced: the same of what announces them to Home Assistant.
    ///   - others: what the state file knows beside the devices.
    ///   - isKnown: whether the state file knows the devices; else `find` finds them.
    ///   - stateFile: the whole state file, which replaces the other arguments; written by another world.
    ///   - images: fetches pictures.
    ///   - mediaChecker: finds out why media can't be played.
    ///   - logLevel: the least level that `log` records.
    ///   - configure: what is configured beside all this.
    ///   - probe: makes the link over which the bridge looks for another one.
    init(
        devices count: Int = 1, groups: Int = 0, split: StatusOptions.Split = .basic,
        remembered: [String: Set<String>] = [:], homeAssistant: HomeAssistantOptions = HomeAssistantOptions(mode: .off),
        announced: [String: Set<String>] = [:], others: [KnownDevice] = [], isKnown: Bool = true, stateFile: [UInt8]? = nil,
        images: (any ImageSource)? = nil, mediaChecker: MediaChecker? = nil, logLevel: Logger.Level = .warning,
        configure: (inout BridgeSettings) -> Void = { _ in },
        probe: @escaping BrokerLinkFactory = { EmptyBaseLink($1) }
    ) throws {
        self.isKnown = isKnown
        let virtual = VirtualLoop(step: .milliseconds(20))
        self.virtual = virtual
        let plan = try FleetPlan(devices: count, groups: groups, addressBase: "10.0.0.1", port: 8009, seed: 7)
        let descriptions = plan.devices.enumerated().map { index, device in
            var device = device
            if device.isGroup { device.address = "10.0.9.\(index)" }
            return device
        }
        self.devices = descriptions.map { MemoryDevice($0, on: virtual) }
        self.connector = MemoryConnector(virtual)
        self.broker = ModelBroker(virtual)
        for device in self.devices { self.connector.route(device.description.address, to: device.route) }

        var template = Array("/tmp/cast2mqtt-bridge-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw DidNotHappen() }
        self.directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let state = try StateDirectory(path: self.directory)
        var file = StateFile()
        file.devices = (isKnown ? descriptions : []).map {
            let slug = Self.slug($0)
            return KnownDevice(
                id: $0.id, slug: slug, name: $0.friendlyName, model: $0.model.name, endpoints: [DeviceEndpoint(host: $0.address)],
                topics: remembered[slug] ?? [], discoveryTopics: announced[slug] ?? [])
        }
        file.devices += others
        if isKnown { try state.write("devices.jsonl", stateFile ?? file.bytes) }

        let logger = self.log.logger(logLevel)
        let loop = virtual.loop
        let seed = Mutex<UInt64>(1)
        let (broker, wallStart) = (self.broker, self.wallStart)
        var settings = BridgeSettings(
            instance: "test", build: BuildInformation(version: "0"),
            mqtt: LinkConfiguration(host: "10.0.0.9", port: 1883, clientID: "cast2mqtt-test"),
            topics: TopicTree(base: "cast2mqtt"))
        settings.status.split = split
        settings.cast.discovery.isMulticastEnabled = false
        settings.homeAssistant = homeAssistant
        configure(&settings)
        var program = ProgramServices(connector: self.connector, levels: LogLevels(read: { LogFilters() }, write: { _ in }))
        program.makeLogger = { _ in logger }
        program.stateDirectory = state
        program.images = images
        program.mediaChecker = mediaChecker
        self.bridge = Bridge(
            settings: settings, eventLoop: loop, program: program,
            makeLink: { configuration, onEvent in
                configuration.will == nil
                    ? probe(configuration, onEvent) : MemoryBrokerLink(broker, configuration, onEvent: onEvent)
            },
            wallClock: { Timestamp(milliseconds: wallStart.value + Int64(loop.now.uptimeNanoseconds / 1_000_000)) },
            random: {
                seed.withLock { seed in
                    seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return Double(seed >> 11) / Double(1 << 53)
                }
            })
        self.group = ServiceGroup(services: [self.bridge], logger: logger)
    }

    /// Adds a receiver that the bridge is yet to find; it accepts connections.
    func add(_ device: Device) throws -> MemoryDevice {
        var description = try FleetPlan(devices: 1, groups: 0, addressBase: device.endpoints[0].host, port: 8009, seed: 8).devices[0]
        description.id = device.id
        description.friendlyName = device.friendlyName
        let receiver = MemoryDevice(description, on: self.virtual)
        self.connector.route(description.address, to: receiver.route)
        return receiver
    }

    static func slug(_ device: DeviceDescription) -> String { device.controlName }

    func slug(_ index: Int = 0) -> String { Self.slug(self.devices[index].description) }

    func topic(_ name: String, _ index: Int = 0) -> String { "cast2mqtt/\(self.slug(index))/\(name)" }

    func held(_ name: String, _ index: Int = 0) -> String? { self.broker.text(self.topic(name, index)) }

    /// Starts the bridge.
    func begin() {
        let (group, ended, virtual) = (self.group, self.endedAt, self.virtual)
        self.running.value = Task {
            try? await group.run()
            ended.value = virtual.now
        }
    }

    /// Starts the bridge and waits, the time standing still, until each of its tasks has begun.
    func start() async throws {
        self.begin()
        try await self.virtual.wait {
            // No more than 32 handshakes begin at once.
            let tried = Set(self.connector.attempts.map { $0.address.prefix { $0 != ":" } })
            return self.broker.set { $0.link != nil } && tried.count >= min(32, self.isKnown ? self.devices.count : 0)
        }
    }

    /// A world that has run until everything is published.
    static func settled(
        devices: Int = 1, groups: Int = 0, split: StatusOptions.Split = .basic, others: [KnownDevice] = [],
        mediaChecker: MediaChecker? = nil, logLevel: Logger.Level = .warning, configure: (inout BridgeSettings) -> Void = { _ in }
    ) async throws -> BridgeWorld {
        let world = try BridgeWorld(
            devices: devices, groups: groups, split: split, others: others, mediaChecker: mediaChecker, logLevel: logLevel,
            configure: configure)
        try await world.start()
        guard await world.advance(until: { world.broker.isOnline && world.areAllAvailable }, limit: .seconds(10)) != nil else {
            throw DidNotHappen()
        }
        await world.advance(.seconds(15))
        return world
    }

    var areAllAvailable: Bool { self.devices.indices.allSatisfy { self.held("availability", $0) == "online" } }

    /// Moves the time; the state file is written at the time at which it is due.
    func advance(_ amount: TimeAmount, step: TimeAmount = .milliseconds(20)) async {
        var left = amount
        while left > .zero {
            let part = min(step, left)
            await self.virtual.advance(part, step: part)
            await self.saved()
            left = left - part
        }
    }

    /// Neither the disk nor a fetch takes virtual time.
    private func saved() async {
        let (disk, fetches) = (self.waitsForDisk.value, self.waitsForFetches.value)
        guard disk || fetches else { return }
        try? await self.virtual.wait { await self.look { !(disk && $0.record.isSaving) && !(fetches && $0.artwork.fetches > 0) } }
    }

    /// Looks into the bridge, on its loop.
    func look<T: Sendable>(_ body: @escaping @Sendable (BridgeParts) -> T) async -> T { await self.bridge.look(body) }

    /// Does something on the loop.
    func act(_ body: @escaping @Sendable () throws -> Void) async throws { try await self.virtual.onLoop(body) }

    func send(_ name: String, _ text: String, _ index: Int = 0) async throws {
        let (broker, topic) = (self.broker, self.topic(name, index))
        try await self.act { broker.publish(topic, text) }
    }

    /// Starts an item on a device, by another sender's hand.
    func play(_ url: String, duration: Double, _ index: Int = 0) async throws {
        let device = self.devices[index]
        try await self.act { try device.perform(.load(RemoteItem(url: url, title: url, durationSeconds: duration))) }
        await self.advance(.seconds(3))
    }

    /// Sends a request to the bridge itself.
    func request(_ verb: String, _ payload: String = "") async throws {
        let broker = self.broker
        try await self.act { broker.publish("cast2mqtt/bridge/request/\(verb)", payload) }
    }

    /// The answers that have come to requests of this verb.
    func answers(to verb: String) -> [String] { self.broker.entries("cast2mqtt/bridge/response/\(verb)").map(\.text) }

    /// The events of this type on `bridge/event`.
    func bridgeEvents(_ type: String) -> [String] {
        self.broker.entries("cast2mqtt/bridge/event").map(\.text).filter { $0.contains("\"type\":\"\(type)\"") }
    }

    /// A device announces itself, with this name if one is given.
    func announce(_ name: String? = nil, _ index: Int = 0) async {
        let description = self.devices[index].description
        await self.look { bridge in
            var device = bridge.fleet.device(description.id)?.state.device
            device = device ?? Device(id: description.id, friendlyName: "", endpoints: [DeviceEndpoint(host: description.address)])
            guard var device else { return }
            device.friendlyName = name ?? description.friendlyName
            bridge.fleet.handle(.changed(device))
        }
    }

    /// The answers that have come with this id.
    func answers(_ id: String) -> [String] {
        self.broker.journal.filter { $0.topic.hasSuffix("/response") && $0.text.contains("\"id\":\"\(id)\"") }.map(\.text)
    }

    /// Asks the bridge to stop and returns the virtual time that it took; `nil` when it continues.
    func leave() async -> TimeAmount? {
        await self.group.triggerGracefulShutdown()
        await self.virtual.settle()
        return await self.advance(until: { self.endedAt.value != nil }, limit: .seconds(30), step: .milliseconds(10))
    }

    func end() async {
        self.running.value?.cancel()
        await self.virtual.settle()
        for _ in 0..<1000 where self.endedAt.value == nil { await self.virtual.advance(.milliseconds(20)) }
        for name in ["lock", "devices.jsonl"] { unlink("\(self.directory)/\(name)") }
        rmdir(self.directory)
    }
}

extension Bridge {
    func look<T: Sendable>(_ body: @Sendable (BridgeParts) -> T) -> T { body(self.parts) }
}

extension BridgeWorld {
    /// Whether the broker holds, for every device, what the bridge would publish to a broker that holds nothing.
    func treeIsAsWanted() async -> Bool {
        let wanted = await self.look { bridge in
            var wanted: [String: [UInt8]] = [:]
            for agent in bridge.fleet.devices {
                for message in bridge.context.mapper.messages(for: agent.state) where !message.payload.isEmpty {
                    wanted[message.topic] = ModelBroker.withoutTime(message.payload(at: bridge.context.now.wall))
                }
            }
            return wanted
        }
        let held = self.broker.set { $0.retained }.filter { !$0.key.hasPrefix("cast2mqtt/bridge/") }
        return held.mapValues { ModelBroker.withoutTime($0.payload) } == wanted
    }

    /// Whether the record names for each device all that the broker holds of it, and nothing below another slug.
    func recordIsOfPresentSlugs() async -> Bool {
        let records = await self.look { bridge in
            bridge.record.knownDevices.map { (prefix: bridge.context.topics.device($0.slug, ""), topics: $0.topics) }
        }
        let held = Set(self.broker.set { $0.retained.keys })
        return records.allSatisfy { record in
            record.topics.allSatisfy { $0.hasPrefix(record.prefix) }
                && record.topics.isSuperset(of: held.filter { $0.hasPrefix(record.prefix) })
        }
    }
}

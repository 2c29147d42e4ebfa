import BridgeCore
import CastSender
import HomeAssistantDiscovery
import Logging
import MQTTClient
import NIOCore
import ServiceLifecycle

/// The bridge: devices on one side, a broker on the other, and what was told to each of them.
///
/// An actor on the event loop that all Cast links of the process use, so that a status is reduced and mapped where it was read. It owns
/// every long-lived task: the broker link, discovery and one supervisor for each device are children of `run()`.
public actor Bridge: Service {
    /// Most devices with a supervisor; discovery keeps no more than this either.
    static let maximumDevices = 4096
    /// Between two `bridge/health`.
    static let healthInterval = Duration.seconds(60)
    /// Most topics of retained commands that are remembered as told.
    static let maximumLeftoversTold = 1000
    /// Between two attempts to send the subscriptions when the client could not take them.
    static let subscribingPause = Duration.seconds(1)
    /// How long a device that plays may say nothing of its position before it is asked, where it is asked at all.
    static let probeInterval = Duration.seconds(10)
    /// How long changes of `bridge/devices` are gathered.
    static let devicesGathering = Duration.seconds(1)

    nonisolated let eventLoop: any EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { self.eventLoop.executor.asUnownedSerialExecutor() }

    nonisolated let settings: BridgeSettings
    nonisolated let logger: Logger
    let connector: any CastConnector
    let levels: LogLevels
    let wallClock: @Sendable () -> Timestamp
    let random: @Sendable () -> Double
    let mapper: TopicMapper
    let discoveryMapper: DiscoveryMapper
    let parser: CommandParser
    let answers: AnswerWriter
    let packets: PacketForm
    let keeper: StateKeeper
    let handshakes = HandshakeGate()

    let arrivals: AsyncStream<DeviceSupervisor>
    let arriving: AsyncStream<DeviceSupervisor>.Continuation
    let makeLink: BrokerLinkFactory
    /// What the broker's thread has handed over and the event loop has not looked at yet.
    nonisolated let intake = Intake()
    var link: (any BrokerLink)?
    var discovery: DiscoveryManager?

    // Devices
    var slugs: SlugRegistry
    var agents: [Device.ID: DeviceAgent] = [:]
    /// Counts them for their keys.
    var agentCount: UInt64 = 0
    var groups = GroupDirectory()
    var known: [Device.ID: KnownDevice] = [:]
    /// Devices whose topics are being taken off the broker.
    var removals: [Device.ID: TopicRemoval] = [:]
    var removalTimers: [Device.ID: EventLoopTimer] = [:]
    /// Devices whose topics are being moved.
    var moves: [Device.ID: TopicMove] = [:]
    /// Devices that may have to clear topics below slugs that they had before.
    var moved: Set<Device.ID> = []
    /// Looks every hour for devices that are to be forgotten.
    var forgettingTimer = EventLoopTimer()
    /// Takes everything off the broker before the end.
    var clearance: TopicRemoval?
    var clearanceTimer = EventLoopTimer()
    var finishedClearing: CheckedContinuation<Void, Never>?

    // Requests that take their time
    var openRequests = OpenRequests()
    /// Each snapshot is as large as all documents together.
    var snapshots = RequestAllowance(4, every: .seconds(10))
    var probing: [DeviceEndpoint: Task<Void, Never>] = [:]
    var leftoverSearch: LeftoverSearch?
    var leftoverTimer = EventLoopTimer()
    /// What `topics/clean` waits for.
    var cleaning: Cleaning?
    /// Whether `topics/clean` was told to clear what it finds.
    var appliesCleaning = false
    let onRestart: (@Sendable () -> Void)?

    // The published log
    let logTap: LogTap?
    var logRelay = LogRelay()
    var logTimer = EventLoopTimer()
    var rememberedProtocol: RememberedProtocol?
    /// Commands to all devices that wait for their shares.
    var fanOuts = FanOut()
    /// With the keys of before, once the record was read.
    var authentication: DeviceAuthentication

    // Broker
    var publisher: Publisher
    var session: MQTTSession?
    var isPumping = false
    /// What the present pump has found to send.
    var outgoing: [(message: OutgoingMessage, token: Publisher.Token)] = []
    var isPumpScheduled = false
    var subscribedOnce = false
    /// Topics of retained commands that the log has named.
    var leftoversTold: Set<String> = []
    var isSweepDue: Bool
    var publisherTimer = EventLoopTimer()
    /// Fires when the subscriptions that could not be sent are tried again.
    var subscribingTimer = EventLoopTimer()
    var sweep: StartUpSweep?
    var sweepTimer = EventLoopTimer()
    var selfTest: SelfTest
    var selfTestTimer = EventLoopTimer()
    var finishedLeaving: CheckedContinuation<Void, Never>?

    // Home Assistant
    var announcer = Announcer()
    var announcerTimer = EventLoopTimer()
    /// The link on which everything was announced, or is being.
    var announcedEpoch: UInt64?
    var discoverySweep: DiscoverySweep

    // Record on disk
    /// Topics of the bridge itself that are or were published.
    var bridgeTopics: Set<String> = []
    var bridgeDiscoveryTopics: Set<String> = []
    /// Owners whose topics wait for the next write.
    var unrecorded: Set<DocumentOwner> = []
    var isUnsaved = false
    var saving: Task<Void, Never>?
    /// A search that a client asked for.
    var searching: Task<Void, Never>?

    // Documents of the bridge itself
    var devicesDocument = DevicesDocument()
    var isGatheringDevices = false
    var report = HealthReport()
    var devicesTimer = EventLoopTimer()
    var healthTimer = EventLoopTimer()
    var health: HealthCounters
    let startedAt: Now

    /// - Parameters:
    ///   - eventLoop: runs the bridge and every Cast link.
    ///   - makeLink: makes the link to the broker; `nil` is the real one.
    ///   - stateDirectory: `nil` keeps nothing over restarts.
    ///   - random: gives values in `0..<1`.
    ///   - logTap: has what is to go to `bridge/log`; `nil` publishes no log.
    ///   - onRestart: ends the bridge and begins anew, because a client asked for it; `nil` refuses that request.
    public init(
        settings: BridgeSettings, eventLoop: any EventLoop, connector: any CastConnector, makeLink: BrokerLinkFactory? = nil,
        stateDirectory: StateDirectory?, levels: LogLevels, logger: Logger, wallClock: @escaping @Sendable () -> Timestamp,
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }, logTap: LogTap? = nil,
        onRestart: (@Sendable () -> Void)? = nil
    ) {
        self.settings = settings
        self.eventLoop = eventLoop
        self.connector = connector
        self.makeLink = makeLink ?? MosquittoLink.factory
        self.levels = levels
        self.logger = logger
        self.wallClock = wallClock
        self.random = random
        self.onRestart = onRestart
        self.logTap = logTap
        self.authentication = settings.authentication
        self.slugs = SlugRegistry(identity: settings.life.identity)
        self.isSweepDue = settings.life.cleansOnStart
        self.mapper = TopicMapper(
            tree: settings.topics,
            options: TopicMapper.Options(
                instance: settings.instance, split: settings.split, positionInterval: settings.positionInterval,
                includesCustomData: settings.publishing.includesCustomData,
                artworkPlaceholder: settings.publishing.artworkPlaceholder
                    ?? (settings.homeAssistant.mode == .off ? nil : settings.homeAssistant.placeholderImage),
                includesDynamicGroups: settings.publishing.includesDynamicGroups,
                listsStereoHalves: settings.publishing.listsStereoHalves,
                includesMediaPlayer: settings.homeAssistant.mode != .off && settings.homeAssistant.mediaPlayerCompatibility != .off))
        self.discoveryMapper = DiscoveryMapper(
            tree: settings.topics,
            options: DiscoveryMapper.Options(
                homeAssistant: settings.homeAssistant, instance: settings.instance, version: settings.version,
                applications: DiscoveryMapper.Options.offered(settings.commands.applications), hasPlainValues: settings.split != .none))
        self.discoverySweep = DiscoverySweep(prefix: settings.homeAssistant.prefix, instance: settings.instance)
        self.parser = CommandParser(topics: settings.topics, responsePrefixes: settings.responsePrefixes, options: settings.commands)
        self.answers = AnswerWriter(topics: settings.topics)
        self.packets = PacketForm(instance: settings.instance)
        self.keeper = StateKeeper(directory: stateDirectory, logger: logger)
        self.publisher = Publisher(bridgeState: settings.topics.bridge("state"))
        self.startedAt = Now(monotonic: MonotonicTime(eventLoop.now), wall: wallClock())
        self.selfTest = SelfTest(topics: settings.topics)
        self.health = HealthCounters()
        (self.arrivals, self.arriving) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumDevices))
    }

    /// Both clocks, as of now.
    var now: Now { Now(monotonic: MonotonicTime(self.eventLoop.now), wall: self.wallClock()) }

    /// Does `work` on the event loop in a later turn; callable from any thread.
    nonisolated func later(_ work: @escaping @Sendable (isolated Bridge) -> Void) {
        self.eventLoop.execute { [weak self] in self?.assumeIsolated(work) }
    }

    /// Runs until the service group shuts down, then says goodbye to the broker; or until the task is cancelled, which leaves the will.
    public func run() async throws {
        self.restore()
        self.attachLog()
        let link = self.makeLink(self.linkConfiguration) { [weak self, intake] event in
            guard intake.admits(event) else { return }
            self?.later { bridge in
                intake.took(event)
                bridge.brokerTold(event)
            }
        }
        self.link = link
        let discovery = DiscoveryManager(
            configuration: self.settings.discovery, eventLoop: self.eventLoop, connector: self.connector, handshakeGate: self.handshakes,
            random: self.random, authentication: self.authentication, logger: self.logger.named("CastSender.DiscoveryManager"),
            onChange: { [weak self] change in self?.assumeIsolated { $0.discoveryTold(change) } })
        self.discovery = discovery
        self.armHealth()
        self.armForgetting()
        await withTaskGroup { group in
            group.addTask { await link.run() }
            group.addTask { await discovery.run() }
            group.addTask { [arrivals] in
                await withDiscardingTaskGroup { devices in
                    for await supervisor in arrivals { devices.addTask { await supervisor.run() } }
                    devices.cancelAll()
                }
            }
            try? await gracefulShutdown()
            await self.leave(link)
            group.cancelAll()
        }
        // What was remembered last is not to be lost, and a restart reads it.
        await self.saving?.value
        self.end()
    }

    /// The broker's part of the settings with what only the bridge knows: its will, and what an earlier run learnt about the broker.
    private var linkConfiguration: LinkConfiguration {
        var configuration = self.settings.mqtt
        configuration.will = self.packets.packet(of: self.mapper.bridgeState(isOnline: false), at: self.now.wall)
        if configuration.sessionExpirySeconds > 0 { configuration.will?.properties.willDelaySeconds = configuration.sessionExpirySeconds }
        if let remembered = self.rememberedProtocol, remembered.until > self.now.wall {
            configuration.rememberedProtocol = remembered.version == .v5 ? .v5 : .v311
        }
        return configuration
    }

    /// Answers what waits, says `offline`, and ends the link in good order; bounded, because a broker may be dead.
    /// Ends every command and request; what is asked from now on is refused.
    private func answerWhatWaits() {
        for agent in self.agents.values { self.perform(agent.desk.close(now: self.now.monotonic), of: agent) }
        self.closeRequests()
    }

    private func leave(_ link: any BrokerLink) async {
        guard !Task.isCancelled else { return }
        self.answerWhatWaits()
        if self.settings.life.clearsOnExit {
            await self.clearEverything()
            // What arrived meanwhile is answered too.
            self.answerWhatWaits()
        }
        let limit = self.eventLoop.scheduleTask(in: .milliseconds(800)) { [weak self] in
            self?.assumeIsolated { $0.leavingFinished() }
        }
        await withCheckedContinuation { continuation in
            self.finishedLeaving = continuation
            self.publisher.leave()
            self.pump()
        }
        limit.cancel()
        // Nobody else holds the topic of the will, and the link ends in good order, so the broker does not publish that.
        let farewell = self.settings.life.clearsOnExit ? OutgoingMessage.clearing(self.settings.topics.bridge("state")) : nil
        await link.stop(publishing: farewell.map { self.packets.packet(of: $0, at: self.now.wall) }, within: .milliseconds(400))
    }

    func leavingFinished() {
        self.finishedLeaving?.resume()
        self.finishedLeaving = nil
    }

    /// Nothing of this run may fire later.
    private func end() {
        self.arriving.finish()
        self.searching?.cancel()
        self.closeRequests()
        for agent in self.agents.values {
            agent.cancelTimers()
            agent.cancelCommands()
            for reader in agent.channels.values { reader.cancel() }
            agent.channels = [:]
        }
        for id in self.removalTimers.keys { self.removalTimers[id]?.cancel() }
        self.logTap?.detach()
        self.logTimer.cancel()
        self.forgettingTimer.cancel()
        self.clearanceTimer.cancel()
        self.leftoverTimer.cancel()
        self.publisherTimer.cancel()
        self.subscribingTimer.cancel()
        self.announcerTimer.cancel()
        self.sweepTimer.cancel()
        self.selfTestTimer.cancel()
        self.devicesTimer.cancel()
        self.healthTimer.cancel()
    }
}

extension Logger {
    /// A logger of the program's logging system with the label of the library's part, which filters go by; swift-log can't rename one.
    func named(_ label: String) -> Logger { Logger(label: label) }
}

import BridgeCore
import CastSender
import Logging
import NIOCore
import ServiceLifecycle

/// The bridge: Cast devices on one side, an MQTT broker on the other.
///
/// Owns every long-lived task: the broker link, discovery and one supervisor for each device are children of `run()`. Everything else is
/// done by its parts (`BridgeParts`), which run on the same event loop as all Cast links of the process, so that the thread that reads a
/// status also reduces and publishes it.
///
/// ```
///  run ─► restore ─► link, discovery, supervisors ─ graceful shutdown ─► answer, `offline`, DISCONNECT ─► end
///                                        └─ cancelled: nothing is sent, the broker publishes the will ─► end
/// ```
///
/// - **Callers.** The program creates one and runs it in its service group. Readers beside MQTT call it through `BridgeAccess` and
///   `BridgeMonitoring`.
/// - **Thread.** An actor on the event loop given to it; its parts are objects of that loop and call each other without a hop.
/// - **Invariants.** The bridge itself holds no state, only its parts. It publishes no document before `RepeatedBridgeSearch` has found its
///   base unused. All commands are answered before `offline` is published, and the record is written before `run` returns.
///
/// Where to look next: `BridgeParts` for the wiring, `DeviceFleet` for devices, `PublisherRunner` for documents, `CommandRouter` for
/// commands, and the page ARCHITECTURE of the documentation.
package actor Bridge: Service {
    package nonisolated var unownedExecutor: UnownedSerialExecutor { self.eventLoop.executor.asUnownedSerialExecutor() }

    /// The longest time without a turn of the event loop; after it the broker publishes the will, because the bridge no longer works.
    static let stallLimit = Duration.seconds(10)

    /// How long the broker waits for the other member of a pair before it reports the pair as `offline`.
    private static let takeoverSeconds: UInt32 = 10

    private nonisolated let eventLoop: any EventLoop
    private let makeLink: BrokerLinkFactory
    private let onStart: @Sendable () -> Void
    /// The settings in force, without secrets.
    package nonisolated let configuration: JSONObject
    nonisolated let logHistory: LogHistory?
    nonisolated let redaction: SecretRedaction
    let parts: BridgeParts

    /// - Parameters:
    ///   - eventLoop: runs the bridge and every Cast link.
    ///   - makeLink: creates the link to the broker; `nil` creates a real one.
    ///   - wallClock: the time of day, for documents only.
    ///   - random: returns values in `0..<1`.
    ///   - configuration: the settings in force by section, without secrets, for readers beside MQTT.
    ///   - onStart: called when the bridge has started to search for devices and to connect to its broker.
    package init(
        settings: BridgeSettings, eventLoop: any EventLoop, program: ProgramServices, makeLink: BrokerLinkFactory? = nil,
        wallClock: @escaping @Sendable () -> Timestamp, random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        configuration: JSONObject = [:], onStart: @escaping @Sendable () -> Void = {}
    ) {
        self.eventLoop = eventLoop
        self.makeLink = makeLink ?? MosquittoLink.factory(program.makeLogger)
        self.onStart = onStart
        self.configuration = configuration
        self.logHistory = program.logTap?.history
        self.redaction = settings.redaction
        self.parts = BridgeParts(
            BridgeContext(settings: settings, loop: BridgeLoop(eventLoop, wallClock: wallClock), program: program, random: random))
    }

    /// Runs until the service group shuts down, then publishes `offline` and disconnects; or until the task is cancelled, after which the
    /// broker publishes the will.
    package func run() async throws {
        let parts = self.parts
        let discovery = parts.fleet.discover()
        let arrivals = parts.fleet.arrivals
        await withTaskGroup { group in
            if parts.pair != nil {
                group.addTask { await discovery.run() }
                group.addTask { await self.keepPair() }
                self.onStart()
                await cancelWhenGracefulShutdown { await self.waitToLead() }
            }
            if parts.pair.map({ $0.role == .leader }) ?? true {
                parts.restore()
                parts.begin()
                group.addTask { await self.keepLink() }
                group.addTask {
                    await withDiscardingTaskGroup { devices in
                        for await supervisor in arrivals { devices.addTask { await supervisor.run() } }
                        devices.cancelAll()
                    }
                }
                if parts.pair == nil {
                    group.addTask { await discovery.run() }
                    self.onStart()
                }
                try? await gracefulShutdown()
            }
            await self.leave()
            group.cancelAll()
        }
        // The last changes are written, because a restart reads them.
        await parts.record.end()
        await parts.commands.memory.end()
        await parts.reporting.history.end()
        parts.end()
    }

    /// Applies settings while the bridge runs; no link is lost by it.
    ///
    /// - Parameters:
    ///   - devices: the choices for single devices.
    ///   - discovery: of which the patterns and capabilities apply.
    ///   - homeAssistant: of which the mode applies, between `device` and `companion`.
    package func apply(
        devices: [ConfiguredDevice], discovery: DiscoveryManager.Configuration, presets: Presets, announcements: AnnouncementOptions,
        homeAssistant: HomeAssistantOptions
    ) {
        self.parts.context.loop.turn {
            if presets != self.parts.context.settings.presets, self.parts.context.hasBegun {
                let names = JSONValue.array(presets.names.map { .string($0) })
                self.parts.publish(BridgeEvent(.configChanged, data: ["presets": names]))
            }
            self.parts.context.apply(devices: devices, discovery: discovery, presets: presets, announcements: announcements)
            self.parts.context.apply(homeAssistant)
            self.parts.fleet.settingsChanged()
            self.parts.announcedSettingsChanged()
            self.parts.informationChanged()
            self.parts.handOverSettings()
        }
    }

    /// Agrees with the other member of a pair, once no bridge alone uses the base.
    private func keepPair() async {
        await self.parts.connection.others.search.waitUntilAlone(
            self.makeLink, self.parts.context.settings.mqtt, besidesPair: true)
        guard !Task.isCancelled else { return }
        await self.parts.pair?.run(self.makeLink, self.parts.context.settings.mqtt)
    }

    private func waitToLead() async { await self.parts.pair?.waitToLead() }

    /// Runs the link to the broker, once no other bridge uses the same base.
    private func keepLink() async {
        if self.parts.pair == nil { await self.parts.connection.others.search.waitUntilAlone(self.makeLink, self.linkConfiguration) }
        guard !Task.isCancelled else { return }
        await self.parts.connection.open(self.makeLink, self.linkConfiguration).run()
    }

    /// The configured link settings with the values that only the bridge knows: its will, and the remembered MQTT version.
    private var linkConfiguration: LinkConfiguration {
        let context = self.parts.context
        var configuration = context.settings.mqtt
        configuration.ownerLimit = Self.stallLimit
        let now = context.now.wall
        configuration.will = context.packets.packet(of: context.mapper.bridgeState(isOnline: false), at: now)
        if let lease = context.lease {
            // Who takes over connects with the same client id, continues the session, and so ends this link and its will.
            configuration.sessionExpirySeconds = max(configuration.sessionExpirySeconds, Self.takeoverSeconds)
            configuration.resumesSession = true
            configuration.mayConnect = { lease.isHeld }
        }
        if configuration.sessionExpirySeconds > 0 { configuration.will?.properties.willDelaySeconds = configuration.sessionExpirySeconds }
        if let remembered = self.parts.record.rememberedProtocol, remembered.until > now {
            configuration.rememberedProtocol = remembered.version == .v5 ? .v5 : .v311
        }
        return configuration
    }

    /// Answers pending commands, publishes `offline` and disconnects; limited in time, because a broker may be dead.
    private func leave() async {
        guard !Task.isCancelled else { return }
        let (context, pair) = (self.parts.context, self.parts.pair)
        // A bridge that stands back says nothing any more.
        guard pair.map({ $0.role == .leader }) ?? true else { await pair?.stop(clears: false); return }
        self.parts.closeCommandsAndRequests()
        let handsOver = pair?.hasStandby ?? false
        if handsOver { self.parts.record.handOver() }
        let clears = context.settings.topicOptions.clearsOnExit && !handsOver && context.mayAct
        if clears {
            await self.parts.topicPlans.clearEverything()
            // Commands that arrived meanwhile are answered, too.
            self.parts.closeCommandsAndRequests()
        }
        await self.parts.publisher.leave(within: .milliseconds(800), handsOver: handsOver)
        // The link ends with DISCONNECT, so the broker does not publish the will to the cleared topic.
        let farewell = clears ? OutgoingMessage.clearing(context.topics.bridge("state")) : nil
        let now = context.now.wall
        // Without DISCONNECT the broker keeps the will, and publishes it if nobody takes over.
        if !handsOver, context.mayAct {
            await self.parts.connection.stop(
                publishing: farewell.flatMap { context.packets.packet(of: $0, at: now) }, within: .milliseconds(400))
        }
        await pair?.stop(clears: clears)
    }
}

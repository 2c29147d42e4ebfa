import BridgeCore
import CastSender
import Logging

/// What requests need of the bridge as a whole.
protocol BridgeOperations: AnyObject {
    /// Sends the full retained state again, and every announcement.
    func republish()
    /// Every retained message of the bridge and its devices, as it would be published now.
    func retainedMessages() -> [OutgoingMessage]
    /// What `bridge/info` reports changed.
    func informationChanged()
    /// Publishes something that happened to the bridge or its devices.
    func publish(_ event: BridgeEvent)
    /// Sends the answer of a request.
    func answer(_ answer: CommandAnswer)
}

/// Carries out the requests to the bridge below `bridge/request/` and answers each exactly once: at once, or when the topics or the device
/// that it concerns are where they should be.
final class RequestDesk {
    private let context: BridgeContext
    private let fleet: DeviceFleet
    private let log: LogPublisher
    private let staleTopics: StaleTopics
    private let devices: DeviceRequests
    private unowned let bridge: any BridgeOperations
    private let open: PendingRequests
    /// Each snapshot is as large as all documents together.
    private var snapshots = RequestAllowance(4, every: .seconds(10))
    /// A search that a client asked for.
    private var searching: Task<Void, Never>?

    init(
        _ context: BridgeContext, fleet: DeviceFleet, plans: TopicLife, log: LogPublisher, staleTopics: StaleTopics,
        bridge: any BridgeOperations
    ) {
        self.context = context
        self.fleet = fleet
        self.log = log
        self.staleTopics = staleTopics
        self.bridge = bridge
        self.open = PendingRequests(context, bridge: bridge)
        self.devices = DeviceRequests(context, fleet: fleet, plans: plans, open: self.open, bridge: bridge)
    }

    func run(_ command: BridgeCommand, for envelope: CommandEnvelope) {
        switch command {
        case .healthCheck: self.open.answer(envelope, .done(["healthy": .bool(true)]))
        case .discover: self.discover(envelope)
        case .republish:
            self.bridge.republish()
            self.open.answer(envelope, .done())
        case .snapshot:
            guard self.snapshots.take(now: self.context.time) else {
                return self.open.answer(envelope, CommandResult(.rateLimited, message: "Snapshots are limited to \(self.snapshots)."))
            }
            self.open.answer(envelope, .done(["documents": .object(self.snapshot())]))
        case .logLevel(let changes): self.open.answer(envelope, self.change(changes))
        case .restart: self.restart(envelope)
        case .addDevice(let endpoint): self.devices.add(endpoint, envelope)
        case .renameDevice(let name, let slug): self.devices.rename(name, to: slug, envelope)
        case .deviceOptions(let name, let changes): self.devices.change(name, changes, envelope)
        case .removeDevice(let name, let kind): self.devices.remove(name, kind, envelope)
        case .cleanTopics(let apply): self.clean(apply: apply, envelope)
        }
    }

    /// Answers the requests that waited for this.
    func finish(_ subject: OpenRequests.Subject, _ result: CommandResult) { self.open.finish(subject, result) }

    /// Answers whatever still waits.
    func close() {
        self.open.close()
        self.devices.cancel()
        self.searching?.cancel()
    }

    private func discover(_ envelope: CommandEnvelope) {
        self.searching?.cancel()
        self.searching = self.context.loop.start(self) { await $0.fleet.searchNow() }
        self.fleet.wakeAll()
        self.open.answer(envelope, .done(["known": .integer(Int64(self.fleet.devices.count))]))
    }

    /// Every retained document by its topic, as JSON where it is JSON.
    private func snapshot() -> JSONObject {
        var documents = JSONObject()
        let now = self.context.now.wall
        for message in self.bridge.retainedMessages() where !message.payload.isEmpty {
            let payload = message.payload(at: now)
            let value = message.content == .text ? nil : try? JSONParser.parse(payload)
            documents.append(message.topic, value ?? .string(String(decoding: payload, as: UTF8.self)))
        }
        return documents
    }

    private func change(_ changes: BridgeCommand.LogLevels) -> CommandResult {
        let former = self.log.settings
        self.log.change(changes)
        self.bridge.informationChanged()
        let data = self.log.settings
        if data != former { self.bridge.publish(BridgeEvent(.configChanged, data: ["log": .object(data)])) }
        return .done(data)
    }

    private func restart(_ envelope: CommandEnvelope) {
        guard let restart = self.context.program.onRestart else {
            return self.open.answer(envelope, CommandResult(.notSupported, message: "This program can't begin anew by itself."))
        }
        self.context.logger.notice("restarting on request")
        self.open.answer(envelope, .done())
        restart()
    }

    private func clean(apply: Bool, _ envelope: CommandEnvelope) {
        if let refusal = self.staleTopics.clean(apply: apply) { return self.open.answer(envelope, refusal) }
        self.open.append(envelope, about: .cleaning)
    }
}

import BridgeCore
import CastSender
import LogKeys
import Logging

/// Routes commands: from a message to the device's queue or to the requests of the bridge, and from the result to the answer.
final class CommandRouter {
    /// The largest number of remembered topics of retained commands.
    static let maximumWarnings = 1000

    private let context: BridgeContext
    private let answers: AnswerWriter
    private lazy var checks = MediaChecks(self.context) { [weak self] in self?.answer($0, known: $1, isFailureReported: true) }
    private lazy var execution = CommandExecution(self.context, fleet: self.fleet, checks: self.checks, memory: self.memory)
    private let record: Record
    private let publications: DevicePublications
    private let queue: PublisherRunner
    private unowned let fleet: DeviceFleet
    let memory: PlayMemory
    private let onRequest: (BridgeCommand, CommandEnvelope) -> Void
    /// Commands that came by another way than MQTT.
    private(set) lazy var direct = DirectCommands(self.context) { [weak self] in self?.received($0) }
    private var devices: [DeviceAgent.Key: DeviceCommands] = [:]
    /// The commands to all devices that wait for the answers of single devices.
    private var fanOuts = FanOut()
    /// The topics of retained commands that were logged.
    private var warned: Set<String> = []

    /// - Parameter onRequest: executes a request to the bridge and answers it.
    init(
        _ context: BridgeContext, record: Record, publications: DevicePublications, queue: PublisherRunner,
        fleet: DeviceFleet,
        onRequest: @escaping (BridgeCommand, CommandEnvelope) -> Void
    ) {
        self.context = context
        self.answers = AnswerWriter(topics: context.topics)
        self.record = record
        self.publications = publications
        self.queue = queue
        self.fleet = fleet
        self.memory = PlayMemory(context)
        self.onRequest = onRequest
    }

    // MARK: Messages

    func received(_ message: IncomingMessage) {
        let now = self.context.now
        switch self.context.parser.parse(message, now: now, recent: { self.fleet.device(named: $0)?.state.application.recent }) {
        case .ignored: return
        case .rejected(let envelope, let result):
            if result.code == .retainedRejected {
                self.context.count { $0.mqttRetainedCommands += 1 }
                self.warn(about: message.topic)
            }
            self.answer(CommandAnswer(to: envelope, result, now: now.monotonic))
        case .command(let envelope, .bridge(let command)): self.onRequest(command, envelope)
        case .command(var envelope, .device(var command)):
            do throws(CommandRejection) { try self.memory.look(up: &command, &envelope, on: { self.device($0) }) } catch {
                return self.answer(CommandAnswer(to: envelope, CommandResult(error), now: now.monotonic))
            }
            guard envelope.target != .all else { return self.fanOut(envelope, command, now: now) }
            guard let device = self.device(envelope.target) else {
                let result = CommandResult(.unknownDevice, message: "No device has this slug or id.")
                return self.answer(CommandAnswer(to: envelope, result, now: now.monotonic))
            }
            if let refusal = self.execution.refusal(of: command, for: device) {
                return self.answer(CommandAnswer(to: envelope, refusal, now: now.monotonic))
            }
            self.receive(envelope, command, for: device, now: now)
        }
    }

    private func receive(_ envelope: CommandEnvelope, _ command: DeviceCommand, for device: DeviceAgent, now: Now) {
        self.commands(of: device).receive(envelope, command.addressed(toGroup: device.state.hasMembersVolume), now: now)
    }

    private func fanOut(_ envelope: CommandEnvelope, _ command: DeviceCommand, now: Now) {
        var shares: [(device: DeviceAgent, command: DeviceCommand)] = []
        for device in self.fleet.devices where self.context.mapper.lists(device.state.device) {
            if let share = command.share(forGroup: device.state.device.isSpeakerGroup) { shares.append((device, share)) }
        }
        switch self.fanOuts.admit(envelope, command, slugs: Set(shares.map(\.device.state.slug)), now: now.monotonic) {
        case .answer(let answer): if let answer { self.answer(answer) }
        case .begin(let ticket):
            for (device, command) in shares {
                let share = FanOut.share(of: envelope, for: device.state.slug, ticket)
                self.receive(share, command, for: device, now: now)
            }
        }
    }

    /// Logs each retained command once, because over MQTT 3.1.1 the broker delivers it again at every connect.
    private func warn(about topic: String) {
        guard self.warned.count < Self.maximumWarnings, self.warned.insert(topic).inserted else { return }
        self.context.logger.warning(
            "broker holds a retained command, which is never obeyed", metadata: [.topic: "\(topic)", .remedy: "clear it there"])
    }

    // MARK: Devices

    private func device(_ target: CommandTarget) -> DeviceAgent? {
        guard case .device(let name) = target else { return nil }
        return self.fleet.device(named: name)
    }

    private func commands(of device: DeviceAgent) -> DeviceCommands {
        if let commands = self.devices[device.key] { return commands }
        let commands = DeviceCommands(self.context, device: device, router: self)
        self.devices[device.key] = commands
        return commands
    }

    func connected(_ device: DeviceAgent) {
        self.commands(of: device).connected()
        self.execution.announcements.connected(device)
        self.execution.sleeps.connected(device)
        if let preset = self.memory.presets[device.id] { self.reduce(.presetPlayed(preset), of: device) }
    }
    func disconnected(_ device: DeviceAgent) { self.commands(of: device).disconnected() }
    func stateChanged(_ device: DeviceAgent) {
        self.devices[device.key]?.stateChanged()
        // Most bridges keep none, and this is asked for each status.
        if !self.memory.pages.isEmpty { self.execution.pages.stateChanged(device) }
    }
    func volumeReported(_ volume: DeviceVolume, by device: DeviceAgent) { self.commands(of: device).volumeReported(volume) }

    /// Answers the commands of a device that was dismissed.
    func dismiss(_ device: DeviceAgent) {
        let commands = self.devices[device.key]
        commands?.close()
        commands?.cancel()
        self.checks.dismiss(device)
        self.devices[device.key] = nil
        self.execution.dismiss(device)
    }

    /// The number of commands that wait or run, and of those that run.
    var counts: (all: Int, running: Int) {
        self.devices.values.reduce((0, 0)) { ($0.0 + $1.count, $0.1 + $1.runningCount) }
    }

    /// Answers all waiting and running commands; later ones are refused.
    func close() {
        self.execution.announcements.close()
        self.checks.close()
        for device in self.fleet.devices { self.commands(of: device).close() }
    }

    func end() {
        self.checks.end()
        self.execution.announcements.end()
        self.execution.sleeps.end()
        self.execution.pages.end()
        for commands in self.devices.values { commands.cancel() }
        self.direct.end()
    }

    // MARK: Answers

    /// Sends the answer of a command, and for an error the additional messages.
    func answer(_ answer: CommandAnswer) { self.answer(answer, known: nil) }

    /// - Parameters:
    ///   - known: the device that executed the command, whose slug may have changed; `nil` looks it up.
    ///   - isFailureReported: whether `hold` has reported the failure, because a later command may have changed `status/error_code`.
    private func answer(_ answer: CommandAnswer, known: DeviceAgent?, isFailureReported: Bool = false) {
        if let ticket = answer.envelope.fanOut, case .device(let slug) = answer.envelope.target {
            for whole in self.fanOuts.ended(ticket, slug: slug, answer.result, now: self.context.time) { self.answer(whole) }
            return
        }
        self.context.countForMonitoring { $0.commands.add(answer.result.code, elapsed: answer.elapsed) }
        if answer.result.isError { self.log(failureOf: answer) }
        let device = known ?? self.device(answer.envelope.target)
        let messages = self.answers.messages(for: answer, slug: device?.state.slug)
        if let ticket = answer.envelope.direct {
            self.direct.answered(ticket, answer.result, messages.answer)
        } else {
            self.queue.enqueue(answer: messages.answer, tooLarge: messages.tooLarge)
        }
        if let error = messages.error { self.queue.enqueue(event: error) }
        if let device, !isFailureReported { self.report(answer, messages, of: device) }
    }

    private func log(failureOf answer: CommandAnswer) {
        self.context.logger.debug(
            "command failed",
            metadata: [
                .topic: "\(answer.envelope.topic)", .command: "\(answer.envelope.name)", .error: "\(answer.result.code.rawValue)",
                .detail: "\(answer.result.message ?? "-")",
            ])
    }

    /// Publishes the event of a failed command, and changes `status/error_code`.
    private func report(_ answer: CommandAnswer, _ messages: AnswerMessages, of device: DeviceAgent) {
        if messages.error != nil {
            // For consumers that only watch events, such as Home Assistant's event entity.
            let failure = PublishedEvent(failureOf: answer, application: device.state.receiver?.application)
            self.queue.enqueue(event: self.context.mapper.event(failure, of: device.state.slug, at: self.context.now.wall))
        }
        switch messages.errorCode {
        case .keep: break
        case .clear: self.fleet.reduce(.commandSucceeded, of: device)
        case .set(let code): self.fleet.reduce(.commandFailed(code: code), of: device)
        }
    }

    // MARK: For `DeviceCommands`

    /// Notes what a device plays by a command.
    func played(_ command: DeviceCommand, _ content: CommandEnvelope.Content, _ result: CommandResult, on device: DeviceAgent) {
        let session = result.data["media_session"]?.intValue
        let preset = content.preset.map { PlayedPreset(name: $0.name, mediaSession: session, on: device.state) }
        self.memory.played(command, content, preset, on: device.id)
        if let preset { self.reduce(.presetPlayed(preset), of: device) }
    }

    func answer(_ answer: CommandAnswer, of device: DeviceAgent) { self.answer(answer, known: device) }

    /// Checks the medium of a failed load before its answers are sent.
    /// - Returns: whether the answers are sent later; otherwise the caller sends them now.
    func hold(_ answers: [CommandAnswer], checking media: MediaInformation, of device: DeviceAgent) -> Bool {
        guard self.checks.hold(answers, checking: media, of: device) else { return false }
        // The answer waits for the check; the failure is reported when it happens.
        for answer in answers { self.report(answer, self.answers.messages(for: answer, slug: device.state.slug), of: device) }
        return true
    }

    func reduce(_ event: DeviceEvent, of device: DeviceAgent) { self.fleet.reduce(event, of: device) }

    func sendAgain(_ document: DeviceDocuments.Name, of device: DeviceAgent) { self.publications.sendAgain(document, of: device) }

    /// Returns the group that executes a command of one of its members: the playback on a member belongs to the group, and so do commands
    /// for it.
    func group(concernedBy command: DeviceCommand, of device: DeviceAgent) -> DeviceAgent? {
        guard command.isAboutMedia, let playback = device.state.groupPlayback else { return nil }
        return self.fleet.device(playback.id)
    }

    /// - Parameters:
    ///   - session: the device's own session when the command began.
    ///   - group: the group that executes the command in place of the device.
    ///   - volume: the level to set before, 0 to 1.
    nonisolated(nonsending) func run(
        _ command: DeviceCommand, of key: DeviceAgent.Key, over session: CastSession?, by group: DeviceAgent.Key?,
        customData: JSONValue?, volume: Double?
    ) async -> CommandResult {
        // A fixed volume keeps nothing from playing.
        if let volume { _ = await self.execution.act(.set([.volume(.absolute(volume))]), on: key) }
        let result = await self.execution.run(command, of: key, over: session, by: group, customData: customData)
        // After a crash the bridge still owns what it answered as launched.
        return result.notKept(await self.record.faultOfUrgentChanges(of: key.device))
    }
}

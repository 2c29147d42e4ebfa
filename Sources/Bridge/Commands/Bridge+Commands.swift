import BridgeCore
import CastSender
import MQTTClient
import NIOCore

/// The way of a command: from a message to the device's desk, from its end to the answer.
extension Bridge {
    func received(_ message: IncomingMessage) {
        self.sweepReceived(message)
        if message.retain, self.leftoverReceived(message) { return }
        if message.topic == self.birthTopic { return self.birthReceived(message) }
        let now = self.now
        switch self.parser.parse(message, now: now, recent: { self.agent(named: $0)?.state.recentApplications }) {
        case .ignored: return
        case .rejected(let envelope, let result):
            if result.code == .retainedRejected {
                self.health.retainedCommands += 1
                self.warn(ofLeftover: message.topic)
            }
            self.answer(CommandAnswer(to: envelope, result, now: now.monotonic))
        case .command(let envelope, .bridge(let command)):
            self.selfTest.received(envelope)
            self.run(command, for: envelope)
        case .command(let envelope, .device(let command)):
            guard envelope.target != .all else { return self.fanOut(envelope, command, now: now) }
            guard let agent = self.agent(envelope.target) else {
                let result = CommandResult(.unknownDevice, message: "No device has this slug or id.")
                return self.answer(CommandAnswer(to: envelope, result, now: now.monotonic))
            }
            if let refusal = self.refusal(of: command, for: agent) {
                return self.answer(CommandAnswer(to: envelope, refusal, now: now.monotonic))
            }
            self.perform(agent.desk.receive(envelope, command, now: now), of: agent)
        }
    }

    /// Gives every device its share of a command to all of them.
    private func fanOut(_ envelope: CommandEnvelope, _ command: DeviceCommand, now: Now) {
        var shares: [(agent: DeviceAgent, command: DeviceCommand)] = []
        for agent in self.agents.values where self.mapper.lists(agent.state.device) {
            if let share = command.share(forGroup: agent.state.device.isSpeakerGroup) { shares.append((agent, share)) }
        }
        switch self.fanOuts.admit(envelope, slugs: Set(shares.map(\.agent.state.slug)), now: now.monotonic) {
        case .answer(let answer): if let answer { self.answer(answer) }
        case .begin(let ticket):
            for (agent, command) in shares {
                let share = FanOut.share(of: envelope, for: agent.state.slug, ticket)
                self.perform(agent.desk.receive(share, command, now: now), of: agent)
            }
        }
    }

    /// The session over the present link, while it is ready.
    func session(of agent: DeviceAgent) -> CastSession? { agent.supervisor.assumeIsolated { $0.session } }

    /// Names each leftover once: over MQTT 3.1.1 the broker delivers it again at every connect.
    private func warn(ofLeftover topic: String) {
        guard self.leftoversTold.count < Self.maximumLeftoversTold, self.leftoversTold.insert(topic).inserted else { return }
        self.logger.warning(
            "a retained command was left on the broker; it is not obeyed, clear it there", metadata: ["topic": "\(topic)"])
    }

    private func agent(_ target: CommandTarget) -> DeviceAgent? {
        guard case .device(let name) = target else { return nil }
        return self.agent(named: name)
    }

    /// The device with this slug, id or alias.
    func agent(named name: String) -> DeviceAgent? { self.slugs.device(named: name).flatMap { self.agents[$0] } }

    /// Does what a device's desk decided.
    func perform(_ actions: [CommandDesk.Action], of agent: DeviceAgent) {
        for action in actions {
            switch action {
            case .start(let ticket, let command, let deadline): self.start(ticket, command, deadline, agent)
            case .abandon(let ticket, let code): self.abandon(ticket, code, agent)
            case .answer(let answer): self.answer(answer, of: agent)
            case .wake(let time): self.armDesk(agent, time)
            }
        }
    }

    private func armDesk(_ agent: DeviceAgent, _ time: MonotonicTime) {
        self.arm(\.deskTimer, of: agent, at: time) { bridge, agent in
            bridge.perform(agent.desk.wake(now: bridge.now.monotonic), of: agent)
        }
    }

    private func start(_ ticket: CommandDesk.Ticket, _ command: DeviceCommand, _ deadline: MonotonicTime, _ agent: DeviceAgent) {
        let key = agent.key
        let session = self.session(of: agent)
        let group = agent.desk.isShare(ticket) ? nil : self.group(concernedBy: command, of: agent)
        let isLoad = command.isLoad || (command.loadsWithoutQueue && agent.state.media == nil && group == nil)
        if isLoad { self.reduce(.loadRequested, of: agent) }
        self.health.castRequests += 1
        let task = Task {
            let result = await self.run(command, of: key, over: session, group)
            self.ended(ticket, command, result, of: key)
        }
        agent.running[ticket] = RunningCommand(task: task, isLoad: isLoad)
    }

    /// Nobody waits for it any longer. Its end is told here, because the next one may begin before its task has ended.
    private func abandon(_ ticket: CommandDesk.Ticket, _ code: AnswerCode, _ agent: DeviceAgent) {
        guard let running = agent.running.removeValue(forKey: ticket) else { return }
        running.task.cancel()
        // Else the device or the bridge leaves, and nothing more is told of it.
        guard code == .timeout else { return }
        self.health.castTimeouts += 1
        if running.isLoad { self.reduce(.loadEnded(failure: code.rawValue), of: agent) }
    }

    /// The group that has to do a command of one of its members: what plays on a member is the group's, and so is what is done with it.
    /// A command to all goes to the group itself.
    private func group(concernedBy command: DeviceCommand, of agent: DeviceAgent) -> DeviceAgent.Key? {
        guard command.isAboutMedia, let playback = agent.state.groupPlayback else { return nil }
        return self.agents[playback.id]?.key
    }

    private func run(
        _ command: DeviceCommand, of key: DeviceAgent.Key, over session: CastSession?, _ group: DeviceAgent.Key?
    ) async -> CommandResult {
        guard let session else { return CommandResult(.deviceOffline, message: "The device is not connected.") }
        guard let group else { return await self.run(command, of: key, over: session, player: session) }
        guard let agent = self.agent(group), let player = self.session(of: agent) else {
            return CommandResult(.deviceOffline, message: "The group that plays on the device is not connected.")
        }
        // A group made on the fly may have no topics to name.
        let slug = self.mapper.publishes(agent.state.device) ? JSONValue.string(agent.state.slug) : .null
        var result = await self.run(command, of: group, over: session, player: player)
        result.data["group"] = slug
        return result
    }

    private func run(
        _ command: DeviceCommand, of key: DeviceAgent.Key, over session: CastSession, player: CastSession
    ) async -> CommandResult {
        if let refusal = self.strictRefusal(of: command, for: key) { return refusal }
        switch command {
        case .groupVolume(let change): return await self.setGroupVolume(change, of: key, over: session)
        case .transfer(let name): return await self.transfer(over: player, to: name)
        default: return await CommandRunner(session: session, player: player).run(command)
        }
    }

    /// Some applications obey `next` and `previous` without announcing them, so they are only held back for those who ask for it.
    private func strictRefusal(of command: DeviceCommand, for key: DeviceAgent.Key) -> CommandResult? {
        guard self.settings.commands.isStrict, let media = self.agent(key)?.state.media else { return nil }
        let queue = QueueOverview(media)
        switch command {
        case .next where !queue.hasNext, .previous where !queue.hasPrevious:
            return CommandResult(.notSupported, message: "The device doesn't announce that it could; strict is set.")
        default: return nil
        }
    }

    private func ended(_ ticket: CommandDesk.Ticket, _ command: DeviceCommand, _ result: CommandResult, of key: DeviceAgent.Key) {
        guard let agent = self.agent(key), let running = agent.running.removeValue(forKey: ticket) else { return }
        if result.code == .timeout { self.health.castTimeouts += 1 }
        if running.isLoad { self.reduce(.loadEnded(failure: result.isError ? result.code.rawValue : nil), of: agent) }
        if case .get(let document, all: false) = command, !result.isError { self.republish(document, agent) }
        self.perform(agent.desk.finished(ticket, result, now: self.now.monotonic), of: agent)
    }

    /// Sends the answer of a command, and what an error adds to it.
    /// - Parameter agent: the device that did it, which may have another slug by now; `nil` looks for it.
    func answer(_ answer: CommandAnswer, of agent: DeviceAgent? = nil) {
        if let ticket = answer.envelope.fanOut, case .device(let slug) = answer.envelope.target {
            for whole in self.fanOuts.ended(ticket, slug: slug, answer.result, now: self.now.monotonic) { self.answer(whole) }
            return
        }
        let agent = agent ?? self.agent(answer.envelope.target)
        let messages = self.answers.messages(for: answer, slug: agent?.state.slug)
        self.publisher.enqueue(answer: messages.answer, tooLarge: messages.tooLarge)
        if let error = messages.error { self.publisher.enqueue(event: error) }
        if let agent {
            switch messages.errorCode {
            case .keep: break
            case .clear: self.reduce(.commandSucceeded, of: agent)
            case .set(let code): self.reduce(.commandFailed(code: code), of: agent)
            }
        }
        self.schedulePump()
    }

    /// Sends one document anew although nothing in it changed, because somebody asked for it: among the answers, so that it is there when
    /// its own comes.
    private func republish(_ document: DeviceDocument, _ agent: DeviceAgent) {
        let topic = self.settings.topics.device(agent.state.slug, document.rawValue)
        let messages = self.mapper.messages(for: agent.state)
        for message in messages where message.topic == topic {
            self.publisher.enqueue(answer: message, tooLarge: .clearing(topic))
        }
        self.schedulePump()
    }
}

import BridgeCore
import CastSender
import MQTTClient
import NIOCore

/// The way of a command: from a message to the device's desk, from its end to the answer.
extension Bridge {
    func received(_ message: IncomingMessage) {
        self.sweepReceived(message)
        if message.retain, self.leftoverReceived(message) { return }
        let now = self.now
        switch self.parser.parse(message, now: now) {
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
            guard let agent = self.agent(envelope.target) else {
                let result = CommandResult(.unknownDevice, message: "No device has this slug or id.")
                return self.answer(CommandAnswer(to: envelope, result, now: now.monotonic))
            }
            self.perform(agent.desk.receive(envelope, command, now: now), of: agent)
        }
    }

    /// Names each leftover once: over MQTT 3.1.1 the broker delivers it again at every connect.
    private func warn(ofLeftover topic: String) {
        guard self.leftoversTold.count < Self.maximumLeftoversTold, self.leftoversTold.insert(topic).inserted else { return }
        self.logger.warning(
            "a retained command was left on the broker; it is not obeyed, clear it there", metadata: ["topic": "\(topic)"])
    }

    private func agent(_ target: CommandTarget) -> DeviceAgent? {
        guard case .device(let name) = target, let id = self.slugs.device(named: name) else { return nil }
        return self.agents[id]
    }

    /// Does what a device's desk decided.
    func perform(_ actions: [CommandDesk.Action], of agent: DeviceAgent) {
        for action in actions {
            switch action {
            case .start(let ticket, let command, let deadline): self.start(ticket, command, deadline, agent)
            case .abandon(let ticket): agent.running.removeValue(forKey: ticket)?.cancel()
            case .answer(let answer): self.answer(answer, of: agent)
            case .wake(let time): self.armDesk(agent, time)
            }
        }
    }

    private func armDesk(_ agent: DeviceAgent, _ time: MonotonicTime) {
        let id = agent.state.device.id
        agent.deskTimer.set(time, on: self.eventLoop) { [weak self] in
            self?.assumeIsolated { bridge in
                guard let agent = bridge.agents[id] else { return }
                agent.deskTimer.cancel()
                bridge.perform(agent.desk.wake(now: bridge.now.monotonic), of: agent)
            }
        }
    }

    private func start(_ ticket: CommandDesk.Ticket, _ command: DeviceCommand, _ deadline: MonotonicTime, _ agent: DeviceAgent) {
        let id = agent.state.device.id
        let session = agent.supervisor.assumeIsolated { $0.session }
        let isLoad = if case .load = command { true } else { false }
        if isLoad { self.reduce(.loadRequested, of: agent) }
        self.health.castRequests += 1
        agent.running[ticket] = Task {
            let result =
                if let session { await CommandRunner(session: session).run(command) } else {
                    CommandResult(.deviceOffline, message: "The device is not connected.")
                }
            self.ended(ticket, command, result, of: id)
        }
    }

    private func ended(_ ticket: CommandDesk.Ticket, _ command: DeviceCommand, _ result: CommandResult, of id: Device.ID) {
        guard let agent = self.agents[id] else { return }
        let wasRunning = agent.running.removeValue(forKey: ticket) != nil
        if case .load = command {
            // One that is no longer waited for was answered as a time-out, whatever its cancelled request says.
            let failure = wasRunning ? (result.isError ? result.code : nil) : .timeout
            self.reduce(.loadEnded(failure: failure?.rawValue), of: agent)
        }
        if case .get(let document) = command, !result.isError { self.republish(document, agent) }
        guard wasRunning else { return }
        self.perform(agent.desk.finished(ticket, result, now: self.now.monotonic), of: agent)
    }

    /// Sends the answer of a command, and what an error adds to it.
    /// - Parameter agent: the device that did it, which may have another slug by now; `nil` looks for it.
    func answer(_ answer: CommandAnswer, of agent: DeviceAgent? = nil) {
        let agent = agent ?? self.agent(answer.envelope.target)
        if agent != nil, answer.result.code == .timeout { self.health.castTimeouts += 1 }
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

    /// Sends one document anew although nothing in it changed, because somebody asked for it.
    private func republish(_ document: DeviceDocument, _ agent: DeviceAgent) {
        let topic = self.settings.topics.device(agent.state.slug, document.rawValue)
        let messages = self.mapper.messages(for: agent.state)
        for message in messages where message.topic == topic { self.publisher.enqueue(event: message) }
        self.schedulePump()
    }
}

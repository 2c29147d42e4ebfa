import BridgeCore
import CastSender
import NIOCore

/// Requests to the bridge itself, below `bridge/request/`.
extension Bridge {
    /// How long a device that is to be added may take to tell who it is.
    private static let probeLimit = TimeAmount.seconds(15)

    func run(_ command: BridgeCommand, for envelope: CommandEnvelope) {
        switch command {
        case .healthCheck: self.answer(envelope, .done(["healthy": .bool(true)]))
        case .discover:
            self.searching?.cancel()
            self.searching = Task { await self.discovery?.searchNow() }
            for agent in self.agents.values { agent.supervisor.wake() }
            self.answer(envelope, .done(["known": .integer(Int64(self.agents.count))]))
        case .republish:
            self.publisher.republish()
            self.announcer.announceAll(now: self.now.monotonic)
            self.armAnnouncer()
            self.schedulePump()
            self.answer(envelope, .done())
        case .snapshot:
            guard self.snapshots.take(now: self.now.monotonic) else {
                return self.answer(envelope, CommandResult(.rateLimited, message: "Snapshots are limited to \(self.snapshots)."))
            }
            self.answer(envelope, .done(["documents": .object(self.snapshot())]))
        case .logLevel(let changes): self.answer(envelope, self.change(changes))
        case .restart: self.restart(envelope)
        case .addDevice(let endpoint): self.add(endpoint, envelope)
        case .renameDevice(let name, let slug): self.rename(name, to: slug, envelope)
        case .deviceOptions(let name, let changes): self.change(name, changes, envelope)
        case .removeDevice(let name, let kind): self.remove(name, kind, envelope)
        case .cleanTopics(let apply): self.searchLeftovers(apply: apply, envelope)
        }
    }

    func answer(_ envelope: CommandEnvelope, _ result: CommandResult) {
        self.answer(CommandAnswer(to: envelope, result, now: self.now.monotonic))
    }

    /// Answers the requests that waited for this.
    func finishRequests(_ subject: OpenRequests.Subject, _ result: CommandResult) {
        for answer in self.openRequests.finish(subject, result, now: self.now.monotonic) { self.answer(answer) }
    }

    /// Answers whatever still waits.
    func closeRequests() {
        for answer in self.openRequests.close(now: self.now.monotonic) { self.answer(answer) }
        for task in self.probing.values { task.cancel() }
        self.probing = [:]
    }

    /// Keeps a request for later; refuses it when there are too many.
    private func hold(_ envelope: CommandEnvelope, about subject: OpenRequests.Subject, data: JSONObject = [:]) -> Bool {
        guard !self.openRequests.isFull else {
            self.answer(envelope, CommandResult(.rateLimited, message: "Too many requests are under way."))
            return false
        }
        self.openRequests.append(envelope, about: subject, data: data)
        return true
    }

    /// Every retained document by its topic, as JSON where it is JSON.
    private func snapshot() -> JSONObject {
        var documents = JSONObject()
        let now = self.now.wall
        var messages = self.bridgeDocuments()
        for agent in self.agents.values.sorted(by: { $0.state.slug < $1.state.slug }) { messages += self.mapper.messages(for: agent.state) }
        for message in messages where !message.payload.isEmpty {
            let payload = message.payload(at: now)
            let value = message.content == .text ? nil : try? JSONParser.parse(payload)
            documents.append(message.topic, value ?? .string(String(decoding: payload, as: UTF8.self)))
        }
        return documents
    }

    private func change(_ changes: BridgeCommand.LogLevels) -> CommandResult {
        let former = self.logSettings
        var levels = self.levels.read()
        if let level = changes.level { levels.level = level }
        if let filters = changes.filters { levels.filters = filters }
        self.levels.write(levels)
        if let publish = changes.publish { self.logTap?.level = publish }
        self.publisher.changed(.bridge)
        let data = self.logSettings
        if data != former { self.publish(BridgeEvent(.configChanged, data: ["log": .object(data)])) }
        return .done(data)
    }

    private var logSettings: JSONObject {
        let levels = self.levels.read()
        return [
            "level": .string(levels.level.rawValue), "filters": .array(levels.filters.map { .string($0.description) }),
            "publish": .string((self.logTap?.level ?? .off).rawValue),
        ]
    }

    private func restart(_ envelope: CommandEnvelope) {
        guard let onRestart else {
            return self.answer(envelope, CommandResult(.notSupported, message: "This program can't begin anew by itself."))
        }
        self.logger.notice("restarting, because a client asked for it")
        self.answer(envelope, .done())
        onRestart()
    }

    // MARK: Devices

    /// The device of a request; answers when there is none.
    private func device(_ name: String, _ envelope: CommandEnvelope) -> KnownDevice? {
        if let id = self.slugs.device(named: name), let known = self.known[id] { return known }
        self.answer(envelope, CommandResult(.unknownDevice, message: "No device has this slug, id or alias."))
        return nil
    }

    /// The device of a request that needs one at work.
    private func agent(_ name: String, _ envelope: CommandEnvelope) -> DeviceAgent? {
        guard let known = self.device(name, envelope) else { return nil }
        if let agent = self.agents[known.id] { return agent }
        self.answer(envelope, CommandResult(.unknownDevice, message: "The device was removed, or the configuration leaves it out."))
        return nil
    }

    private func add(_ endpoint: DeviceEndpoint, _ envelope: CommandEnvelope) {
        guard let discovery, self.hold(envelope, about: .probe(endpoint)), self.probing[endpoint] == nil else { return }
        self.probing[endpoint] = Task {
            let found = await discovery.locate(endpoint, within: Self.probeLimit)
            self.probed(endpoint, found)
        }
    }

    private func probed(_ endpoint: DeviceEndpoint, _ found: Device?) {
        self.probing[endpoint] = nil
        guard let device = found else {
            return self.finishRequests(
                .probe(endpoint),
                CommandResult(
                    .timeout, message: "No Cast device at \(endpoint) told who it is.",
                    hint: "Check address, port and power; a device that doesn't tell its id belongs into discovery.known_hosts."))
        }
        let isWanted = self.settings.discovery.criteria.matches(device)
        guard isWanted, let agent = self.agents[device.id] else {
            let reason = isWanted ? "The device is being removed." : "discovery.include or discovery.exclude leaves it out."
            return self.finishRequests(.probe(endpoint), CommandResult(.notSupported, message: reason, data: ["id": .string(device.id)]))
        }
        self.finishRequests(
            .probe(endpoint), .done(["id": .string(device.id), "slug": .string(agent.state.slug), "name": .string(device.friendlyName)]))
    }

    private func rename(_ name: String, to slug: String?, _ envelope: CommandEnvelope) {
        guard let agent = self.agent(name, envelope) else { return }
        // Before anything changes: a new slug whose topics do not follow would leave the device unreachable by either.
        guard !self.openRequests.isFull else {
            return self.answer(envelope, CommandResult(.rateLimited, message: "Too many requests are under way."))
        }
        let device = agent.state.device
        let former = agent.state.slug
        do throws(SlugRegistry.Refusal) {
            if let slug {
                try self.slugs.choose(slug, for: device.id)
            } else if self.slugs.identity == .id {
                throw .slugsAreIDs
            } else {
                _ = self.slugs.follow(id: device.id, name: device.friendlyName)
            }
        } catch {
            let message =
                switch error {
                case .slugsAreIDs: "With topic_identity: id, slugs are ids."
                case .taken(let id): "The slug means another device: \(id)."
                }
            return self.answer(envelope, CommandResult(error == .slugsAreIDs ? .notSupported : .badPayload, message: message))
        }
        self.known[device.id]?.isSlugChosen = slug != nil
        let new = self.slugs.slug(of: device.id) ?? former
        let data: JSONObject = ["id": .string(device.id), "previous": .string(former)]
        guard new != former else {
            self.save()
            guard self.moves[device.id] == nil else {
                // The topics are still on their way there.
                _ = self.hold(envelope, about: .rename(device.id), data: data)
                return
            }
            return self.answer(envelope, .done(["id": .string(device.id), "previous": .string(former), "slug": .string(new)]))
        }
        self.finishRequests(.rename(device.id), CommandResult(.superseded, message: "Another slug was chosen before the topics had moved."))
        guard self.hold(envelope, about: .rename(device.id), data: data) else { return }
        self.move(agent, to: new)
    }

    private func change(_ name: String, _ changes: DevicePreferenceChanges, _ envelope: CommandEnvelope) {
        guard let agent = self.agent(name, envelope) else { return }
        let id = agent.state.device.id
        if case .set(let aliases) = changes.aliases {
            for alias in aliases {
                guard let other = self.slugs.device(named: alias), other != id else { continue }
                return self.answer(envelope, CommandResult(.badPayload, message: "The alias \"\(alias)\" means another device: \(other)."))
            }
        }
        let former = self.known[id]?.preferences
        if var known = self.known[id] {
            changes.apply(to: &known.preferences)
            self.known[id] = known
            self.save()
        }
        self.applyPreferences(to: agent)
        let data: JSONObject = [
            "id": .string(id), "slug": .string(agent.state.slug), "options": .object(self.preferences(of: agent).json),
        ]
        if self.known[id]?.preferences != former { self.publish(BridgeEvent(.configChanged, data: data)) }
        self.answer(envelope, .done(data))
    }

    private func remove(_ name: String, _ kind: KnownDevice.Removal, _ envelope: CommandEnvelope) {
        guard let known = self.device(name, envelope) else { return }
        let data: JSONObject = ["id": .string(known.id), "slug": .string(known.slug), "forget": .bool(kind == .forgetting)]
        guard self.hold(envelope, about: .removal(known.id), data: data) else { return }
        self.remove(known.id, kind)
    }
}

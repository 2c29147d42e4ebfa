import BridgeCore
import CastSender
import MQTTClient
import NIOCore

/// Devices: found by discovery or remembered, each with a supervisor for its link.
extension Bridge {
    /// Takes in what an earlier run left and tries its devices at once.
    func restore() {
        let file = self.keeper.load()
        self.restoreRecord(file)
        self.restoreAnnouncements(file)
        let keys = file.devices.compactMap { device in device.keyFingerprint.map { (device.id, $0) } }
        self.authentication.keys = DeviceKeys(Dictionary(keys) { first, _ in first })
        for device in file.devices { self.slugs.restore(device.slug, for: device.id) }
        for known in file.devices {
            self.known[known.id] = known
            self.publisher.restore(known.topics, for: .device(known.id))
            if !known.discoveryTopics.isEmpty { self.publisher.restore(known.discoveryTopics, for: .discovery(known.id)) }
        }
        for known in file.devices {
            guard known.removal == nil else {
                self.resumeRemoval(of: known)
                continue
            }
            let device = Device(
                id: known.id, friendlyName: known.name, modelName: known.model, capabilities: known.capabilities,
                endpoints: known.endpoints, identity: known.identity)
            // One that is no longer wanted keeps its slug, and its topics are cleared.
            guard self.settings.discovery.criteria.matches(device), self.agents.count < Self.maximumDevices else { continue }
            self.adopt(device)
        }
        self.takeOverAfterRestart()
        // A slug of another kind of identity gives way to a new one.
        self.save()
    }

    func discoveryTold(_ change: DeviceChange) {
        switch change {
        case .found(let device), .changed(let device), .addressesChanged(let device): self.deviceSeen(device)
        case .sighted(let id):
            if let agent = self.agents[id] { return agent.supervisor.wake() }
            // Discovery tells what a device is once; one that was removed is heard of again by its sightings.
            let devices = self.discovery?.assumeIsolated { $0.devices } ?? []
            if let device = devices.first(where: { $0.id == id }) { self.deviceSeen(device) }
        case .lost: break  // Announcements prove nothing; the link does.
        case .networkChanged:
            self.link?.wake()
            for agent in self.agents.values { agent.supervisor.wake() }
        }
    }

    private func deviceSeen(_ device: Device) {
        guard let agent = self.agents[device.id] else {
            guard self.agents.count < Self.maximumDevices, !self.isRemoved(device.id) else { return }
            let agent = self.adopt(device)
            self.logger.info(
                "device found",
                metadata: [
                    "device": "\(agent.state.slug)", "name": "\(device.friendlyName)", "model": "\(device.modelName)",
                    "address": "\(device.endpoints.first?.description ?? "-")",
                ])
            if self.mapper.publishes(agent.state.device) { self.publish(BridgeEvent.device(.deviceAdded, device, slug: agent.state.slug)) }
            self.remember(device)
            self.takeOver(agent.state.slug, by: device.id)
            self.followName(of: agent)
            return
        }
        var device = device
        if agent.state.device.identity == .verified { device.identity = .verified }
        agent.supervisor.update(endpoints: device.endpoints)
        self.reduce(.deviceChanged(device), of: agent)
        self.remember(device)
        self.followName(of: agent)
    }

    /// Gives a device its slug, its state and its supervisor.
    @discardableResult
    private func adopt(_ device: Device) -> DeviceAgent {
        let slug = self.slugs.assign(id: device.id, name: device.friendlyName)
        let (id, now) = (device.id, self.now)
        self.agentCount += 1
        let key = DeviceAgent.Key(device: id, number: self.agentCount)
        let supervisor = DeviceSupervisor(
            device: id, endpoints: device.endpoints, eventLoop: self.eventLoop, connector: self.connector, policy: self.settings.reconnect,
            handshakeGate: self.handshakes, random: self.random, authentication: self.authentication, capabilities: device.capabilities,
            followsQueue: true,
            logger: self.logger.named("CastSender.DeviceSupervisor"),
            onEvent: { [weak self] event in self?.assumeIsolated { $0.supervisorTold(event, of: key) } })
        let state = DeviceState(device: device, slug: slug, at: now, options: self.settings.device)
        let agent = DeviceAgent(key: key, state: state, supervisor: supervisor, options: self.settings.device)
        self.agents[id] = agent
        if let known = self.known[id], known.slug != slug {
            self.known[id]?.slug = slug
            self.known[id]?.isSlugChosen = false
        }
        self.applyPreferences(to: agent)
        self.arriving.yield(supervisor)
        self.armState(agent)
        self.changed(agent, [.all, .listing])
        self.subscribeWithoutWildcards(to: slug)
        return agent
    }

    /// Notes for the next start where the device is and what it is called.
    private func remember(_ device: Device) {
        // A group made on the fly has another id the next time.
        guard let agent = self.agents[device.id], self.mapper.publishes(agent.state.device) else { return }
        var known = self.known[device.id] ?? KnownDevice(id: device.id, slug: agent.state.slug, name: device.friendlyName)
        known.name = device.friendlyName
        known.model = device.modelName
        known.capabilities = device.capabilities
        known.identity = agent.state.device.identity
        if !device.endpoints.isEmpty { known.endpoints = device.endpoints }
        guard known != self.known[device.id] else { return }
        self.known[device.id] = known
        self.save()
    }

    private func supervisorTold(_ event: CastLinkEvent, of key: DeviceAgent.Key) {
        guard let agent = self.agent(key) else { return }
        switch event {
        case .connecting: self.reduce(.connecting, of: agent)
        case .identified(let identity): self.identified(identity, agent)
        case .ready(let receiver, let media):
            self.health.linkUp(isFirst: !agent.wasReady)
            agent.wasReady = true
            self.noteSeen(agent)
            self.tellRecovery(agent)
            self.reportVolume(receiver, agent)
            var details = agent.state.details
            details.endpoint = agent.supervisor.assumeIsolated { $0.endpoint }
            self.reduce(.identified(details), of: agent)
            self.reduce(.ready(receiver, media), of: agent)
            // What the session told before it was ready belonged to a state that `ready` has just replaced.
            self.reduce(.applicationConnection(agent.applicationConnection), of: agent)
            agent.desk.deviceCameOnline()
            self.settleChannels(of: agent)
            self.askForMembers(agent)
        case .receiverStatus(let status):
            self.reportVolume(status, agent)
            self.reduce(.receiverStatus(status), of: agent)
            self.settleChannels(of: agent)
        case .mediaStatus(let status): self.reduce(.mediaStatus(status), of: agent)
        case .queueWindow(let window): self.reduce(.queue(window), of: agent)
        case .multizoneStatus(let status): self.groupTold(status, agent)
        case .applicationConnection(let connection, let isOurs):
            agent.applicationConnection = BridgeCore.ApplicationConnection(.init(connection), isOurs: isOurs)
            self.reduce(.applicationConnection(agent.applicationConnection), of: agent)
        case .disconnected(let error):
            self.health.linkDown()
            self.noteSeen(agent)
            agent.applicationConnection = .init(.none)
            agent.lostSince = agent.lostSince ?? self.now.monotonic
            self.logger.debug("device link lost", metadata: ["device": "\(agent.state.slug)", "error": "\(error)"])
            self.perform(agent.desk.deviceWentOffline(now: self.now.monotonic), of: agent)
            self.reduce(.linkLost, of: agent)
            self.settleChannels(of: agent)
        case .attemptFailed(let error, let delay, let attempts):
            agent.lostSince = agent.lostSince ?? self.now.monotonic
            self.tellFailure(error, delay, attempts, agent)
            self.reduce(.linkLost, of: agent)
            self.dropIfGone(agent, attempts: attempts)
        case .authenticated(let result): self.authenticated(result, agent)
        case .launchStatus, .groupChanged: break
        case .identityMismatch(let found, let endpoint):
            self.discovery?.assumeIsolated { $0.identified(found, at: endpoint) }
            self.logger.notice(
                "another device answered at this address; it gets none of the commands",
                metadata: ["device": "\(agent.state.slug)", "address": "\(endpoint)", "found": "\(found.id)"])
        }
    }

    private func identified(_ identity: DeviceIdentity, _ agent: DeviceAgent) {
        var details = agent.state.details
        let told = identity.information
        details.manufacturer = told.manufacturer ?? details.manufacturer
        details.firmware = told.castBuildRevision ?? details.firmware
        details.macAddress = told.macAddress ?? details.macAddress
        self.reduce(.identified(details), of: agent)
        self.discovery?.assumeIsolated { $0.identified(identity) }
        var device = agent.state.device
        device.identity = .verified
        self.reduce(.deviceChanged(device), of: agent)
        self.remember(device)
        self.rememberKey(of: device.id)
    }

    /// Notes what a device's proof is worth, and its first key for the next start.
    private func authenticated(_ result: DeviceAuthenticationResult, _ agent: DeviceAgent) {
        let id = agent.state.device.id
        var details = agent.state.details
        details.authentication = .init(result)
        if details.authentication == .failed || details.authentication == .keyChanged,
            details.authentication != agent.state.details.authentication
        {
            self.logger.warning(
                "a device could not prove that it is the one it was, or genuine at all",
                metadata: ["device": "\(agent.state.slug)", "authentication": "\(details.authentication.rawValue)"])
        }
        self.reduce(.identified(details), of: agent)
        // The library remembers a first key once it has told of the proof.
        self.later { $0.rememberKey(of: id) }
    }

    private func rememberKey(of id: Device.ID) {
        let fingerprint = self.authentication.keys.fingerprints[id]
        guard self.known[id] != nil, self.known[id]?.keyFingerprint != fingerprint else { return }
        self.known[id]?.keyFingerprint = fingerprint
        self.save()
    }

    private func reportVolume(_ status: ReceiverStatus, _ agent: DeviceAgent) {
        guard let volume = status.volume else { return }
        agent.desk.volumeReported(level: volume.level, stepInterval: volume.stepInterval, now: self.now.monotonic)
    }

    /// One line when it begins, one when it is over; what is between is for debugging.
    private func tellFailure(_ error: CastError, _ delay: Duration?, _ attempts: Int, _ agent: DeviceAgent) {
        self.logger.debug(
            "device not reached",
            metadata: [
                "device": "\(agent.state.slug)", "error": "\(error)", "attempts": "\(attempts)", "retry_in": "\(delay?.description ?? "-")",
            ])
        guard !agent.hasWarned, !agent.state.isAvailable else { return }
        agent.hasWarned = true
        self.logger.warning(
            "device not reachable; the bridge keeps trying",
            metadata: ["device": "\(agent.state.slug)", "error": "\(error)"])
    }

    private func tellRecovery(_ agent: DeviceAgent) {
        defer { (agent.lostSince, agent.hasWarned) = (nil, false) }
        var metadata: [String: String] = ["device": agent.state.slug]
        if let since = agent.lostSince {
            let seconds = self.now.monotonic.seconds(since: since)
            metadata["after"] = "\(Double(Int(seconds * 10)) / 10) s"
            // A link that came back within the grace changed nothing that anybody sees.
            guard !agent.state.isAvailable else { return }
        }
        self.logger.info("device online", metadata: .init(uniqueKeysWithValues: metadata.map { ($0.key, .string($0.value)) }))
    }
}

extension DeviceDetails.Authentication {
    /// The word for a proof: whose key it is counts before what a chain says, since a thief may have bought a genuine device.
    init(_ result: DeviceAuthenticationResult) {
        switch (result.verdict, result.keyContinuity) {
        case (.failed, _): self = .failed
        case (_, .changed): self = .keyChanged
        case (.authentic, _), (.expiredChain, _): self = .genuine
        case (.unverified, _): self = .unknownKey
        }
    }
}

extension BridgeCore.ApplicationConnection.Kind {
    init(_ connection: CastSender.ApplicationConnection) {
        switch connection {
        case .none: self = .none
        case .invisible: self = .invisible
        case .strong: self = .strong
        }
    }
}

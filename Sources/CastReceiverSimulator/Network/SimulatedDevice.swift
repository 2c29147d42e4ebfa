import CastProtocol
import CastTransport
import EventLoopTiming
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix

/// One simulated device on the network: performs the actions of its `SimulatedReceiver` on one event loop.
actor SimulatedDevice {
    /// The time limit of a sender's TLS handshake.
    private static let handshakeTimeout = TimeAmount.seconds(10)

    nonisolated let description: DeviceDescription
    nonisolated let eventLoop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { self.eventLoop.executor.asUnownedSerialExecutor() }

    let environment: DeviceEnvironment
    private(set) var model: SimulatedReceiver
    let sockets = CastSockets()
    let listeners = DeviceListeners()
    let announcement: DeviceAnnouncement
    let certificate = DeviceCertificate()
    private(set) var endpoint: Endpoint
    private(set) var power = Power.off
    private var authentication: AuthenticationManner
    /// Fires when the model is due.
    private lazy var deadline = Deadline(of: self, on: self.eventLoop) { $0.tick() }
    private var members: [String: SimulatedDevice] = [:]
    private var groups: [SimulatedDevice] = []
    private var mediaClient: MediaClient?

    enum Power: String { case on, off, rebooting }

    /// The address of a device and the host name under which it is announced.
    struct Endpoint: Sendable, Hashable {
        var address: String
        /// The port; 0 until the system has chosen.
        var port: Int
        /// The UUID of the device whose host name is used: the device itself, or the leader of a group.
        var hostUUID: String
    }

    init(
        description: DeviceDescription, settings: ReceiverSettings, environment: DeviceEnvironment,
        authentication: AuthenticationManner = .genuine, eventLoop: any EventLoop
    ) {
        self.description = description
        self.environment = environment
        self.authentication = authentication
        self.eventLoop = eventLoop
        self.model = SimulatedReceiver(description: description, settings: settings)
        self.announcement = DeviceAnnouncement(environment.announcer)
        let host = DeviceDescription.uuid(of: description.members.first?.id ?? description.id)
        self.endpoint = Endpoint(address: description.address, port: description.port, hostUUID: host)
    }

    func connect(members: [String: SimulatedDevice], groups: [SimulatedDevice]) { (self.members, self.groups) = (members, groups) }

    /// Adds a device to this group, which must know the device before it acts on it.
    func join(_ member: GroupMember, at device: SimulatedDevice) throws(SimulatorError) {
        let known = self.members.updateValue(device, forKey: member.id)
        do throws(SimulatorError) { try self.perform(.join(member)) } catch {
            self.members[member.id] = known
            throw error
        }
    }

    func setGroupReferences(_ references: [GroupReference]) { self.model.groups = references }

    nonisolated var now: Duration { .nanoseconds(NIODeadline.now().uptimeNanoseconds) }

    // MARK: Power and place

    /// Switches the device on: opens its listeners and announces it.
    func start() async throws(SimulatorError) {
        guard self.power != .on else { throw SimulatorError(.wrongState, "\(self.description.controlName) is on already") }
        self.power = .on
        do throws(SimulatorError) {
            try await self.listeners.inTurn { () throws(SimulatorError) in try await self.listen() }
        } catch {
            if self.power == .on { self.power = .off }
            throw error
        }
        self.record("start", ["address": .string(self.endpoint.address), "port": .integer(self.endpoint.port)])
    }

    /// Switches the device off.
    ///
    /// - Parameter goodbye: whether the device sends an mDNS goodbye and closes its senders' connections properly.
    func stop(goodbye: Bool) async throws(SimulatorError) {
        guard self.power != .off else { throw SimulatorError(.wrongState, "\(self.description.controlName) is off already") }
        self.power = .off
        self.sockets.unfreeze()
        await self.withdraw(goodbye: goodbye)
        self.dropSockets(reset: !goodbye)
        await self.listeners.inTurn { await self.listeners.close() }
        self.stopTimer()
        self.forgetSessions()
        self.record("stop", ["goodbye": .bool(goodbye)])
    }

    /// The first half of a reboot: everything ends without notice.
    func beginReboot() async throws(SimulatorError) {
        try await self.stop(goodbye: false)
        self.power = .rebooting
        self.certificate.forget()
    }

    /// The second half: unless it was switched on or off meanwhile, the device starts with a new certificate.
    func finishReboot() async throws(SimulatorError) {
        guard self.power == .rebooting else { return }
        try await self.start()
        try await self.announce()
    }

    /// Clears the state that a device loses without power: applications and media, not its volume.
    private func forgetSessions() {
        self.stopFetching()
        self.closeMirror()
        let release = self.model.releaseMembers()
        self.model.restart()
        self.perform(release)
        self.updateAnnouncement()
    }

    /// Moves the device to another address or port, as after a new lease or an election of a group's leader; connections are reset.
    ///
    /// - Parameter hostUUID: the id of the device whose host name is used from now on; `nil` keeps it.
    func move(address: String?, port: Int?, hostUUID: String?) async throws(SimulatorError) {
        try self.requirePower()
        if let address, IPv4Address(address) == nil { throw SimulatorError(.invalidRequest, "\(address) is not an IPv4 address") }
        if let port, !(0...65_535).contains(port) { throw SimulatorError(.invalidRequest, "\(port) is not a port") }
        try await self.listeners.inTurn { () throws(SimulatorError) in
            let old = self.endpoint
            await self.listeners.close()
            self.dropSockets(reset: true)
            self.endpoint = Endpoint(address: address ?? old.address, port: port ?? old.port, hostUUID: hostUUID ?? old.hostUUID)
            do throws(SimulatorError) { try await self.listen() } catch {
                self.endpoint = old
                try await self.listen()
                throw error
            }
        }
        self.updateAnnouncement()
        self.record("move", ["address": .string(self.endpoint.address), "port": .integer(self.endpoint.port)])
    }

    /// Sets another address and host name while the device is switched off.
    func place(at address: String, hostUUID: String) {
        self.endpoint = Endpoint(address: address, port: self.endpoint.port, hostUUID: hostUUID)
    }

    /// Opens the Cast server and, for devices, the web servers of `eureka_info`. Call it in turn.
    ///
    /// - Throws: `SimulatorError` `resource` naming the address that cannot be used, `wrongState` when the device was switched off
    ///   meanwhile; all listeners are then closed.
    func listen() async throws(SimulatorError) {
        try self.requirePower()
        do throws(SimulatorError) {
            let cast = try await self.bindCast()
            self.listeners.add(cast)
            self.endpoint.port = cast.localAddress?.port ?? self.endpoint.port
            guard !self.description.isGroup else { return }
            if let port = self.environment.ports.http { self.listeners.add(try await self.bindWeb(port: port, secure: false)) }
            if let port = self.environment.ports.https { self.listeners.add(try await self.bindWeb(port: port, secure: true)) }
        } catch {
            await self.listeners.close()
            throw error
        }
    }

    // MARK: Connections

    /// Prepares an accepted connection; called on the event loop before its first byte.
    ///
    /// - Throws: when there are too many connections or the device is off; the connection is then closed.
    func accept(_ channel: any Channel) throws {
        // Half as many again as the receiver accepts, for connections with a pending handshake.
        guard self.power == .on, self.sockets.ids.count < SimulatedReceiver.maximumSockets * 3 / 2 else {
            throw ChannelError.operationUnsupported
        }
        let gate = SocketGate(isShut: self.sockets.isFrozen)
        let tls = try self.certificate.tlsHandler(of: self.description.uuid)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(gate)
        try pipeline.addHandler(tls)
        try pipeline.addHandler(CastFrameHandler())
        let socket = self.sockets.add(channel, gate: gate, certificateDER: self.certificate.der)
        try pipeline.addHandler(CastSocketHandler(device: self, socket: socket))
        self.eventLoop.scheduleTask(in: Self.handshakeTimeout) { self.assumeIsolated { $0.sockets.giveUpHandshake(socket) } }
    }

    func handshakeCompleted(_ socket: SocketID) {
        guard self.sockets.open(socket) else { return }
        self.record("connect", ["socket": .integer(socket)])
        self.perform(self.model.opened(socket, at: self.now))
    }

    func received(_ message: CastMessage, on socket: SocketID) {
        if self.environment.journal != nil {
            self.record(
                "message",
                [
                    "socket": .integer(socket), "source": .string(message.sourceID), "destination": .string(message.destinationID),
                    "namespace": .string(message.namespace), "payload": Self.journalPayload(message),
                ])
        }
        self.perform(self.model.received(message, on: socket, at: self.now))
    }

    private static func journalPayload(_ message: CastMessage) -> JSON {
        switch message.payload {
        case .text(let text): JSONTextReader.read(text) ?? .string(text)
        case .binary(let bytes): ["bytes": .integer(bytes.count)]
        }
    }

    func closed(_ socket: SocketID) {
        guard self.sockets.remove(socket) else { return }
        self.record("disconnect", ["socket": .integer(socket)])
        self.perform(self.model.closed(socket, at: self.now))
    }

    func failed(_ socket: SocketID, _ detail: String) {
        self.record("error", ["socket": .integer(socket), "detail": .string(detail)])
    }

    func httpRequest(_ head: HTTPRequestHead, port: Int) -> HTTPAnswer? {
        self.record("http", ["port": .integer(port), "method": .string(head.method.rawValue), "uri": .string(head.uri)])
        guard !self.sockets.isFrozen else { return nil }
        let now = self.now
        return HTTPAnswer.answer(to: head) { self.model.eurekaInformation(parameters: $0, at: now) }
    }

    func record(_ event: String, _ members: KeyValuePairs<String, JSON?>) {
        self.environment.journal?.record(device: self.description.controlName, event: event, members)
    }

    /// Ends every connection: with a reset as after a crash, otherwise properly.
    func dropSockets(reset: Bool) {
        for socket in self.sockets.ids {
            if reset { self.sockets.reset(socket) } else { self.sockets.close(socket) }
            self.closed(socket)
        }
    }

    /// Lets every connection continue, with what was received and sent meanwhile.
    func thawSockets() {
        self.sockets.thaw()
        self.perform(self.model.thawed(at: self.now))
    }

    // MARK: Acting

    /// Performs an action of a party that is not a connected sender.
    func perform(_ action: RemoteAction) throws(SimulatorError) { self.perform(try self.model.perform(action, at: self.now)) }

    /// Changes the status again; returns `false` when there is nothing to change.
    func burst(_ change: ControlRequest.BurstChange) -> Bool {
        do throws(SimulatorError) {
            switch change {
            case .volume:
                let level = self.model.volume.level
                try self.perform(.volume(VolumeChange(level: level > 0.5 ? level - 0.25 : level + 0.25)))
            case .playback: try self.perform(self.model.application?.player.playerState == "PLAYING" ? .pause : .resume)
            case .item(let item): try self.perform(.next(item))
            }
            return true
        } catch { return false }
    }

    func setAuthentication(_ manner: AuthenticationManner) { self.authentication = manner }

    var memberIDs: [String] { self.model.memberIDs }
    var volume: Volume { self.model.volume }

    func setAnswerDelay(_ delay: ClosedRange<Duration>) { self.model.setAnswerDelay(delay) }

    private func memberVolumeChanged(id: String, to volume: Volume) {
        self.perform(self.model.memberVolumeChanged(id: id, to: volume, at: self.now))
    }

    func perform(_ actions: [ReceiverAction]) {
        for action in actions {
            switch action {
            case .send(let message, let socket): self.sockets.write(message, on: socket)
            case .sendRaw(let bytes, let socket): self.sockets.writeRaw(bytes, on: socket)
            case .close(let socket): self.sockets.close(socket)
            case .authenticate(let challenge, let sender, let socket): self.authenticate(challenge, from: sender, on: socket)
            case .announce: self.updateAnnouncement()
            case .setMemberVolume(let id, let change):
                guard let member = self.members[id] else { continue }
                member.eventLoop.execute { member.assumeIsolated { try? $0.perform(.volume(change)) } }
            case .occupyMembers(let ids, let isPlaying): self.occupyMembers(ids, isPlaying)
            case .fetch(let fetch): self.fetch(fetch)
            case .stopFetching: self.stopFetching()
            case .openMirror(let id): self.openMirror(id)
            case .closeMirror: self.closeMirror()
            case .volumeChanged(let volume):
                let id = self.description.id
                for group in self.groups { group.eventLoop.execute { group.assumeIsolated { $0.memberVolumeChanged(id: id, to: volume) } } }
            }
        }
        self.sockets.flush()
        self.schedule()
    }

    private func fetch(_ fetch: MediaFetch) {
        self.stopFetching()
        let id = fetch.id
        let client = MediaClient(
            media: fetch.media, eventLoop: self.eventLoop,
            onFinding: { finding in
                self.assumeIsolated { device in
                    device.record("fetch", ["url": fetch.media["contentUrl"] ?? fetch.media["contentId"], "finding": finding.json])
                    device.perform(device.model.fetched(id, finding, at: device.now))
                }
            },
            onEnd: { seconds in
                self.assumeIsolated { device in
                    device.record("stream_end", ["seconds": seconds.map(JSON.number)])
                    device.perform(device.model.streamEnded(id, seconds: seconds, at: device.now))
                }
            })
        self.mediaClient = client
        client.start()
    }

    private func stopFetching() {
        self.mediaClient?.cancel()
        self.mediaClient = nil
    }

    func mirrorOpened(_ id: String, port: Int) {
        self.record("mirror", ["port": .integer(port)])
        self.perform(self.model.mirrorOpened(id, port: port, at: self.now))
    }

    /// - Returns: the datagrams to send back.
    func mirrored(_ datagram: [UInt8]) -> [[UInt8]] { self.sockets.isFrozen ? [] : self.model.mirrored(datagram, at: self.now) }

    private func occupyMembers(_ ids: [String], _ isPlaying: Bool) {
        let leader = self.endpoint.hostUUID
        for id in ids {
            guard let member = self.members[id] else { continue }
            let isLeader = isPlaying ? member.description.uuid == leader : nil
            member.eventLoop.execute { member.assumeIsolated { $0.occupied(asLeader: isLeader) } }
        }
    }

    private func occupied(asLeader isLeader: Bool?) {
        guard self.power == .on else { return }
        self.perform(self.model.occupied(asLeader: isLeader, at: self.now))
    }

    private func authenticate(_ challenge: [UInt8], from sender: String, on socket: SocketID) {
        guard let certificate = self.sockets.certificate(of: socket) else { return }
        let (authenticator, description) = (self.environment.authenticator, self.description)
        let manner = self.authentication
        NIOThreadPool.singleton.runIfActive(eventLoop: self.eventLoop) {
            authenticator.answer(challenge: challenge, device: description, tlsCertificate: certificate, manner: manner, at: Date())
        }.whenSuccess { answer in
            guard let answer else { return }
            let message = CastMessage(
                sourceID: CastMessage.platformReceiverID, destinationID: sender, namespace: Namespace.authentication,
                payload: .binary(answer))
            self.assumeIsolated { $0.perform([.send(message, on: socket)]) }
        }
    }

    private func schedule() {
        guard !self.sockets.isFrozen else { return }
        self.deadline.arm(at: self.model.nextDeadline.map { .uptimeNanoseconds(0) + TimeAmount($0) })
    }

    private func tick() {
        guard !self.sockets.isFrozen else { return }
        self.perform(self.model.advance(to: self.now))
    }

    func stopTimer() { self.deadline.cancel() }
}

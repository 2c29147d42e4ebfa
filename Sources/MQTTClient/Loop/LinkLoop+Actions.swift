import Glibc
import NetworkReach

/// Performs the decisions of the machine.
extension LinkLoop {
    func perform(_ action: MQTTConnectionMachine.Action) {
        switch action {
        case .none: break
        case .resolve: self.resolve()
        case .probe(let addresses):
            let probe = AddressProbe(addresses)
            self.probe = probe
            self.handle(probe.begin(now: self.now))
        case .open(let address, let version): self.open(address, version)
        case .handshake:
            // TLS and CONNECT continue as the socket becomes ready.
            if let handle = self.handle { SocketOption.setUserTimeout(self.configuration.halfOpenLimit, of: handle.socket) }
        case .announce(let epoch, let remember): self.announce(epoch: epoch, remember: remember)
        case .retry(let delay, let error):
            self.dropConnection()
            self.log.failed(error, retryIn: delay, now: self.now)
            self.onEvent(.attemptFailed(error, retryIn: delay))
        case .lose(let epoch, let delay, let error):
            self.closeLink(epoch: epoch, error)
            self.log.lost(error, retryIn: delay, now: self.now)
        case .publishFarewell: self.publishFarewell()
        case .disconnect(let epoch):
            self.sendDisconnect()
            self.closeLink(epoch: epoch, MQTTLinkError(.stopped, detail: "the client was stopped"))
            self.log.left()
        case .finish(let epoch):
            let error = MQTTLinkError(.stopped, detail: "the client was stopped without a word to the broker")
            if let epoch { self.closeLink(epoch: epoch, error) } else { self.dropConnection() }
            self.log.left()
        }
    }

    /// Ends the current connection or attempt.
    func close(_ error: MQTTLinkError) {
        self.perform(self.machine.linkEnded(error, now: self.now, jitter: self.environment.random()))
    }

    private func resolve() {
        if let problem = self.configuration.problem() {
            let error = MQTTLinkError(.invalidConfiguration, detail: problem)
            return self.perform(self.machine.resolutionFailed(error, now: self.now, jitter: self.environment.random()))
        }
        let numeric = NumericAddress.resolve(self.configuration.host, port: self.configuration.port, isNumeric: true)
        if case .success = numeric { return self.resolved(numeric) }
        self.resolver.begin()
    }

    private func open(_ address: NumericAddress, _ version: MQTTProtocolVersion) {
        self.probe = nil
        do throws(MQTTLinkError) {
            let handle = try MosquittoHandle(self.configuration, address: address, version: version)
            self.handle = handle
            self.serverReason = nil
            let result = handle.connect(
                keepAliveSeconds: self.configuration.keepAliveSeconds, sessionExpirySeconds: self.configuration.sessionExpirySeconds)
            if result != .success || handle.socket < 0 { throw self.reason(of: result, handle) }
            SocketOption.closeOnExec(handle.socket)
        } catch {
            self.close(error)
        }
    }

    private func announce(epoch: UInt64, remember: MQTTProtocolVersion?) {
        guard let handle = self.handle, let welcome = self.welcome else { return }
        let now = self.now
        let session = MQTTSession(
            epoch: epoch, sessionPresent: welcome.sessionPresent, protocolVersion: handle.version,
            serverKeepAliveSeconds: welcome.serverKeepAliveSeconds, limits: welcome.limits, peer: "\(handle.address)")
        self.session = session
        self.outbox = Outbox(core: self.core) { [onEvent] in onEvent(.published($0, epoch: epoch)) }
        self.watchdog = LinkWatchdog(limit: self.configuration.halfOpenLimit, now: now)
        self.ownerWatchdog = self.configuration.ownerLimit.map { OwnerWatchdog(limit: $0, now: now) }
        self.scheduleHousekeeping(now: now)
        handle.stopCollectingErrors()
        self.log.connected(session, now: now)
        if let remember { self.onEvent(.protocolChosen(remember)) }
        self.core.open(epoch: epoch)
        self.onEvent(.connected(session))
    }

    private func closeLink(epoch: UInt64, _ error: MQTTLinkError) {
        self.dropConnection()
        self.outbox.loseAll(self.core.closeEpoch())
        self.onEvent(.disconnected(epoch: epoch, error))
    }

    private func dropConnection() {
        self.handle = nil
        self.probe = nil
        self.watchdog = nil
        self.ownerWatchdog = nil
        self.welcome = nil
        self.session = nil
        self.housekeepingAt = nil
        self.brokenLink = nil
    }

    private func publishFarewell() {
        // From here on, calls are refused.
        for command in self.core.closeEpoch() { self.outbox.lose(command) }
        self.outbox.report()
        var packetID: Int32?
        if let handle = self.handle {
            self.farewell?.forEach { packet in
                guard packet.refusal(version: handle.version, limit: nil) == nil else { return }
                if case .success(let id) = handle.publish(packet) { packetID = id }
            }
        }
        guard let packetID, self.outbox.add(packetID, .farewell, now: self.now) else { return self.perform(self.machine.farewellDone()) }
        self.processNotices()
    }

    /// Sends DISCONNECT, so that the broker drops the will. Bytes that do not fit into the socket at once get a short time.
    private func sendDisconnect() {
        guard let handle = self.handle else { return }
        handle.disconnect()
        var descriptor = pollfd(fd: handle.socket, events: Int16(POLLOUT), revents: 0)
        if handle.socket >= 0, handle.wantsWrite, poll(&descriptor, 1, 100) == 1 { _ = handle.write() }
    }
}

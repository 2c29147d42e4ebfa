import CastModels
import CastProtocol
import EventLoopTiming
import LogKeys
import NIOCore

extension CastSession {
    /// The time between two checks of a clock that is not set.
    private static let clockInterval = TimeAmount.seconds(30)

    /// The result of device authentication; `nil` before the device has answered, and when it is not challenged.
    public var authentication: DeviceAuthenticationResult? { self.proof.result }

    /// Challenges the device before anything else is sent. The session continues at once, or only after a proof where one is required.
    func authenticate() {
        self.configuration.authentication.surroundings.peerCertificate(self.connection.channel).whenComplete { result in
            self.assumeIsolated { $0.challenge((try? result.get()) ?? nil) }
        }
    }

    private func challenge(_ tlsCertificate: [UInt8]?) {
        guard self.isLinked else { return }
        let deadline = Deadline(of: self, on: self.eventLoop) {
            let late = CastError(.authenticationTimeout, detail: "the device didn't answer the challenge")
            $0.authenticated(DeviceAuthenticationResult(.failed(late)))
        }
        try? self.connection.write(
            .binary(AuthenticationMessage.challenge(nonce: self.proof.open(tlsCertificate, until: deadline))),
            namespace: CastNamespace.deviceAuthentication, to: CastMessage.platformReceiverID)
        if !self.proof.isRequired { self.input { machine, _ in machine.opened() } }
    }

    /// Handles a message of the device in the authentication namespace.
    func authenticationAnswered(_ payload: CastMessage.Payload) {
        guard self.proof.isOpen else { return }
        guard let result = self.proof.judge(payload, of: self.identity?.id) else { return self.postpone(payload) }
        self.authenticated(result)
        if let identity { self.rememberKey(of: identity.id) }
    }

    /// Keeps the device's answer until the clock of this machine is set. Where a proof is required, the link is closed instead, and the
    /// attempts continue.
    private func postpone(_ payload: CastMessage.Payload) {
        guard !self.proof.isRequired else {
            return self.close(
                CastError(
                    .authenticationTimeout, detail: "the clock of this machine is not set, so certificates can't be checked",
                    reason: "clock_not_set"))
        }
        let deadline = Deadline(of: self, on: self.eventLoop) { $0.authenticationAnswered(payload) }
        deadline.arm(in: Self.clockInterval)
        self.proof.postpone(to: deadline)
    }

    /// Compares the device's key with the one remembered for its id, before the id is reported.
    ///
    /// - Returns: whether the id may be reported; otherwise the link is closed.
    func isIdentityAcceptable(_ identity: DeviceIdentity) -> Bool {
        guard self.configuration.authentication.mode != .off else { return true }
        if let result = self.proof.compare(with: identity.id) { self.took(result) }
        self.rememberKey(of: identity.id)
        return self.isLinked
    }

    private func rememberKey(of id: Device.ID) {
        guard let (forgotten, isFirst) = self.proof.remember(id) else { return }
        // Warn once: while the keys are full, each new device would log a line.
        self.loggers.session.log(
            level: isFirst ? .warning : .debug, "device keys full; key of another device forgotten",
            metadata: [.forgotten: "\(forgotten)"])
    }

    private func authenticated(_ result: DeviceAuthenticationResult) {
        guard self.isLinked, self.proof.end() else { return }
        self.took(result)
        if self.proof.isRequired, self.isLinked { self.input { machine, _ in machine.opened() } }
    }

    private func took(_ result: DeviceAuthenticationResult) {
        let error = self.proof.take(result)
        self.notify(.authenticated(result))
        if let error { self.close(error) }
    }
}

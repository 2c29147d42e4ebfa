import CastModels
import CastProtocol
import NIOCore

/// A challenge under way on one link.
struct OpenChallenge {
    var nonce: [UInt8]
    var tlsCertificate: [UInt8]?
    var alarm: Scheduled<Void>
}

extension CastSession {
    /// Challenges the device before anything else is said, and goes on: at once, or when it has proven itself.
    func authenticate() {
        self.configuration.authentication.surroundings.peerCertificate(self.channel).whenComplete { result in
            self.assumeIsolated { $0.challenge((try? result.get()) ?? nil) }
        }
    }

    private func challenge(_ tlsCertificate: [UInt8]?) {
        let authentication = self.configuration.authentication
        guard let connection, self.endError == nil else { return }
        let nonce = authentication.surroundings.nonce()
        let alarm = self.eventLoop.scheduleTask(in: .nanoseconds(authentication.timeout.wholeNanoseconds)) {
            let late = CastError(.authenticationTimeout, detail: "the device didn't answer the challenge")
            self.assumeIsolated { $0.authenticated(DeviceAuthenticationResult(.failed(late))) }
        }
        self.openChallenge = OpenChallenge(nonce: nonce, tlsCertificate: tlsCertificate, alarm: alarm)
        connection.assumeIsolated {
            $0.send(
                .binary(AuthenticationMessage.challenge(nonce: nonce)), namespace: CastNamespace.deviceAuthentication,
                to: CastMessage.platformReceiverID)
        }
        if authentication.mode != .require { self.perform(self.machine.opened()) }
    }

    /// The device sent something in the authentication namespace.
    func authenticationAnswered(_ payload: CastMessage.Payload) {
        guard let openChallenge else { return }
        let authentication = self.configuration.authentication
        let check = AuthenticationCheck(
            tlsCertificate: openChallenge.tlsCertificate, nonce: openChallenge.nonce, anchors: authentication.anchors,
            capabilities: self.configuration.capabilities, now: authentication.surroundings.wallClock())
        var result = check.judge(payload)
        if let id = self.machine.identity.expected ?? self.identity?.id { self.compareKey(of: id, in: &result) }
        self.authenticated(result)
        if let identity { self.rememberKey(of: identity.id) }
    }

    /// Whether what the device says counts: nothing does before the proof where one is required.
    var mayBeHeard: Bool {
        guard self.configuration.authentication.mode == .require else { return true }
        return self.authentication.map { $0.isAcceptable || self.isIDAwaited(for: $0) } ?? false
    }

    /// Whether the device may go on as far as telling its id, by which its key is found: nobody expects a certain one here.
    private func isIDAwaited(for result: DeviceAuthenticationResult) -> Bool {
        result.verdict == .unverified && result.keyContinuity == nil && self.machine.identity.expected == nil
    }

    /// What the device's id means for its proof, before anybody is told of it.
    ///
    /// - Returns: whether the event may be told; otherwise the link is closed.
    func passes(_ event: CastSessionEvent) -> Bool {
        guard self.configuration.authentication.mode != .off else { return true }
        switch event {
        case .identified(let identity):
            if var result = self.authentication, result.keyContinuity == nil {
                self.compareKey(of: identity.id, in: &result)
                if result != self.authentication { self.took(result) }
            }
            self.rememberKey(of: identity.id)
            return self.endError == nil
        case .ready:
            guard self.configuration.authentication.mode == .require else { return true }
            guard self.authentication?.isAcceptable != true || self.isNobodysKey else { return true }
            let error = CastError(.deviceAuthenticationFailure, detail: "the device doesn't say whose key it has", reason: "id_unknown")
            self.connection?.assumeIsolated { $0.close(error) }
            return false
        case .receiverStatus, .mediaStatus, .queueWindow, .applicationConnection, .authenticated, .launchStatus, .multizoneStatus,
            .groupChanged,
            .ended:
            return true
        }
    }

    /// Whether only a first key speaks for the device, and it didn't say whose that is: it could never be compared with a later one.
    private var isNobodysKey: Bool {
        self.identity == nil && self.authentication.map { $0.verdict == .unverified && $0.keyContinuity == .firstSeen } ?? false
    }

    private func compareKey(of id: Device.ID, in result: inout DeviceAuthenticationResult) {
        guard let fingerprint = result.keyFingerprint, !result.isFailure else { return }
        result.keyContinuity = self.configuration.authentication.keys.compare(fingerprint, of: id)
    }

    /// Only of a device that has proven something, and that says itself that it is the expected one: another may have its address now.
    private func rememberKey(of id: Device.ID) {
        guard let result = self.authentication, let fingerprint = result.keyFingerprint, !result.isFailure else { return }
        guard (self.machine.identity.expected ?? id) == id else { return }
        self.configuration.authentication.keys.remember(fingerprint, of: id)
    }

    private func authenticated(_ result: DeviceAuthenticationResult) {
        guard let challenge = self.openChallenge, self.endError == nil else { return }
        challenge.alarm.cancel()
        self.openChallenge = nil
        self.took(result)
        guard self.configuration.authentication.mode == .require, self.endError == nil else { return }
        self.perform(self.machine.opened())
    }

    private func took(_ result: DeviceAuthenticationResult) {
        self.authentication = result
        self.tell(.authenticated(result))
        guard self.configuration.authentication.mode == .require, !result.isAcceptable, !self.isIDAwaited(for: result) else { return }
        let changed = CastError(.deviceAuthenticationFailure, detail: "the device has another key than before", reason: "key_changed")
        let error = if case .failed(let error) = result.verdict { error } else { changed }
        self.connection?.assumeIsolated { $0.close(error) }
    }
}

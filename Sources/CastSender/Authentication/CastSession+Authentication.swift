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
        if let fingerprint = result.keyFingerprint, let id = self.machine.identity.expected ?? self.identity?.id {
            result.keyContinuity = authentication.keys.compare(fingerprint, of: id)
        }
        self.authenticated(result)
    }

    private func authenticated(_ result: DeviceAuthenticationResult) {
        guard let challenge = self.openChallenge, self.endError == nil else { return }
        challenge.alarm.cancel()
        self.openChallenge = nil
        self.authentication = result
        self.tell(.authenticated(result))
        guard self.configuration.authentication.mode == .require else { return }
        guard !result.isAcceptable else { return self.perform(self.machine.opened()) }
        let changed = CastError(.deviceAuthenticationFailure, detail: "the device has another key than before", reason: "key_changed")
        let error = if case .failed(let error) = result.verdict { error } else { changed }
        self.connection?.assumeIsolated { $0.close(error) }
    }
}

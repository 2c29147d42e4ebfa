import CastModels
import CastProtocol
import EventLoopTiming
import LogKeys
import NIOCore

/// A pending challenge on one link.
struct OpenChallenge {
    var nonce: [UInt8]
    var tlsCertificate: [UInt8]?
    var deadline: Deadline
}

extension CastSession {
    /// The time between two checks of a clock that is not set.
    private static let clockInterval = TimeAmount.seconds(30)

    /// Challenges the device before anything else is sent. The session continues at once, or only after a proof where one is required.
    func authenticate() {
        self.configuration.authentication.surroundings.peerCertificate(self.connection.channel).whenComplete { result in
            self.assumeIsolated { $0.challenge((try? result.get()) ?? nil) }
        }
    }

    private func challenge(_ tlsCertificate: [UInt8]?) {
        let authentication = self.configuration.authentication
        guard self.isConnected else { return }
        let nonce = authentication.surroundings.nonce()
        let deadline = Deadline(of: self, on: self.eventLoop) {
            let late = CastError(.authenticationTimeout, detail: "the device didn't answer the challenge")
            $0.authenticated(DeviceAuthenticationResult(.failed(late)))
        }
        deadline.arm(in: .nanoseconds(authentication.timeout.wholeNanoseconds))
        self.openChallenge = OpenChallenge(nonce: nonce, tlsCertificate: tlsCertificate, deadline: deadline)
        self.send(
            .binary(AuthenticationMessage.challenge(nonce: nonce)), namespace: CastNamespace.deviceAuthentication,
            to: CastMessage.platformReceiverID)
        if authentication.mode != .require { self.perform(self.machine.opened()) }
    }

    /// Handles a message of the device in the authentication namespace.
    func authenticationAnswered(_ payload: CastMessage.Payload) {
        guard let openChallenge else { return }
        let authentication = self.configuration.authentication
        let now = authentication.surroundings.wallClock()
        guard WallClock.isPlausible(now, earliest: authentication.surroundings.earliestTime) else { return self.postpone(payload) }
        let check = AuthenticationCheck(
            tlsCertificate: openChallenge.tlsCertificate, nonce: openChallenge.nonce, anchors: authentication.anchors,
            capabilities: self.configuration.capabilities, now: now)
        var result = check.judge(payload)
        if let id = self.machine.identity.expected ?? self.identity?.id { self.compareKey(of: id, in: &result) }
        self.authenticated(result)
        if let identity { self.rememberKey(of: identity.id) }
    }

    /// Keeps the device's answer until the clock of this machine is set, because certificates have a validity period. Where a proof is
    /// required, the link is closed instead, and the attempts continue.
    private func postpone(_ payload: CastMessage.Payload) {
        guard self.configuration.authentication.mode != .require else {
            return self.close(
                CastError(
                    .authenticationTimeout, detail: "the clock of this machine is not set, so certificates can't be checked",
                    reason: "clock_not_set"))
        }
        self.openChallenge?.deadline.cancel()
        let deadline = Deadline(of: self, on: self.eventLoop) { $0.authenticationAnswered(payload) }
        deadline.arm(in: Self.clockInterval)
        self.openChallenge?.deadline = deadline
    }

    /// Whether messages of the device are processed. Where a proof is required, none is processed before it.
    var acceptsMessages: Bool {
        guard self.configuration.authentication.mode == .require else { return true }
        return self.authentication.map { $0.isAcceptable || self.isIDAwaited(for: $0) } ?? false
    }

    /// Returns whether the device may report its id, by which its remembered key is found. This applies only when no particular device is
    /// expected.
    private func isIDAwaited(for result: DeviceAuthenticationResult) -> Bool {
        result.verdict == .unverified && result.keyContinuity == nil && self.machine.identity.expected == nil
    }

    /// Compares the device's key with the one remembered for its id, before the id is reported.
    ///
    /// - Returns: whether the id may be reported; otherwise the link is closed.
    func isIdentityAcceptable(_ identity: DeviceIdentity) -> Bool {
        guard self.configuration.authentication.mode != .off else { return true }
        if var result = self.authentication, result.keyContinuity == nil {
            self.compareKey(of: identity.id, in: &result)
            if result != self.authentication { self.took(result) }
        }
        self.rememberKey(of: identity.id)
        return self.isConnected
    }

    /// Returns whether the device may become ready; closes the link when a required proof is missing.
    func isProofSufficientOrClosed() -> Bool {
        guard self.configuration.authentication.mode == .require else { return true }
        guard self.authentication?.isAcceptable != true || self.isKeyWithoutID else { return true }
        self.close(
            CastError(
                .deviceAuthenticationFailure, detail: "the device does not report its id, so its key can't be compared",
                reason: "id_unknown"))
        return false
    }

    /// Whether the proof is only a first key and the device has not reported its id. Such a key could never be compared with a later one.
    private var isKeyWithoutID: Bool {
        self.identity == nil && self.authentication.map { $0.verdict == .unverified && $0.keyContinuity == .firstSeen } ?? false
    }

    private func compareKey(of id: Device.ID, in result: inout DeviceAuthenticationResult) {
        guard let fingerprint = result.keyFingerprint, !result.isFailure else { return }
        result.keyContinuity = self.configuration.authentication.keys.compare(fingerprint, of: id)
    }

    /// Remembers the key of a device that proved something and reported the expected id itself. Otherwise another device may have its
    /// address now.
    private func rememberKey(of id: Device.ID) {
        guard let result = self.authentication, let fingerprint = result.keyFingerprint, !result.isFailure else { return }
        guard (self.machine.identity.expected ?? id) == id else { return }
        guard let (forgotten, isFirst) = self.configuration.authentication.keys.remember(fingerprint, of: id) else { return }
        // Warn once: while the keys are full, each new device would log a line.
        self.loggers.session.log(
            level: isFirst ? .warning : .debug, "device keys full; key of another device forgotten",
            metadata: [.forgotten: "\(forgotten)"])
    }

    private func authenticated(_ result: DeviceAuthenticationResult) {
        guard let challenge = self.openChallenge, self.isConnected else { return }
        challenge.deadline.cancel()
        self.openChallenge = nil
        self.took(result)
        guard self.configuration.authentication.mode == .require, self.isConnected else { return }
        self.perform(self.machine.opened())
    }

    private func took(_ result: DeviceAuthenticationResult) {
        self.authentication = result
        self.notify(.authenticated(result))
        guard self.configuration.authentication.mode == .require, !result.isAcceptable, !self.isIDAwaited(for: result) else { return }
        let changed = CastError(.deviceAuthenticationFailure, detail: "the device has another key than before", reason: "key_changed")
        let error = if case .failed(let error) = result.verdict { error } else { changed }
        self.close(error)
    }
}

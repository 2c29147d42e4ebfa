import CastModels
import CastProtocol
import EventLoopTiming
import NIOCore

/// Decides whether the device at the other end of one link has proven that it is genuine: the open challenge, the result, and the key
/// that is remembered for the device. Does no I/O on the link; belongs to the session's event loop.
final class DeviceProof {
    private struct Challenge {
        var nonce: [UInt8]
        var tlsCertificate: [UInt8]?
        /// Ends the challenge, or judges the answer again.
        var deadline: Deadline
    }

    private let configuration: DeviceAuthentication
    private let capabilities: DeviceCapabilities?
    /// The device to reach; `nil` accepts any.
    private let expected: Device.ID?
    private var challenge: Challenge?
    /// The result; `nil` before the device has answered, and when it is not challenged.
    private(set) var result: DeviceAuthenticationResult?

    init(_ configuration: DeviceAuthentication, capabilities: DeviceCapabilities?, expected: Device.ID?) {
        self.configuration = configuration
        self.capabilities = capabilities
        self.expected = expected
    }

    var isRequired: Bool { self.configuration.mode.isRequired }

    /// Whether the device was challenged and has not answered.
    var isOpen: Bool { self.challenge != nil }

    /// Whether messages of the device are processed. Where a proof is required, none is processed before it.
    var acceptsMessages: Bool { !self.isRequired || self.result.map { $0.isAcceptable || self.isIDAwaited(for: $0) } ?? false }

    /// Returns whether the device may report its id, by which its remembered key is found. This applies only when no particular device is
    /// expected.
    private func isIDAwaited(for result: DeviceAuthenticationResult) -> Bool {
        result.verdict == .unverified && result.keyContinuity == nil && self.expected == nil
    }

    /// Opens a challenge.
    ///
    /// - Returns: its nonce.
    func open(_ tlsCertificate: [UInt8]?, until deadline: Deadline) -> [UInt8] {
        let nonce = self.configuration.surroundings.nonce()
        deadline.arm(in: .nanoseconds(self.configuration.timeout.wholeNanoseconds))
        self.challenge = Challenge(nonce: nonce, tlsCertificate: tlsCertificate, deadline: deadline)
        return nonce
    }

    /// Checks the device's answer to the open challenge.
    ///
    /// - Parameter id: the device as far as it is known.
    /// - Returns: `nil` while the clock of this machine is not set, because certificates have a validity period.
    func judge(_ payload: CastMessage.Payload, of id: Device.ID?) -> DeviceAuthenticationResult? {
        #if DeviceAuthentication
            let now = self.configuration.surroundings.wallClock()
            guard let challenge, WallClock.isPlausible(now, earliest: self.configuration.surroundings.earliestTime) else { return nil }
            let check = AuthenticationCheck(
                tlsCertificate: challenge.tlsCertificate, nonce: challenge.nonce, anchors: self.configuration.anchors,
                capabilities: self.capabilities, now: now)
            let result = check.judge(payload)
            return (self.expected ?? id).map { self.compared(result, $0) } ?? result
        #else
            return nil
        #endif
    }

    /// Keeps the challenge open until `deadline`.
    func postpone(to deadline: Deadline) {
        self.challenge?.deadline.cancel()
        self.challenge?.deadline = deadline
    }

    /// Ends the challenge.
    ///
    /// - Returns: whether one was open.
    @discardableResult
    func end() -> Bool {
        self.challenge?.deadline.cancel()
        return self.challenge.take() != nil
    }

    /// Takes the result.
    ///
    /// - Returns: the error with which the link ends; `nil` when the device may continue.
    func take(_ result: DeviceAuthenticationResult) -> CastError? {
        self.result = result
        guard !self.acceptsMessages else { return nil }
        if case .failed(let error) = result.verdict { return error }
        return CastError(.deviceAuthenticationFailure, detail: "the device has another key than before", reason: "key_changed")
    }

    /// Compares the device's key with the one remembered for its id, before the id is reported.
    ///
    /// - Returns: the changed result; `nil` when it stays.
    func compare(with id: Device.ID) -> DeviceAuthenticationResult? {
        guard let result, result.keyContinuity == nil else { return nil }
        let compared = self.compared(result, id)
        return compared == result ? nil : compared
    }

    private func compared(_ result: DeviceAuthenticationResult, _ id: Device.ID) -> DeviceAuthenticationResult {
        guard let fingerprint = result.keyFingerprint, !result.isFailure else { return result }
        var result = result
        result.keyContinuity = self.configuration.keys.compare(fingerprint, of: id)
        return result
    }

    /// Remembers the key of a device that proved something and reported the expected id itself. Otherwise another device may have its
    /// address now.
    ///
    /// - Returns: the device whose key was forgotten for it, and whether it is the first one; `nil` when there was room.
    func remember(_ id: Device.ID) -> (forgotten: Device.ID, isFirst: Bool)? {
        guard let result, let fingerprint = result.keyFingerprint, !result.isFailure, (self.expected ?? id) == id else { return nil }
        return self.configuration.keys.remember(fingerprint, of: id)
    }

    /// Returns the error of a device that may not become ready: its proof is missing, or is only a first key without an id, which could
    /// never be compared with a later one.
    func missing(of id: Device.ID?) -> CastError? {
        let isFirstKey = self.result.map { $0.verdict == .unverified && $0.keyContinuity == .firstSeen } ?? false
        guard self.isRequired, self.result?.isAcceptable != true || isFirstKey && id == nil else { return nil }
        return CastError(
            .deviceAuthenticationFailure, detail: "the device does not report its id, so its key can't be compared", reason: "id_unknown")
    }
}

import CastModels
import CastTransport
import FoundationEssentials
import NIOCore
import Synchronization

/// The settings for device authentication: whether and how devices must prove that they are genuine.
public struct DeviceAuthentication: Sendable {
    /// The effect of a device's proof.
    public enum Mode: String, Sendable, Hashable {
        /// Devices are not challenged.
        case off
        #if DeviceAuthentication
            /// Devices are challenged. The result is reported and has no further effect.
            case report
            /// A device whose proof fails is not used. Old genuine devices may fail, because their certificates expire.
            case require
        #else
            @available(*, unavailable, message: "add the trait DeviceAuthentication to the dependency on cast2mqtt")
            case report, require
        #endif

        var isRequired: Bool {
            #if DeviceAuthentication
                self == .require
            #else
                false
            #endif
        }
    }

    public var mode: Mode
    /// The trust anchors; `nil` leaves only the comparison with the remembered key.
    public var anchors: TrustAnchors?
    /// The remembered keys.
    public var keys: DeviceKeys
    /// The time limit for a device's answer.
    public var timeout: Duration
    /// The clock and its limits, which tests replace.
    var surroundings = Surroundings()

    struct Surroundings: Sendable {
        var nonce: @Sendable () -> [UInt8] = {
            var random = SystemRandomNumberGenerator()
            return (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        }
        var peerCertificate: @Sendable (any Channel) -> EventLoopFuture<[UInt8]?> = { CastTLS.peerCertificateDER(of: $0) }
        /// Seconds since 1970.
        var wallClock: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
        /// The earliest plausible time, in seconds since 1970. Before it the clock is not set, and no certificate can be checked.
        var earliestTime = WallClock.earliest
    }

    public init(mode: Mode = .off, anchors: TrustAnchors? = nil, keys: DeviceKeys = DeviceKeys(), timeout: Duration = .seconds(5)) {
        self.mode = mode
        self.anchors = anchors
        self.keys = keys
        self.timeout = timeout
    }
}

#if !DeviceAuthentication
    /// Without the package's trait `DeviceAuthentication` no device is challenged, so there are no trust anchors.
    public enum TrustAnchors: Sendable {}
#endif

/// The public keys that devices proved to have, by device id. The program stores `fingerprints` where it likes and passes them on at the
/// next start.
public final class DeviceKeys: Sendable {
    /// The largest number of remembered devices. A new device replaces the one that was not seen for the longest time.
    static let limit = 4096

    private struct Key {
        var fingerprint: String
        /// The number of the last use; 0 when not used since the start.
        var lastUse: UInt64
    }

    private struct State {
        var keys: [Device.ID: Key]
        var uses: UInt64 = 0
        /// Whether a key was removed to make room.
        var hasForgotten = false

        mutating func nextUse() -> UInt64 {
            self.uses += 1
            return self.uses
        }
    }

    private let state: Mutex<State>

    /// - Parameter fingerprints: SHA-256 of each device's public key, hexadecimal.
    public init(_ fingerprints: [Device.ID: String] = [:]) {
        self.state = Mutex(State(keys: fingerprints.mapValues { Key(fingerprint: $0, lastUse: 0) }))
    }

    public var fingerprints: [Device.ID: String] { self.state.withLock { $0.keys.mapValues(\.fingerprint) } }

    /// Forgets a device's key, so that its next key is accepted. Use it after a known factory reset.
    public func forget(_ device: Device.ID) { self.state.withLock { $0.keys[device] = nil } }

    /// Compares a key with the remembered one, without remembering it.
    func compare(_ fingerprint: String, of device: Device.ID) -> DeviceAuthenticationResult.KeyContinuity {
        let former = self.state.withLock { state in
            let use = state.nextUse()
            state.keys[device]?.lastUse = use
            return state.keys[device]?.fingerprint
        }
        guard let former else { return .firstSeen }
        return former == fingerprint ? .unchanged : .changed(former: former)
    }

    /// Remembers a device's first key. A different key is not remembered until `forget`.
    /// - Returns: the device whose key was removed to make room, and whether it is the first such device.
    func remember(_ fingerprint: String, of device: Device.ID) -> (forgotten: Device.ID, isFirst: Bool)? {
        self.state.withLock { state in
            guard state.keys[device] == nil else { return nil }
            let isFull = state.keys.count >= Self.limit
            let oldest = isFull ? state.keys.min { ($0.value.lastUse, $0.key) < ($1.value.lastUse, $1.key) }?.key : nil
            if let oldest { state.keys[oldest] = nil }
            state.keys[device] = Key(fingerprint: fingerprint, lastUse: state.nextUse())
            guard let oldest else { return nil }
            defer { state.hasForgotten = true }
            return (oldest, !state.hasForgotten)
        }
    }
}

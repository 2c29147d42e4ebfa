import CastModels
import CastTransport
import FoundationEssentials
import NIOCore
import Synchronization

/// Whether and how devices must prove that they are genuine.
public struct DeviceAuthentication: Sendable {
    /// What a device's proof decides.
    public enum Mode: String, Sendable, Hashable {
        /// Devices are not asked.
        case off
        /// Devices are asked; the result is told and stops nothing.
        case report
        /// A device whose proof fails is not talked to. Devices that are genuine but old may fail: their certificates expire.
        case require
    }

    public var mode: Mode
    /// `nil` leaves only the comparison with the key of before.
    public var anchors: TrustAnchors?
    /// The keys of before.
    public var keys: DeviceKeys
    /// How long a device may take to answer.
    public var timeout: Duration
    /// What tests put other things in place of.
    var surroundings = Surroundings()

    struct Surroundings: Sendable {
        var nonce: @Sendable () -> [UInt8] = {
            var random = SystemRandomNumberGenerator()
            return (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        }
        var peerCertificate: @Sendable (any Channel) -> EventLoopFuture<[UInt8]?> = { CastTLS.peerCertificateDER(of: $0) }
        /// Seconds since 1970.
        var wallClock: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
        /// Before this the clock is not set, and no certificate can be judged; seconds since 1970.
        var earliestTime = WallClock.earliest
    }

    public init(mode: Mode = .off, anchors: TrustAnchors? = nil, keys: DeviceKeys = DeviceKeys(), timeout: Duration = .seconds(5)) {
        self.mode = mode
        self.anchors = anchors
        self.keys = keys
        self.timeout = timeout
    }
}

/// The public keys that devices proved to have, by device id. The program stores `fingerprints` where it likes and passes them on at the
/// next start.
public final class DeviceKeys: Sendable {
    /// The most devices remembered. A new device then takes the place of the one that was not seen for the longest time.
    static let limit = 4096

    private struct Key {
        var fingerprint: String
        /// Counts up with each use; 0 since the start.
        var lastUse: UInt64
    }

    private struct State {
        var keys: [Device.ID: Key]
        var uses: UInt64 = 0

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

    /// Forgets a device's key, so that its next one is accepted: after a factory reset that the user knows of.
    public func forget(_ device: Device.ID) { self.state.withLock { $0.keys[device] = nil } }

    /// Compares with the remembered key, and remembers nothing.
    func compare(_ fingerprint: String, of device: Device.ID) -> DeviceAuthenticationResult.KeyContinuity {
        let former = self.state.withLock { state in
            let use = state.nextUse()
            state.keys[device]?.lastUse = use
            return state.keys[device]?.fingerprint
        }
        guard let former else { return .firstSeen }
        return former == fingerprint ? .unchanged : .changed(former: former)
    }

    /// Remembers a device's first key. Another one is not remembered until `forget`.
    /// - Returns: the device whose key was forgotten to make room.
    func remember(_ fingerprint: String, of device: Device.ID) -> Device.ID? {
        self.state.withLock { state in
            guard state.keys[device] == nil else { return nil }
            let isFull = state.keys.count >= Self.limit
            let oldest = isFull ? state.keys.min { ($0.value.lastUse, $0.key) < ($1.value.lastUse, $1.key) }?.key : nil
            if let oldest { state.keys[oldest] = nil }
            state.keys[device] = Key(fingerprint: fingerprint, lastUse: state.nextUse())
            return oldest
        }
    }
}

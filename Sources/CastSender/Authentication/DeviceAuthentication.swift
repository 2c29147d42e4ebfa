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
    }

    public init(mode: Mode = .off, anchors: TrustAnchors? = nil, keys: DeviceKeys = DeviceKeys(), timeout: Duration = .seconds(5)) {
        self.mode = mode
        self.anchors = anchors
        self.keys = keys
        self.timeout = timeout
    }
}

/// The public keys that devices proved to have, by device id. The program stores `fingerprints` where it likes and gives them back at
/// the next start.
public final class DeviceKeys: Sendable {
    /// The most devices remembered; who comes later is always seen for the first time.
    static let limit = 4096

    private let known: Mutex<[Device.ID: String]>

    /// - Parameter fingerprints: SHA-256 of each device's public key, hexadecimal.
    public init(_ fingerprints: [Device.ID: String] = [:]) { self.known = Mutex(fingerprints) }

    public var fingerprints: [Device.ID: String] { self.known.withLock { $0 } }

    /// Forgets a device's key, so that its next one is believed: after a factory reset that the user knows of.
    public func forget(_ device: Device.ID) { self.known.withLock { $0[device] = nil } }

    /// Compares with the key of before, and remembers nothing.
    func compare(_ fingerprint: String, of device: Device.ID) -> DeviceAuthenticationResult.KeyContinuity {
        guard let former = self.known.withLock({ $0[device] }) else { return .firstSeen }
        return former == fingerprint ? .unchanged : .changed(former: former)
    }

    /// Remembers a device's first key. Another one is not remembered until `forget`.
    func remember(_ fingerprint: String, of device: Device.ID) {
        self.known.withLock { known in
            if known[device] == nil, known.count < Self.limit { known[device] = fingerprint }
        }
    }
}

extension CastError {
    /// A code of an open set, named as in the SDK's `GCKErrorCode`.
    public struct Code: Sendable, Hashable, RawRepresentable {
        public var rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Whether the device failed to prove that it is genuine.
        public var isAuthenticationFailure: Bool {
            self == .deviceAuthenticationFailure || (40...48).contains(self.rawValue) || (100...102).contains(self.rawValue)
        }

        /// The link failed: no TCP connection, no TLS connection, or the connection broke.
        public static let networkError = Self(rawValue: 1)
        /// No answer arrived within the limit.
        public static let timeout = Self(rawValue: 2)
        public static let deviceAuthenticationFailure = Self(rawValue: 3)
        /// The receiver called the request invalid.
        public static let invalidRequest = Self(rawValue: 4)
        public static let cancelled = Self(rawValue: 5)
        /// A newer request of the same kind replaced this one.
        public static let replaced = Self(rawValue: 6)
        public static let notAllowed = Self(rawValue: 7)
        /// The requested thing already exists.
        public static let duplicateRequest = Self(rawValue: 8)
        public static let invalidState = Self(rawValue: 9)
        public static let sendBufferFull = Self(rawValue: 10)
        /// A frame is larger than 64 KiB.
        public static let messageTooBig = Self(rawValue: 11)
        public static let channelNotConnected = Self(rawValue: 12)
        public static let deviceAuthorizationFailure = Self(rawValue: 13)
        /// There is no open link to the device.
        public static let deviceNotConnected = Self(rawValue: 14)
        public static let protocolVersionMismatch = Self(rawValue: 15)
        public static let maxUsersConnected = Self(rawValue: 16)
        public static let networkNotReachable = Self(rawValue: 17)
        /// The peer violated the framing or the schema.
        public static let protocolError = Self(rawValue: 18)
        public static let alreadyInitialized = Self(rawValue: 19)
        public static let applicationNotFound = Self(rawValue: 20)
        public static let applicationNotRunning = Self(rawValue: 21)
        public static let invalidApplicationSessionID = Self(rawValue: 22)
        public static let secureTransportError = Self(rawValue: 23)
        public static let socketAlreadyConnected = Self(rawValue: 24)
        public static let socketInvalidAddress = Self(rawValue: 25)
        public static let socketInvalidParameter = Self(rawValue: 26)
        public static let invalidResponse = Self(rawValue: 27)
        public static let failedSessionUpdate = Self(rawValue: 28)
        /// There is no session, or it is suspended.
        public static let sessionIsNotActive = Self(rawValue: 29)
        public static let mediaLoadFailed = Self(rawValue: 30)
        public static let invalidMediaPlayerState = Self(rawValue: 31)
        public static let noMediaSession = Self(rawValue: 32)
        public static let notCastSession = Self(rawValue: 33)
        public static let mediaError = Self(rawValue: 34)
        /// The device answered the challenge with an error.
        public static let authenticationErrorReceived = Self(rawValue: 40)
        /// The device's certificate violates the rules for device certificates.
        public static let malformedClientCertificate = Self(rawValue: 41)
        public static let notX509Certificate = Self(rawValue: 42)
        /// The device's certificate does not chain to a trust anchor.
        public static let deviceCertificateNotTrusted = Self(rawValue: 43)
        /// The TLS certificate is missing, expired, or valid for too long.
        public static let sslCertificateNotTrusted = Self(rawValue: 44)
        public static let malformedAuthenticationResponse = Self(rawValue: 45)
        /// The device's certificate does not cover its capabilities, for example video with a certificate for audio.
        public static let deviceCapabilityNotSupported = Self(rawValue: 46)
        /// The revocation list has no valid signature, is not valid now, or cannot be read.
        public static let crlInvalid = Self(rawValue: 47)
        /// A certificate was revoked.
        public static let crlCheckFailed = Self(rawValue: 48)
        public static let appDidEnterBackground = Self(rawValue: 91)
        public static let disconnected = Self(rawValue: 92)
        /// The receiver or the device does not support this.
        public static let unsupportedFeature = Self(rawValue: 93)
        public static let unknown = Self(rawValue: 99)
        /// The answer to the challenge cannot be read.
        public static let authenticationMessageUnreadable = Self(rawValue: 100)
        public static let authenticationChallengeFailure = Self(rawValue: 101)
        public static let authenticationTimeout = Self(rawValue: 102)
        /// Another launch or a stop cancelled the launch, or a viewer refused it.
        public static let launchRequestCancelled = Self(rawValue: 103)
        /// The connected device is not the expected one; a code of this library.
        public static let deviceIdentityMismatch = Self(rawValue: 1001)
        /// The application ignored an earlier request of this type, and now this one; a code of this library.
        public static let requestIgnored = Self(rawValue: 1002)
        /// The receiver answered, and its state did not become the requested one; a code of this library.
        public static let notApplied = Self(rawValue: 1003)
        /// The application is listed and answers nothing at all, also after another launch; a code of this library.
        public static let notResponding = Self(rawValue: 1004)
        /// The session has no link just now, and nothing was sent; a code of this library.
        public static let sessionSuspended = Self(rawValue: 1005)
    }
}

extension CastError.Code: CustomStringConvertible {
    public var description: String { Self.names[self] ?? "code \(self.rawValue)" }

    private static let names: [Self: String] = [
        .networkError: "network error", .timeout: "timeout", .deviceAuthenticationFailure: "device authentication failed",
        .invalidRequest: "invalid request", .cancelled: "cancelled", .replaced: "replaced", .notAllowed: "not allowed",
        .duplicateRequest: "duplicate request", .sessionIsNotActive: "session not active",
        .invalidState: "invalid state", .sendBufferFull: "send buffer full", .messageTooBig: "message too big",
        .channelNotConnected: "channel not connected", .deviceNotConnected: "device not connected", .protocolError: "protocol error",
        .applicationNotFound: "application not found", .applicationNotRunning: "application not running",
        .invalidApplicationSessionID: "invalid application session", .invalidResponse: "invalid response",
        .mediaLoadFailed: "media load failed", .invalidMediaPlayerState: "invalid player state", .noMediaSession: "no media session",
        .mediaError: "media error", .deviceIdentityMismatch: "another device answered", .unsupportedFeature: "unsupported",
        .authenticationErrorReceived: "authentication error received", .malformedClientCertificate: "malformed device certificate",
        .notX509Certificate: "not an X.509 certificate", .deviceCertificateNotTrusted: "device certificate not trusted",
        .sslCertificateNotTrusted: "TLS certificate not acceptable",
        .malformedAuthenticationResponse: "malformed authentication response",
        .deviceCapabilityNotSupported: "capability not certified", .crlInvalid: "revocation list invalid",
        .crlCheckFailed: "certificate revoked", .authenticationMessageUnreadable: "authentication message unreadable",
        .authenticationTimeout: "authentication timeout",
        .deviceAuthorizationFailure: "device authorization failed", .protocolVersionMismatch: "protocol version mismatch",
        .maxUsersConnected: "too many users", .networkNotReachable: "network not reachable", .alreadyInitialized: "already initialized",
        .secureTransportError: "secure transport error", .socketAlreadyConnected: "socket already connected",
        .socketInvalidAddress: "invalid address", .socketInvalidParameter: "invalid socket parameter",
        .failedSessionUpdate: "session update failed", .notCastSession: "not a Cast session",
        .authenticationChallengeFailure: "authentication challenge failed", .appDidEnterBackground: "app in background",
        .disconnected: "disconnected", .requestIgnored: "request ignored", .notApplied: "not applied",
        .notResponding: "not responding", .sessionSuspended: "session suspended", .unknown: "unknown error",
        .launchRequestCancelled: "launch cancelled",
    ]
}

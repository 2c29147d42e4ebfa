/// The reason why an attempt to reach the broker failed, or a link ended.
public struct MQTTLinkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error, for programs; open, because later versions may add codes.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The settings cannot be used; nothing was sent.
        public static let invalidConfiguration = Self(rawValue: "invalid_configuration")
        public static let nameNotResolved = Self(rawValue: "name_not_resolved")
        public static let nameResolutionTimedOut = Self(rawValue: "name_resolution_timed_out")
        /// No TCP connection to any address: refused, unreachable, no route.
        public static let cannotConnect = Self(rawValue: "cannot_connect")
        public static let connectTimedOut = Self(rawValue: "connect_timed_out")
        /// The broker's certificate was rejected: chain, validity or host name.
        public static let certificateRejected = Self(rawValue: "certificate_rejected")
        /// The broker ended the TLS handshake with an alert, for example because a client certificate is missing.
        public static let refusedByTLSAlert = Self(rawValue: "refused_by_tls_alert")
        public static let tlsFailed = Self(rawValue: "tls_failed")
        public static let closedBeforeConnack = Self(rawValue: "closed_before_connack")
        public static let connackTimedOut = Self(rawValue: "connack_timed_out")
        /// CONNACK with a refusal; see `reasonCode`.
        public static let refusedByBroker = Self(rawValue: "refused_by_broker")
        /// DISCONNECT from the broker; see `reasonCode`.
        public static let disconnectedByBroker = Self(rawValue: "disconnected_by_broker")
        public static let connectionLost = Self(rawValue: "connection_lost")
        /// Several links in a row were lost soon after CONNACK, without a failed attempt between them. Two clients with one id cause this.
        public static let repeatedlyLost = Self(rawValue: "repeatedly_lost")
        /// The broker sent nothing for `MQTTConfiguration.halfOpenLimit`, or did not answer a ping within the keep-alive.
        public static let halfOpen = Self(rawValue: "half_open")
        /// The broker is alive but did not acknowledge a message or subscription in time.
        public static let acknowledgementTimedOut = Self(rawValue: "acknowledgement_timed_out")
        /// The owner of the client did not handle events for `MQTTConfiguration.ownerLimit`.
        public static let ownerStalled = Self(rawValue: "owner_stalled")
        /// The broker violated the protocol.
        public static let protocolError = Self(rawValue: "protocol_error")
        /// The machine was suspended for at least `MQTTConfiguration.halfOpenLimit`.
        public static let suspended = Self(rawValue: "suspended")
        /// `MQTTConfiguration.mayConnect` did not allow the attempt.
        public static let heldBack = Self(rawValue: "held_back")
        /// `stop` was called, or the task of `run` was cancelled.
        public static let stopped = Self(rawValue: "stopped")
    }

    public var code: Code
    /// The broker's reason code; `nil` when it gave none.
    public var reasonCode: MQTTReasonCode?
    /// libmosquitto's result; `nil` when it had none.
    public var result: MosquittoResult?
    /// The details, for people. They contain no credentials and no payloads.
    public var detail: String
    /// Whether the broker's host answered that no process listens at the port: the host is up, and the broker may be starting.
    public var isRefusedByHost = false

    public init(_ code: Code, reasonCode: MQTTReasonCode? = nil, result: MosquittoResult? = nil, detail: String) {
        (self.code, self.reasonCode, self.result, self.detail) = (code, reasonCode, result, detail)
    }

    /// Whether a later attempt can succeed without a change of settings or permissions. Otherwise the client waits for its longest delay.
    public var isTemporary: Bool {
        switch self.code {
        case .invalidConfiguration, .certificateRejected, .refusedByTLSAlert, .ownerStalled: false
        // The broker let us in, and ended the link because of one message.
        case .disconnectedByBroker where self.reasonCode == .notAuthorized: true
        case .refusedByBroker, .disconnectedByBroker: !(self.reasonCode.map(Self.permanent.contains) ?? false)
        default: true
        }
    }

    /// The reason codes with which the broker refuses each further attempt, too.
    private static let permanent: Set<MQTTReasonCode> = [
        .badUserNameOrPassword, .notAuthorized, .clientIdentifierNotValid, .banned, .badAuthenticationMethod, .sessionTakenOver,
    ]

    /// The remedy, for people.
    public var remedy: String {
        if self.code == .disconnectedByBroker, self.reasonCode == .notAuthorized {
            return "Check the broker's access rules: this user may not send or receive everything. A later line names it."
        }
        return self.reasonCode.flatMap { Self.remediesByReason[$0] } ?? Self.remedies[self.code]
            ?? "No action is needed: the client keeps trying."
    }

    private static let remediesByReason: [MQTTReasonCode: String] = [
        .badUserNameOrPassword: "Check user name and password, and that the broker lets this user in.",
        .notAuthorized: "Check user name and password, and that the broker lets this user in.",
        .sessionTakenOver: "Another program uses the same client id: give each its own `instance` and `mqtt.base` (or client id).",
        .clientIdentifierNotValid: "Choose another client id.",
        .banned: "Ask the broker's administrator to lift the ban.",
    ]

    private static let remedies: [Code: String] = [
        .invalidConfiguration: "Correct the setting.",
        .repeatedlyLost:
            "Another program may use the same client id: give each its own `instance` and `mqtt.base` (or client id). The broker's log names it.",
        .nameNotResolved: "Check the broker's host name and this machine's name servers.",
        .nameResolutionTimedOut: "Check the broker's host name and this machine's name servers.",
        .cannotConnect: "Check that the broker runs and listens at this address and port.",
        .connectTimedOut: "Check the address, the port and any firewall between here and the broker.",
        .certificateRejected: "Give the CA that signed the broker's certificate, and the host name that the certificate carries.",
        .refusedByTLSAlert: "Check the client certificate and its key: the broker may demand one.",
        .tlsFailed: "Check that the port speaks TLS; plain MQTT usually has port 1883, TLS 8883.",
        .closedBeforeConnack:
            "Check whether the port speaks TLS or plain MQTT, whether the broker demands a client certificate, and the broker's log.",
        .ownerStalled: "The link is restored when the program continues. If it happens again, check whether the machine is overloaded.",
        .connackTimedOut: "See the broker's log. If the broker knows MQTT 3.1.1 only, set `mqtt.protocol: 3.1.1`.",
    ]

    public var description: String {
        var text = "\(self.code.rawValue): \(self.detail)"
        if let reasonCode { text += ", reason code \(reasonCode)" }
        if let result { text += ", library result \(result)" }
        return text
    }
}

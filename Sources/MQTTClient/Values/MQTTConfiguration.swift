/// The address of the broker and the behaviour of the link.
public struct MQTTConfiguration: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// TLS files in PEM form. They are read again for every attempt, so a renewed certificate needs no restart.
    public struct TLS: Sendable, Hashable {
        /// The file or directory of trusted CAs; `nil` uses the system's.
        public var caFile: String?
        /// The client certificate with its chain; requires `keyFile`.
        public var certificateFile: String?
        /// The private key, without a password.
        public var keyFile: String?

        public init(caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
            (self.caFile, self.certificateFile, self.keyFile) = (caFile, certificateFile, keyFile)
        }
    }

    public enum ProtocolPreference: String, Sendable, Hashable {
        /// Version 5 with fallback to 3.1.1.
        case auto
        case v5 = "5"
        case v311 = "3.1.1"
    }

    /// The limits of accepted and unacknowledged messages; a publish beyond them is refused.
    public struct Outgoing: Sendable, Hashable {
        public var maximumMessages = 4096
        /// The total size of topics and payloads, in bytes.
        public var maximumBytes = 16 << 20
    }

    /// The name or numeric address, IPv6 without brackets; the broker's certificate must contain it.
    public var host: String
    public var port: UInt16
    public var username: String?
    /// The password; never part of a description, a dump or a log line.
    public var password: String?
    /// Reads the present password; called on the MQTT thread for every attempt. After `nil` the last password is used again.
    public var readPassword: (@Sendable () -> String?)?
    /// The TLS settings; `nil` uses plain TCP.
    public var tls: TLS?
    public var protocolVersion: ProtocolPreference
    /// The client id; not empty. Two clients with one id disconnect each other in turn.
    public var clientID: String
    /// The keep-alive in seconds: after one and a half times this silence, the broker ends the link. 0 (never) or 5 to 65 535. The client's
    /// own check of the link (`halfOpenLimit`) does not depend on it.
    public var keepAliveSeconds: UInt16
    /// The message that the broker publishes when the link ends without DISCONNECT.
    public var will: MQTTMessage?
    /// How long the broker keeps the session after the link is lost, in seconds; it delays the will for as long. MQTT 5 only. A new link
    /// nevertheless begins with a clean session, unless it `resumesSession`.
    public var sessionExpirySeconds: UInt32
    /// Whether a link continues the session of the last one with this client id, so that the broker drops that one's will. MQTT 5 only.
    /// Subscriptions are made again; the first of what was queued meanwhile arrives before they are acknowledged.
    public var resumesSession = false
    /// Asked on the MQTT thread before each attempt to connect, and until CONNECT is answered; after `false` the attempt counts as failed.
    /// `nil` allows each.
    public var mayConnect: (@Sendable () -> Bool)?
    /// Whether a refusal says nothing about the owner's own link, as that of another client id, and is no warning.
    public var isProbe = false
    /// The version that `MQTTEvent.protocolChosen` reported less than 24 hours ago; used with `protocolVersion: .auto`.
    public var rememberedProtocol: MQTTProtocolVersion?
    /// The longest time in which a dead link goes unnoticed; at least 2 s.
    public var halfOpenLimit = Duration.seconds(15)
    /// The time limit of name resolution. This and the next three are at least 100 ms. It should exceed the 5 s after which libc asks the
    /// next name server.
    public var nameLimit = Duration.seconds(7)
    /// The time limit of the TCP connection.
    public var connectLimit = Duration.seconds(5)
    /// The time limit from the start of an attempt to CONNACK.
    public var attemptLimit = Duration.seconds(10)
    /// The time limit for the acknowledgement of one message or subscription.
    public var acknowledgementLimit = Duration.seconds(60)
    /// The time limit for the owner's answer to `MQTTEvent.ownerCheck`, at least 100 ms. After it, the link is ended without DISCONNECT, so
    /// that the broker publishes the will. `nil` sends no checks.
    public var ownerLimit: Duration?
    public var outgoing = Outgoing()
    /// The largest accepted packet, in bytes. Over MQTT 5 the broker receives this limit and drops larger packets.
    public var maximumIncomingBytes = 1 << 20

    public init(
        host: String, port: UInt16, username: String? = nil, password: String? = nil, tls: TLS? = nil,
        protocolVersion: ProtocolPreference = .auto, clientID: String, keepAliveSeconds: UInt16 = 30, sessionExpirySeconds: UInt32 = 0
    ) {
        self.host = host
        self.port = port
        self.username = username
        self.password = password
        self.tls = tls
        self.protocolVersion = protocolVersion
        self.clientID = clientID
        self.keepAliveSeconds = keepAliveSeconds
        self.sessionExpirySeconds = sessionExpirySeconds
    }

    public var description: String {
        let login = self.username == nil ? "anonymous" : "with user name"
        return "\(self.host):\(self.port) \(self.tls == nil ? "TCP" : "TLS") \(login), client id \(self.clientID)"
    }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "host": self.host, "port": self.port, "tls": self.tls as Any, "protocolVersion": self.protocolVersion,
                "clientID": self.clientID, "keepAliveSeconds": self.keepAliveSeconds,
            ])
    }

    /// Returns why these settings cannot be used; `nil` if they can. Checked before anything is sent.
    func problem() -> String? {
        func unfit(_ text: String?) -> Bool { text.map { $0.utf8.contains(0) || $0.utf8.count > 65_535 } ?? false }
        if self.host.isEmpty || unfit(self.host) { return "the host name is empty or not usable" }
        if self.port == 0 { return "port 0 is not usable" }
        if self.clientID.isEmpty || unfit(self.clientID) { return "the client id is empty, too long or holds a NUL" }
        if unfit(self.username) { return "the user name is too long or holds a NUL" }
        if unfit(self.password) { return "the password is too long or holds a NUL" }
        if self.password != nil && self.username == nil { return "a password needs a user name" }
        if (1..<5).contains(self.keepAliveSeconds) { return "the keep-alive must be 0 or at least 5 s" }
        if self.halfOpenLimit < .seconds(2) { return "the half-open limit is below 2 s" }
        if min(self.nameLimit, self.connectLimit, self.attemptLimit, self.acknowledgementLimit, self.ownerLimit ?? .seconds(1))
            < .milliseconds(100)
        {
            return "a limit is below 100 ms"
        }
        if (self.tls?.certificateFile == nil) != (self.tls?.keyFile == nil) { return "client certificate and key go together" }
        if let will, let fault = will.fault() { return "the will is not usable: \(fault)" }
        return nil
    }
}

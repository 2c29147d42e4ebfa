/// How to reach the broker and how to behave on the link.
package struct MQTTConfiguration: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Files in PEM form. They are read anew for every attempt, so a renewed certificate needs no restart.
    package struct TLS: Sendable, Hashable {
        /// File or directory of trusted CAs; `nil` is the system's.
        package var caFile: String?
        /// Client certificate, with its chain; goes with `keyFile`.
        package var certificateFile: String?
        /// Private key without a password.
        package var keyFile: String?

        package init(caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
            (self.caFile, self.certificateFile, self.keyFile) = (caFile, certificateFile, keyFile)
        }
    }

    package enum ProtocolPreference: String, Sendable, Hashable {
        /// 5 with fallback to 3.1.1.
        case auto
        case v5 = "5"
        case v311 = "3.1.1"
    }

    /// Bounds of what is accepted and not yet acknowledged; a publish beyond them is refused.
    package struct Outgoing: Sendable, Hashable {
        package var maximumMessages = 4096
        /// Sum of topics and payloads.
        package var maximumBytes = 16 << 20

        package init(maximumMessages: Int = 4096, maximumBytes: Int = 16 << 20) {
            (self.maximumMessages, self.maximumBytes) = (maximumMessages, maximumBytes)
        }
    }

    /// Name or numeric address, IPv6 without brackets; also what the broker's certificate must carry.
    package var host: String
    package var port: UInt16
    package var username: String?
    /// Never part of a description, a dump or a log line.
    package var password: String?
    /// `nil` is plain TCP.
    package var tls: TLS?
    package var protocolVersion: ProtocolPreference
    /// Not empty. Two clients with one id take the link from each other.
    package var clientID: String
    /// What the broker is told: after one and a half times this silence it gives us up. 0 (never) or 5 to 65 535.
    /// The client's own watch over the link (`halfOpenLimit`) does not depend on it.
    package var keepAliveSeconds: UInt16
    /// Published by the broker when the link ends without DISCONNECT.
    package var will: MQTTMessage?
    /// How long the broker keeps the session, and with it waits with the will, after the link is lost; MQTT 5 only. A new link begins with a
    /// clean session all the same.
    package var sessionExpirySeconds: UInt32
    /// Version that `MQTTEvent.protocolChosen` named less than 24 hours ago; read with `protocolVersion: .auto`.
    package var rememberedProtocol: MQTTProtocolVersion?
    /// Longest time in which a dead link goes unnoticed; at least 2 s.
    package var halfOpenLimit: Duration
    /// Longest time for name resolution; this and the next three are at least 100 ms. Longer than the 5 s after which libc asks the next name
    /// server.
    package var nameLimit: Duration
    /// Longest time for TCP.
    package var connectLimit: Duration
    /// Longest time from the start of an attempt to CONNACK.
    package var attemptLimit: Duration
    /// Longest time for the broker to acknowledge one message or subscription.
    package var acknowledgementLimit: Duration
    /// Longest time for the owner to answer `MQTTEvent.ownerCheck`, at least 100 ms. Then the link is ended without DISCONNECT, so that the broker
    /// publishes the will. `nil` never asks.
    package var ownerLimit: Duration?
    package var outgoing: Outgoing
    /// Largest packet taken from the broker, in bytes. Over MQTT 5 the broker is told so and drops larger ones.
    package var maximumIncomingBytes: Int

    package init(
        host: String, port: UInt16, username: String? = nil, password: String? = nil, tls: TLS? = nil,
        protocolVersion: ProtocolPreference = .auto, clientID: String, keepAliveSeconds: UInt16 = 30, will: MQTTMessage? = nil,
        sessionExpirySeconds: UInt32 = 0, rememberedProtocol: MQTTProtocolVersion? = nil, halfOpenLimit: Duration = .seconds(15),
        nameLimit: Duration = .seconds(7), connectLimit: Duration = .seconds(5),
        attemptLimit: Duration = .seconds(10), acknowledgementLimit: Duration = .seconds(60), ownerLimit: Duration? = nil,
        outgoing: Outgoing = Outgoing(),
        maximumIncomingBytes: Int = 1 << 20
    ) {
        self.host = host
        self.port = port
        self.username = username
        self.password = password
        self.tls = tls
        self.protocolVersion = protocolVersion
        self.clientID = clientID
        self.keepAliveSeconds = keepAliveSeconds
        self.will = will
        self.sessionExpirySeconds = sessionExpirySeconds
        self.rememberedProtocol = rememberedProtocol
        self.halfOpenLimit = halfOpenLimit
        self.nameLimit = nameLimit
        self.connectLimit = connectLimit
        self.attemptLimit = attemptLimit
        self.acknowledgementLimit = acknowledgementLimit
        self.ownerLimit = ownerLimit
        self.outgoing = outgoing
        self.maximumIncomingBytes = maximumIncomingBytes
    }

    package var description: String {
        let login = self.username == nil ? "anonymous" : "with user name"
        return "\(self.host):\(self.port) \(self.tls == nil ? "TCP" : "TLS") \(login), client id \(self.clientID)"
    }

    package var debugDescription: String { self.description }

    package var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "host": self.host, "port": self.port, "tls": self.tls as Any, "protocolVersion": self.protocolVersion,
                "clientID": self.clientID, "keepAliveSeconds": self.keepAliveSeconds,
            ])
    }

    /// What makes these settings unusable, if anything: found before anything is sent.
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

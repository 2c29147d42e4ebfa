/// The address of the broker and the behaviour of the link.
package struct MQTTConfiguration: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// TLS files in PEM form. They are read again for every attempt, so a renewed certificate needs no restart.
    package struct TLS: Sendable, Hashable {
        /// The file or directory of trusted CAs; `nil` uses the system's.
        package var caFile: String?
        /// The client certificate with its chain; requires `keyFile`.
        package var certificateFile: String?
        /// The private key, without a password.
        package var keyFile: String?

        package init(caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
            (self.caFile, self.certificateFile, self.keyFile) = (caFile, certificateFile, keyFile)
        }
    }

    package enum ProtocolPreference: String, Sendable, Hashable {
        /// Version 5 with fallback to 3.1.1.
        case auto
        case v5 = "5"
        case v311 = "3.1.1"
    }

    /// The limits of accepted and unacknowledged messages; a publish beyond them is refused.
    package struct Outgoing: Sendable, Hashable {
        package var maximumMessages = 4096
        /// The total size of topics and payloads, in bytes.
        package var maximumBytes = 16 << 20

        package init(maximumMessages: Int = 4096, maximumBytes: Int = 16 << 20) {
            (self.maximumMessages, self.maximumBytes) = (maximumMessages, maximumBytes)
        }
    }

    /// The name or numeric address, IPv6 without brackets; the broker's certificate must contain it.
    package var host: String
    package var port: UInt16
    package var username: String?
    /// The password; never part of a description, a dump or a log line.
    package var password: String?
    /// The TLS settings; `nil` uses plain TCP.
    package var tls: TLS?
    package var protocolVersion: ProtocolPreference
    /// The client id; not empty. Two clients with one id disconnect each other in turn.
    package var clientID: String
    /// The keep-alive in seconds: after one and a half times this silence, the broker ends the link. 0 (never) or 5 to 65 535. The client's
    /// own check of the link (`halfOpenLimit`) does not depend on it.
    package var keepAliveSeconds: UInt16
    /// The message that the broker publishes when the link ends without DISCONNECT.
    package var will: MQTTMessage?
    /// How long the broker keeps the session after the link is lost, in seconds; it delays the will for as long. MQTT 5 only. A new link
    /// nevertheless begins with a clean session.
    package var sessionExpirySeconds: UInt32
    /// The version that `MQTTEvent.protocolChosen` reported less than 24 hours ago; used with `protocolVersion: .auto`.
    package var rememberedProtocol: MQTTProtocolVersion?
    /// The longest time in which a dead link goes unnoticed; at least 2 s.
    package var halfOpenLimit: Duration
    /// The time limit of name resolution. This and the next three are at least 100 ms. It should exceed the 5 s after which libc asks the
    /// next name server.
    package var nameLimit: Duration
    /// The time limit of the TCP connection.
    package var connectLimit: Duration
    /// The time limit from the start of an attempt to CONNACK.
    package var attemptLimit: Duration
    /// The time limit for the acknowledgement of one message or subscription.
    package var acknowledgementLimit: Duration
    /// The time limit for the owner's answer to `MQTTEvent.ownerCheck`, at least 100 ms. After it, the link is ended without DISCONNECT, so
    /// that the broker publishes the will. `nil` sends no checks.
    package var ownerLimit: Duration?
    package var outgoing: Outgoing
    /// The largest accepted packet, in bytes. Over MQTT 5 the broker receives this limit and drops larger packets.
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

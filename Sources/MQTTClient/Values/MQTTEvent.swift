/// MQTT versions that the client speaks; raw values are libmosquitto's and the protocol level of CONNECT.
package enum MQTTProtocolVersion: Int32, Sendable, Hashable, CustomStringConvertible {
    case v311 = 4
    case v5 = 5

    package var description: String {
        switch self {
        case .v311: "3.1.1"
        case .v5: "5"
        }
    }
}

/// What a broker said in CONNACK that it takes (MQTT 5 section 3.2.2.3); the protocol's defaults over MQTT 3.1.1.
package struct MQTTLimits: Sendable, Hashable {
    /// Largest packet, in bytes; `nil` is no limit. Larger publishes are refused here.
    package var maximumPacketSize: UInt32?
    /// Unacknowledged QoS 1 and 2 publishes that are sent; further ones wait inside libmosquitto. Its own bound is 20 when the broker names none.
    package var receiveMaximum: UInt16 = 20
    /// Without it libmosquitto clears the retain flag of what is published.
    package var retainAvailable = true
    package var wildcardAvailable = true
    package var maximumQoS = MQTTQoS.exactlyOnce

    package init() {}
}

/// One link to the broker, from CONNACK to its end.
package struct MQTTSession: Sendable, Hashable {
    /// Counts links from 1; names this one in every call and event.
    package var epoch: UInt64
    /// Whether the broker kept a session for this client id; never with the clean start that the client asks for, unless a broker errs.
    package var sessionPresent: Bool
    package var protocolVersion: MQTTProtocolVersion
    /// Keep-alive that the broker imposes, in seconds.
    package var serverKeepAliveSeconds: UInt16?
    package var limits: MQTTLimits
    /// Numeric address and port of the broker.
    package var peer: String

    package init(
        epoch: UInt64, sessionPresent: Bool, protocolVersion: MQTTProtocolVersion, serverKeepAliveSeconds: UInt16?, limits: MQTTLimits,
        peer: String
    ) {
        self.epoch = epoch
        self.sessionPresent = sessionPresent
        self.protocolVersion = protocolVersion
        self.serverKeepAliveSeconds = serverKeepAliveSeconds
        self.limits = limits
        self.peer = peer
    }
}

/// What the client tells its owner, in the order in which it happened.
package enum MQTTEvent: Sendable, Hashable {
    /// A link is up; nothing is subscribed and nothing of an earlier epoch will be sent.
    case connected(MQTTSession)
    /// Outcomes of published messages, those together that are known together; each message has exactly one.
    case published([MQTTPublished], epoch: UInt64)
    /// The link is gone. Every outcome of the epoch was reported before this.
    case disconnected(epoch: UInt64, MQTTLinkError)
    /// No link came about; the next attempt follows after `retryIn`, or earlier after `wake()`.
    case attemptFailed(MQTTLinkError, retryIn: Duration)
    case message(MQTTMessage, epoch: UInt64)
    /// A message above `MQTTConfiguration.maximumIncomingBytes` was dropped.
    case messageTooLarge(topic: String, payloadBytes: Int, epoch: UInt64)
    /// Answer with `MQTTClient.confirmOwner()` from where events are handled; see `MQTTConfiguration.ownerLimit`.
    case ownerCheck
    /// `protocolVersion: .auto` settled on another version than it was told to remember; hand it back as `rememberedProtocol` for 24 hours.
    case protocolChosen(MQTTProtocolVersion)
}

/// The MQTT versions that the client supports; raw values are libmosquitto's and the protocol level of CONNECT.
public enum MQTTProtocolVersion: Int32, Sendable, Hashable, CustomStringConvertible {
    case v311 = 4
    case v5 = 5

    public var description: String { self == .v5 ? "5" : "3.1.1" }
}

/// The limits that a broker reported in CONNACK (MQTT 5 section 3.2.2.3); the protocol's defaults over MQTT 3.1.1.
public struct MQTTLimits: Sendable, Hashable {
    /// The largest packet, in bytes; `nil` is no limit. Larger publishes are refused by the client.
    public var maximumPacketSize: UInt32?
    /// The number of unacknowledged QoS 1 and 2 publishes that are sent; further ones wait inside libmosquitto, whose default is 20.
    public var receiveMaximum: UInt16 = 20
    /// Whether the broker supports retained messages. If not, libmosquitto clears the retain flag of published messages.
    public var retainAvailable = true
    public var wildcardAvailable = true
    public var maximumQoS = MQTTQoS.exactlyOnce

    public init() {}
}

/// One link to the broker, from CONNACK to its end.
public struct MQTTSession: Sendable, Hashable {
    /// The number of the link, from 1; identifies it in every call and event.
    public var epoch: UInt64
    public var protocolVersion: MQTTProtocolVersion
    /// The keep-alive that the broker requires, in seconds; `nil` for our own.
    public var serverKeepAliveSeconds: UInt16?
    public var limits: MQTTLimits
    /// The numeric address and port of the broker.
    public var peer: String

    public init(
        epoch: UInt64, protocolVersion: MQTTProtocolVersion, serverKeepAliveSeconds: UInt16?, limits: MQTTLimits,
        peer: String
    ) {
        self.epoch = epoch
        self.protocolVersion = protocolVersion
        self.serverKeepAliveSeconds = serverKeepAliveSeconds
        self.limits = limits
        self.peer = peer
    }
}

/// An event of the client for its owner, in order of occurrence.
public enum MQTTEvent: Sendable, Hashable {
    /// A link is up; there are no subscriptions, and no message of an earlier epoch will be sent.
    case connected(MQTTSession)
    /// Outcomes of published messages, several when they become known together; each message has exactly one.
    case published([MQTTPublished], epoch: UInt64)
    /// The link ended. Every outcome of the epoch was reported before this event.
    case disconnected(epoch: UInt64, MQTTLinkError)
    /// An attempt failed; the next one follows after `retryIn`, or earlier after `wake()`.
    case attemptFailed(MQTTLinkError, retryIn: Duration)
    case message(MQTTMessage, epoch: UInt64)
    /// A message above `MQTTConfiguration.maximumIncomingBytes` was dropped.
    case messageTooLarge(topic: String, payloadBytes: Int, epoch: UInt64)
    /// Answer with `MQTTClient.confirmOwner()` where events are handled; see `MQTTConfiguration.ownerLimit`.
    case ownerCheck
    /// `protocolVersion: .auto` selected another version than the remembered one; pass it as `rememberedProtocol` for 24 hours.
    case protocolChosen(MQTTProtocolVersion)
}

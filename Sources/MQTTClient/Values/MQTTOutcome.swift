/// Why a call was turned down before anything was sent.
package enum MQTTRefusal: Sendable, Hashable {
    /// No link is up, or not the one that the call named.
    case notConnected
    /// The bounds of `MQTTConfiguration.outgoing` are reached.
    case queueFull
    /// The packet would be larger than the broker takes.
    case tooLarge
    /// Topic, filter or a property breaks the protocol's rules.
    case invalid(String)
    /// libmosquitto turned it down.
    case library(MosquittoResult)
}

/// How a publish ended.
package enum MQTTPublishOutcome: Sendable, Hashable {
    /// QoS 1 and 2: the broker answered, with a refusal if `isFailure`. QoS 0: handed to the operating system, always `success`.
    /// `noMatchingSubscribers` is normal. Over MQTT 3.1.1 the answer is always `success`.
    case acknowledged(MQTTReasonCode)
    /// Nothing was sent.
    case refused(MQTTRefusal)
    /// The link ended first; the broker may or may not have it. It is not sent again.
    case connectionLost

    var isFailure: Bool {
        switch self {
        case .acknowledged(let reason): reason.isFailure
        case .refused, .connectionLost: true
        }
    }
}

/// The outcome of one published message.
package struct MQTTPublished: Sendable, Hashable {
    /// The message's token in its batch.
    package var token: UInt64
    package var outcome: MQTTPublishOutcome

    package init(token: UInt64, outcome: MQTTPublishOutcome) { (self.token, self.outcome) = (token, outcome) }
}

/// How a subscribe or unsubscribe ended.
package enum MQTTSubscribeOutcome: Sendable, Hashable {
    /// One code for each filter, in order. An unsubscribe is always `success`: libmosquitto keeps its codes to itself.
    case acknowledged([MQTTReasonCode])
    /// Nothing more was sent, but filters with other options in the same call may have been.
    case refused(MQTTRefusal)
    case connectionLost
}

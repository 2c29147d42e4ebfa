/// Why a call was refused before anything was sent.
package enum MQTTRefusal: Sendable, Hashable {
    /// No link is up, or its epoch is not the one of the call.
    case notConnected
    /// The limits of `MQTTConfiguration.outgoing` are reached.
    case queueFull
    /// The packet would be larger than the broker accepts.
    case tooLarge
    /// The topic, filter or a property violates the protocol.
    case invalid(String)
    /// libmosquitto refused it.
    case library(MosquittoResult)
}

/// How a publish ended.
package enum MQTTPublishOutcome: Sendable, Hashable {
    /// QoS 1 and 2: the broker answered, with a refusal if `isFailure`. QoS 0: passed to the operating system, always `success`.
    /// `noMatchingSubscribers` is normal. Over MQTT 3.1.1 the answer is always `success`.
    case acknowledged(MQTTReasonCode)
    /// Nothing was sent.
    case refused(MQTTRefusal)
    /// The link ended first; the broker may have received the message. It is not sent again.
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
    /// The token of the message in its batch.
    package var token: UInt64
    package var outcome: MQTTPublishOutcome

    package init(token: UInt64, outcome: MQTTPublishOutcome) { (self.token, self.outcome) = (token, outcome) }
}

/// How a subscribe or unsubscribe ended.
package enum MQTTSubscribeOutcome: Sendable, Hashable {
    /// One code for each filter, in order. Always `success` for an unsubscribe, because libmosquitto does not pass its codes on.
    case acknowledged([MQTTReasonCode])
    /// Nothing more was sent; filters with other options in the same call may have been sent.
    case refused(MQTTRefusal)
    case connectionLost
}

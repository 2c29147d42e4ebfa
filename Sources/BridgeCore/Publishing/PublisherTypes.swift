import CastModels

extension Publisher {
    /// The limits of waiting messages and of messages in flight.
    package struct Limits: Sendable, Hashable {
        /// There are always fewer unacknowledged messages than this; brokers queue about this many for a slow reader without dropping.
        package var unacknowledged = 20
        /// The largest number of waiting events; beyond it the oldest is dropped and counted. All devices of one process may report an
        /// event at once.
        package var events = 2048
        /// Messages of applications are queued only while fewer of them wait.
        package var passing = 128
        /// The largest number of waiting answers; beyond it the oldest is dropped, counted and reported.
        package var answers = 4096
        /// The largest size of waiting answers in bytes. An answer that alone exceeds it is replaced by its short form.
        package var answerBytes = 16 << 20

        package init() {}
    }

    /// The limits in the broker's CONNACK.
    package struct LinkLimits: Sendable, Hashable {
        /// The number of unacknowledged messages that the broker accepts.
        package var receiveMaximum: Int
        /// The largest packet that the broker accepts, in bytes; `nil` for no limit.
        package var maximumPacketSize: Int?

        package init(receiveMaximum: Int = 65_535, maximumPacketSize: Int? = nil) {
            self.receiveMaximum = receiveMaximum
            self.maximumPacketSize = maximumPacketSize
        }
    }

    /// Identifies a message in flight; never reused.
    package struct Token: Sendable, Hashable {
        package var number: UInt64

        package init(number: UInt64) { self.number = number }
    }

    /// The next action of the owner.
    package enum Action: Sendable, Hashable {
        /// Publish the message and report its outcome with `acknowledged` or `refused`. With QoS 0, writing it is the acknowledgement.
        case send(OutgoingMessage, Token)
        /// Form these documents of the owner and pass them to `formed`.
        case form(DocumentOwner, DeviceDocuments)
        /// Add these topics of the owner to the record, write it and call `recorded`; the owner's documents wait for that.
        case record(DocumentOwner, Set<String>)
        /// The record of the owner became smaller: it is now `record(of:)`. Nothing waits for it to be written.
        case shrinkRecord(DocumentOwner)
        /// The broker has answered for everything that `settle` requested. Refused topics may still be in the record.
        case settled(DocumentOwner)
        /// The broker has answered for all topics of `clear(stale:)`, and refused to clear these.
        case staleCleared(refused: Set<String>)
        case report(Report)
        /// The retained state is complete and the bridge's `online` acknowledged.
        case becameOnline
        /// The goodbye is acknowledged, or there is no link for it.
        case finishedLeaving
    }

    /// A problem that the owner should log.
    package enum Report: Sendable, Hashable {
        /// The broker refused this topic, with an MQTT 5 reason code. Reported once until the broker accepts it again.
        case refused(topic: String, reasonCode: UInt8)
        /// A message exceeds the broker's limit. A document is not sent, an answer is replaced by its short form, an event is dropped.
        case tooLarge(topic: String, bytes: Int, limit: Int)
        /// An answer could not be sent at all.
        case answerLost(topic: String)
    }

    /// The numbers of dropped messages since the start.
    package struct Counts: Sendable, Hashable {
        package var droppedEvents = 0
        package var droppedAnswers = 0
    }

    enum Phase: Hashable {
        case down, subscribing
        /// Sending the full retained state.
        case filling(FullRound)
        case announcing, online
        case leaving(isOfflineSent: Bool)
        case left
    }

    /// The owners whose documents are missing in the full retained state.
    struct FullRound: Hashable {
        /// The owners that were not asked for their documents yet.
        private var unformed: Set<DocumentOwner>
        /// The owners whose documents are not all acknowledged yet.
        private var unfinished: Set<DocumentOwner>

        /// Announcements among `owners` are left out, because they have their own pace.
        init(_ owners: some Sequence<DocumentOwner>) {
            self.unformed = Set(owners.lazy.filter { !$0.isAnnouncement })
            self.unfinished = self.unformed
        }

        var isFinished: Bool { self.unfinished.isEmpty }

        /// Returns whether `owner` is done when none of its messages waits or is in flight.
        func awaitsEnd(of owner: DocumentOwner) -> Bool { self.unfinished.contains(owner) && !self.unformed.contains(owner) }

        mutating func formed(_ owner: DocumentOwner) { self.unformed.remove(owner) }

        mutating func finished(_ owner: DocumentOwner) {
            self.unformed.remove(owner)
            self.unfinished.remove(owner)
        }
    }

    /// The unsent part of a round of an owner's documents.
    struct Sending {
        let owner: DocumentOwner
        /// The documents that were formed.
        let documents: DeviceDocuments
        /// The remaining messages, last first.
        private var remaining: [PublishedState.Document]

        init(owner: DocumentOwner, documents: DeviceDocuments, _ waiting: [PublishedState.Document]) {
            self.owner = owner
            self.documents = documents
            self.remaining = waiting.reversed()
        }

        var isEmpty: Bool { self.remaining.isEmpty }

        /// Removes messages for topics that now belong to another owner.
        mutating func removeAll(where isMeant: (String) -> Bool) { self.remaining.removeAll { isMeant($0.message.topic) } }

        mutating func next() -> (owner: DocumentOwner, document: PublishedState.Document)? {
            self.remaining.popLast().map { (self.owner, $0) }
        }
    }

    struct InFlight: Hashable {
        enum Kind: Hashable {
            case document(DocumentOwner, isClearing: Bool)
            case answer, event, clearing, online, offline
        }

        let token: Token
        var topic: String
        var kind: Kind
        /// Whether it is the wanted message, and not a clearing in its place.
        var isAsWanted: Bool
        /// The short form of an answer, for a broker that refuses the answer as too large: none or one. An array, because messages are
        /// large and answers rare.
        var shortAnswer: [OutgoingMessage] = []
    }

    /// A topic to clear that belongs to no owner.
    struct Clearing {
        var topic: String
        /// The refused document that caused the clearing, if any: a newer one sent meanwhile must be kept.
        var refused: (owner: DocumentOwner, token: Token)?
    }
}

extension OutgoingMessage {
    /// An upper bound of the bytes that MQTT 5 adds to topic, payload and correlation data: fixed header 5, topic length 2, packet id 2,
    /// property length 4, format 2, expiry 5, content type 24, user properties 64.
    static let packetOverhead = 108

    /// An upper bound of the size of the MQTT 5 PUBLISH packet in bytes, including time stamp and properties.
    var packetSizeBound: Int {
        Self.packetOverhead + self.topic.utf8.count + self.payload.count
            + (self.timestampOffset == nil ? 0 : MessageBatch.timestampLength) + (self.correlationData.map { $0.count + 3 } ?? 0)
    }
}

import CastModels

extension Publisher {
    /// The bounds of what waits and of what is under way.
    package struct Limits: Sendable, Hashable {
        /// There are always fewer unacknowledged messages than this; brokers queue about this many for a slow reader without dropping.
        package var unacknowledged = 20
        /// Most waiting events; beyond it the oldest is dropped and counted. All devices that one process carries may tell something at once.
        package var events = 2048
        /// What applications say waits among the events while fewer of these do.
        package var passing = 128
        /// Most waiting answers; beyond it the oldest is dropped, counted and reported.
        package var answers = 4096
        /// The same in bytes. An answer that is larger by itself is replaced by the short one.
        package var answerBytes = 16 << 20

        package init() {}
    }

    /// What the broker said it takes, in its CONNACK.
    package struct LinkLimits: Sendable, Hashable {
        /// Unacknowledged messages it accepts from us.
        package var receiveMaximum: Int
        /// Largest packet it accepts, in bytes; `nil` for no limit.
        package var maximumPacketSize: Int?

        package init(receiveMaximum: Int = 65_535, maximumPacketSize: Int? = nil) {
            self.receiveMaximum = receiveMaximum
            self.maximumPacketSize = maximumPacketSize
        }
    }

    /// The name of a message on its way; never used twice.
    package struct Token: Sendable, Hashable {
        package var number: UInt64

        package init(number: UInt64) { self.number = number }
    }

    /// What the owner must do next.
    package enum Action: Sendable, Hashable {
        /// Publish it and report with `acknowledged` or `refused`. With QoS 0, writing it is the acknowledgement.
        case send(OutgoingMessage, Token)
        /// Form these documents of the owner as they are now and hand them to `formed`.
        case form(DocumentOwner, DeviceDocuments)
        /// Add these topics of the owner to the record, write it and call `recorded`; the owner's documents wait for that.
        case record(DocumentOwner, Set<String>)
        /// The record of the owner became smaller: it is `record(of:)`. Nothing waits for it to be written.
        case shrinkRecord(DocumentOwner)
        /// The broker has answered for everything `settle` was asked for. What it refused may still be on the record.
        case settled(DocumentOwner)
        /// The broker has answered for everything that `clear(stale:)` was given, and refused to clear these.
        case staleCleared(refused: Set<String>)
        case report(Report)
        /// The retained state is complete and the bridge's `online` acknowledged.
        case becameOnline
        /// The goodbye is acknowledged, or there is no link to say it on.
        case finishedLeaving
    }

    /// Something its owner should tell people.
    package enum Report: Sendable, Hashable {
        /// The broker refused this topic, with an MQTT 5 reason code. Reported once until it accepts it again.
        case refused(topic: String, reasonCode: UInt8)
        /// A message above the broker's limit. A document is replaced by nothing, an answer by a short one, an event is dropped.
        case tooLarge(topic: String, bytes: Int, limit: Int)
        /// An answer could not be sent at all.
        case answerLost(topic: String)
    }

    /// What was dropped since the start.
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

    /// The owners whose documents the full retained state still lacks.
    struct FullRound: Hashable {
        /// Not asked for their documents yet.
        private var unformed: Set<DocumentOwner>
        /// Not all acknowledged yet.
        private var unfinished: Set<DocumentOwner>

        /// Announcements of `owners` are left out: they have a pace of their own.
        init(_ owners: some Sequence<DocumentOwner>) {
            self.unformed = Set(owners.lazy.filter { !$0.isAnnouncement })
            self.unfinished = self.unformed
        }

        var isFinished: Bool { self.unfinished.isEmpty }

        /// Whether `owner` is done once nothing of it waits or is on its way.
        func awaitsEnd(of owner: DocumentOwner) -> Bool { self.unfinished.contains(owner) && !self.unformed.contains(owner) }

        mutating func formed(_ owner: DocumentOwner) { self.unformed.remove(owner) }

        mutating func finished(_ owner: DocumentOwner) {
            self.unformed.remove(owner)
            self.unfinished.remove(owner)
        }
    }

    /// A round of an owner's documents, as far as it is not sent yet.
    struct Sending {
        let owner: DocumentOwner
        /// What was formed for it.
        let documents: DeviceDocuments
        /// Last first.
        private var remaining: [PublishedState.Document]

        init(owner: DocumentOwner, documents: DeviceDocuments, _ waiting: [PublishedState.Document]) {
            self.owner = owner
            self.documents = documents
            self.remaining = waiting.reversed()
        }

        var isEmpty: Bool { self.remaining.isEmpty }

        /// Leaves out what is another owner's business by now.
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
        /// Whether it is what its owner wanted, not a clearing in its place.
        var isAsWanted: Bool
        /// What an answer becomes when the broker calls it too large: none or one, kept apart since messages are large and answers few.
        var shortAnswer: [OutgoingMessage] = []
    }

    /// A topic to clear that no owner publishes.
    struct Clearing {
        var topic: String
        /// The document the broker refused, when that is why: a newer one sent meanwhile must survive.
        var refused: (owner: DocumentOwner, token: Token)?
    }
}

extension OutgoingMessage {
    /// An upper bound of what MQTT 5 adds to topic, payload and correlation data, in bytes:
    /// fixed header 5, topic length 2, packet id 2, property length 4, format 2, expiry 5, content type 24, user properties 64.
    static let packetOverhead = 108

    /// An upper bound of the PUBLISH packet's size in MQTT 5, in bytes: time stamp and properties included.
    var packetSizeBound: Int {
        Self.packetOverhead + self.topic.utf8.count + self.payload.count
            + (self.timestampOffset == nil ? 0 : MessageBatch.timestampLength) + (self.correlationData.map { $0.count + 3 } ?? 0)
    }
}

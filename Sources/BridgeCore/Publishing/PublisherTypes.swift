import CastModels

extension Publisher {
    /// The limits of waiting messages and of messages in flight.
    public struct Limits: Sendable, Hashable {
        /// There are always fewer unacknowledged messages than this; brokers queue about this many for a slow reader without dropping.
        public var unacknowledged = 20
        /// The largest number of waiting events; beyond it the oldest is dropped and counted. All devices of one process may report an
        /// event at once.
        public var events = 2048
        /// Messages of applications are queued only while fewer of them wait.
        public var passing = 128
        /// The largest number of waiting answers; beyond it the oldest is dropped, counted and reported.
        public var answers = 4096
        /// The largest size of waiting answers in bytes. An answer that alone exceeds it is replaced by its short form.
        public var answerBytes = 16 << 20

        public init() {}
    }

    /// The limits in the broker's CONNACK.
    public struct LinkLimits: Sendable, Hashable {
        /// The number of unacknowledged messages that the broker accepts.
        public var receiveMaximum: Int
        /// The largest packet that the broker accepts, in bytes; `nil` for no limit.
        public var maximumPacketSize: Int?

        public init(receiveMaximum: Int = 65_535, maximumPacketSize: Int? = nil) {
            (self.receiveMaximum, self.maximumPacketSize) = (receiveMaximum, maximumPacketSize)
        }
    }

    /// Identifies a message in flight; never reused.
    public struct Token: Sendable, Hashable {
        public var number: UInt64

        public init(number: UInt64) { self.number = number }
    }

    public enum Action: Sendable, Hashable {
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
    public enum Report: Sendable, Hashable {
        /// The broker refused this topic, with an MQTT 5 reason code. Reported once until the broker accepts it again.
        case refused(topic: String, reasonCode: UInt8)
        /// A message exceeds the broker's limit. A document is not sent, an answer is replaced by its short form, an event is dropped.
        case tooLarge(topic: String, bytes: Int, limit: Int)
        /// The broker ends the link when it gets this topic or these topics, which are no longer sent.
        case heldBack(topic: String, reasonCode: UInt8?)
        /// Another program overwrites this topic again and again.
        case overwritten(topic: String)
        /// An answer could not be sent at all.
        case answerLost(topic: String)
    }

    /// The numbers of dropped messages since the start.
    public struct Counts: Sendable, Hashable {
        public var droppedEvents = 0
        public var droppedAnswers = 0
    }

    enum Phase: Hashable {
        case down, subscribing
        /// Sending the full retained state.
        case filling
        case announcing, online
        case leaving(isOfflineSent: Bool)
        case left
    }

    /// The owners whose documents are missing in the full retained state; none but in the phase `filling`.
    struct FullRound: Sendable {
        /// The owners that were not asked for their documents yet.
        private var unformed: Set<DocumentOwner> = []
        /// The owners whose documents are not all acknowledged yet.
        private var unfinished: Set<DocumentOwner> = []

        /// Announcements among `owners` are left out, because they have their own pace.
        mutating func begin(_ owners: some Sequence<DocumentOwner>) {
            self.unformed = Set(owners.lazy.filter { !$0.isAnnouncement })
            self.unfinished = self.unformed
        }

        var isFinished: Bool { self.unfinished.isEmpty }

        /// Returns whether `owner` is done when none of its messages waits or is in flight.
        func awaitsEnd(of owner: DocumentOwner) -> Bool { self.unfinished.contains(owner) && !self.unformed.contains(owner) }

        mutating func formed(_ owner: DocumentOwner) { if !self.unformed.isEmpty { self.unformed.remove(owner) } }

        mutating func finished(_ owner: DocumentOwner) {
            self.unformed.remove(owner)
            self.unfinished.remove(owner)
        }
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

import CastModels

@testable import BridgeCore

/// A publisher with a broker that keeps what it is sent, and documents made from a table.
struct PublisherFixture: ~Copyable {
    var publisher: Publisher
    /// The documents that each owner wants: topic to text.
    var documents: [DocumentOwner: [(topic: String, text: String)]] = [:]
    /// Whether only the documents that differ are marked as changed and formed, as the bridge does it; document n is topic `t<n>`.
    var isPartial = false
    /// 0 for plain values, 1 for documents.
    var qos: UInt8 = 1
    /// Whether records are confirmed at once.
    var recordsAtOnce = true

    private(set) var sent: [(message: OutgoingMessage, token: Publisher.Token)] = []
    private(set) var open: [(message: OutgoingMessage, token: Publisher.Token)] = []
    private(set) var reports: [Publisher.Report] = []
    private(set) var records: [Set<String>] = []
    private(set) var shrunk: [Set<String>] = []
    private(set) var clearingEnds = 0
    private(set) var refusedClearings: [Set<String>] = []
    private(set) var settled: [DocumentOwner] = []
    private(set) var formed: [DocumentOwner] = []
    private(set) var formedDocuments: [DeviceDocuments] = []
    private(set) var onlineCount = 0
    private(set) var finishedLeaving = 0
    private(set) var mostOpen = 0
    /// The retained store of the broker.
    private(set) var retained: [String: String] = [:]
    var now = MonotonicTime(nanoseconds: 0)

    init(limits: Publisher.Limits = Publisher.Limits()) {
        self.publisher = Publisher(bridgeState: "base/bridge/state", limits: limits)
    }

    /// Connected to nothing yet; every device has some documents.
    static func house(devices: Int = 3, documents: Int = 4) -> PublisherFixture {
        var fixture = PublisherFixture()
        fixture.change(.bridge, [("base/bridge/info", "i"), ("base/bridge/devices", "d")])
        for device in 0..<devices {
            fixture.change(.device("d\(device)"), (0..<documents).map { ("base/d\(device)/t\($0)", "v\($0)") })
        }
        return fixture
    }

    /// Does what the publisher wants until it wants nothing.
    mutating func run() {
        while let action = self.publisher.next() {
            switch action {
            case .send(let message, let token): self.send(message, token)
            case .form(let owner, let documents):
                self.formed.append(owner)
                self.formedDocuments.append(documents)
                let isComplete = documents.isSuperset(of: .all)
                let wanted = (self.documents[owner] ?? []).filter { isComplete || documents.contains(Self.part($0.topic)) }
                var batch = MessageBatch(wanted.map { [qos] in document($0.topic, $0.text, qos: qos) })
                self.publisher.formed(owner, &batch, remaining: isComplete ? .cleared : .kept)
                for message in batch.messages { if let token = message.token { self.send(batch.outgoing(message), token) } }
            case .record(let owner, let topics):
                // The bridge's own record is written with the first of a device; here it is always at once.
                if owner != .bridge { self.records.append(topics) }
                if self.recordsAtOnce || owner == .bridge { self.publisher.recorded(owner) }
            case .shrinkRecord(let owner): self.shrunk.append(self.publisher.record(of: owner))
            case .settled(let owner): self.settled.append(owner)
            case .staleCleared(let refused):
                self.clearingEnds += 1
                self.refusedClearings.append(refused)
            case .report(let report): self.reports.append(report)
            case .becameOnline: self.onlineCount += 1
            case .finishedLeaving: self.finishedLeaving += 1
            }
        }
    }

    private mutating func send(_ message: OutgoingMessage, _ token: Publisher.Token) {
        self.sent.append((message, token))
        self.open.append((message, token))
        self.mostOpen = max(self.mostOpen, self.open.count)
    }

    /// The broker acknowledges the oldest open message.
    mutating func acknowledge() {
        guard !self.open.isEmpty else { return }
        let (message, token) = self.open.removeFirst()
        if message.retain {
            self.retained[message.topic] = message.payload.isEmpty ? nil : String(decoding: message.payload, as: UTF8.self)
        }
        self.publisher.acknowledged(token)
        self.run()
    }

    mutating func acknowledgeAll() {
        self.run()
        while !self.open.isEmpty { self.acknowledge() }
    }

    mutating func refuse(_ reasonCode: UInt8) {
        guard !self.open.isEmpty else { return }
        self.publisher.refused(self.open.removeFirst().token, reasonCode: reasonCode, now: self.now)
        self.run()
    }

    mutating func connect(limits: Publisher.LinkLimits = Publisher.LinkLimits()) {
        self.publisher.linkUp(limits)
        self.publisher.subscriptionsAcknowledged()
        self.run()
    }

    /// The link breaks; which open messages arrived is unknown.
    mutating func disconnect() {
        self.open = []
        self.publisher.linkDown()
        self.run()
    }

    /// The broker ends the link.
    mutating func cut(_ reasonCode: UInt8?) {
        self.open = []
        self.publisher.linkDown((reasonCode, self.now))
        self.run()
    }

    mutating func change(_ owner: DocumentOwner, _ documents: [(topic: String, text: String)]) {
        let former = self.documents.updateValue(documents, forKey: owner) ?? []
        guard self.isPartial, former.map(\.topic) == documents.map(\.topic) else { return self.publisher.changed(owner) }
        for (former, new) in zip(former, documents) where former.text != new.text {
            self.publisher.changed(owner, Self.part(new.topic))
        }
    }

    private static func part(_ topic: String) -> DeviceDocuments {
        DeviceDocuments(rawValue: 1 << (topic.last?.wholeNumberValue ?? 0))
    }

    var sentTopics: [String] { self.sent.map(\.message.topic) }
    mutating func forgetSent() { self.sent = [] }
    mutating func emptyBroker() { self.retained = [:] }
}

extension MessageBatch {
    /// Messages that are compared first.
    init(_ messages: [OutgoingMessage]) {
        self.init()
        for message in messages { self.append(message, at: Timestamp(milliseconds: 0)) }
    }
}

func event(_ number: Int) -> OutgoingMessage {
    OutgoingMessage(topic: "base/tv/event", payload: Array("\(number)".utf8), qos: 1, retain: false, content: .json)
}

import Synchronization
import Testing

@testable import MQTTClient

@Suite("Outcomes reported together")
struct OutcomeTests {
    private static let start = Duration.seconds(100)

    // MARK: When

    @Test("nothing gathered is never due")
    func emptyIsNotDue() {
        let gathering = OutcomeGathering()
        #expect(!gathering.isDue(isLast: true, now: Self.start))
        #expect(gathering.deadline == nil)
    }

    @Test("an outcome waits while others are under way, and no longer than the patience")
    func waits() {
        var gathering = OutcomeGathering()
        gathering.add(isFailure: false, now: Self.start)
        gathering.add(isFailure: false, now: Self.start + .milliseconds(4))
        #expect(!gathering.isDue(isLast: false, now: Self.start + .milliseconds(4)))
        #expect(gathering.deadline == Self.start + OutcomeGathering.patience)
        #expect(gathering.isDue(isLast: false, now: Self.start + OutcomeGathering.patience))
    }

    @Test("the last one that is missing is reported at once")
    func lastIsDue() {
        var gathering = OutcomeGathering()
        gathering.add(isFailure: false, now: Self.start)
        #expect(gathering.isDue(isLast: true, now: Self.start))
    }

    @Test("a failure is reported at once")
    func failureIsDue() {
        var gathering = OutcomeGathering()
        gathering.add(isFailure: true, now: Self.start)
        gathering.add(isFailure: false, now: Self.start)
        #expect(gathering.isDue(isLast: false, now: Self.start))
    }

    @Test("many are reported at once, and then it begins again")
    func manyAreDue() {
        var gathering = OutcomeGathering()
        for _ in 1..<OutcomeGathering.enough { gathering.add(isFailure: false, now: Self.start) }
        #expect(!gathering.isDue(isLast: false, now: Self.start))
        gathering.add(isFailure: false, now: Self.start)
        #expect(gathering.isDue(isLast: false, now: Self.start))
        gathering.reported()
        #expect(!gathering.isDue(isLast: true, now: Self.start))
        #expect(gathering.deadline == nil)
    }

    @Test("successes that nothing waits for are kept, until something does")
    func keptWhileNotAwaited() {
        var gathering = OutcomeGathering()
        gathering.isAwaited = false
        for _ in 0...OutcomeGathering.enough { gathering.add(isFailure: false, now: Self.start) }
        #expect(!gathering.isDue(isLast: true, now: Self.start + .seconds(1000)))
        #expect(gathering.deadline == nil)
        gathering.isAwaited = true
        #expect(gathering.isDue(isLast: false, now: Self.start))
        #expect(gathering.deadline == Self.start + OutcomeGathering.patience)
    }

    @Test("a failure is reported at once, also while nothing waits for it")
    func failureIsDueWhileNotAwaited() {
        var gathering = OutcomeGathering()
        gathering.isAwaited = false
        gathering.add(isFailure: false, now: Self.start)
        gathering.add(isFailure: true, now: Self.start)
        #expect(gathering.isDue(isLast: false, now: Self.start))
        gathering.reported()
        #expect(!gathering.isAwaited)
    }

    // MARK: What

    private final class Reports: Sendable {
        private let calls = Mutex<[[MQTTPublished]]>([])
        var all: [[MQTTPublished]] { self.calls.withLock { $0 } }
        func add(_ published: [MQTTPublished]) { self.calls.withLock { $0.append(published) } }
    }

    private static func acknowledged(_ tokens: UInt64...) -> [MQTTPublished] {
        tokens.map { MQTTPublished(token: $0, outcome: .acknowledged(.success)) }
    }

    private static func outbox(_ reports: Reports) -> Outbox { Outbox(core: ClientCore(bounds: .init())) { reports.add($0) } }

    @Test("outcomes are reported together, by token, in the order of their acknowledgements")
    func reportedTogether() {
        let reports = Reports()
        var outbox = Self.outbox(reports)
        for packetID in Int32(1)...3 {
            let isNew = outbox.add(packetID, token: UInt64(packetID) + 10, bytes: 1, now: Self.start)
            #expect(isNew)
        }
        _ = outbox.acknowledged(2, .success, now: Self.start)
        _ = outbox.acknowledged(1, .success, now: Self.start)
        outbox.reportIfDue(now: Self.start)
        #expect(reports.all == [])
        _ = outbox.acknowledged(3, .success, now: Self.start)
        outbox.reportIfDue(now: Self.start)
        #expect(reports.all == [Self.acknowledged(12, 11, 13)])
        #expect(outbox.deadline == nil)
    }

    @Test("an outcome that was taken is not reported, and gives back its room")
    func taken() throws {
        let reports = Reports()
        let core = ClientCore(bounds: .init())
        #expect(core.begin(wake: try #require(WakeEvent())))
        core.open(epoch: 1)
        var outbox = Outbox(core: core) { reports.add($0) }
        outbox.isAwaited = false
        for packetID in Int32(1)...2 {
            #expect(core.submit(.publish(MQTTBatch(MQTTMessage(topic: "t", text: ""))), epoch: 1) == nil)
            _ = outbox.add(packetID, token: UInt64(packetID), bytes: 1, now: Self.start)
            _ = outbox.acknowledged(packetID, .success, now: Self.start)
            outbox.reportIfDue(now: Self.start + .seconds(1000))
        }
        #expect(core.outstanding == 2)
        #expect(outbox.take() == Self.acknowledged(1, 2))
        #expect(core.outstanding == 0)
        #expect(outbox.take() == [])
        outbox.report()
        #expect(reports.all == [])
    }

    @Test("at the end of the link what was acknowledged stays acknowledged, and the rest is lost, oldest first")
    func endOfTheLink() {
        let reports = Reports()
        var outbox = Self.outbox(reports)
        for packetID in Int32(1)...3 {
            _ = outbox.add(packetID, token: UInt64(packetID), bytes: 1, now: Self.start + .seconds(Int(packetID)))
        }
        _ = outbox.acknowledged(2, .success, now: Self.start)
        outbox.loseAll([.publish(MQTTBatch(MQTTMessage(topic: "t", text: "x"), token: 4))])
        let lost = [UInt64(1), 3, 4].map { MQTTPublished(token: $0, outcome: .connectionLost) }
        #expect(reports.all == [Self.acknowledged(2) + lost])
        #expect(outbox.isEmpty)
    }

    @Test("packet ids that begin again while old ones are unanswered are kept apart; one that is used twice loses the older message")
    func packetIDs() {
        let reports = Reports()
        var outbox = Self.outbox(reports)
        let packetIDs = [Int32(7)] + (65_000...65_535) + (1...6) + (8...1000)
        for packetID in packetIDs {
            let isNew = outbox.add(packetID, token: UInt64(packetID), bytes: 1, now: Self.start)
            #expect(isNew)
        }
        #expect(!outbox.hasEntry(olderThan: .seconds(1), now: Self.start))
        #expect(outbox.hasEntry(olderThan: .seconds(1), now: Self.start + .seconds(1)))
        let isNew = outbox.add(7, token: 70, bytes: 1, now: Self.start)
        #expect(!isNew)
        for packetID in packetIDs { _ = outbox.acknowledged(packetID, .success, now: Self.start) }
        // An acknowledgement of something that is not in flight.
        _ = outbox.acknowledged(7, .success, now: Self.start)
        outbox.report()
        let tokens = packetIDs.map { $0 == 7 ? 70 : UInt64($0) }
        let lost = MQTTPublished(token: 7, outcome: .connectionLost)
        #expect(reports.all == [[lost] + tokens.map { MQTTPublished(token: $0, outcome: .acknowledged(.success)) }])
        #expect(outbox.isEmpty)
    }

    // MARK: Batches

    @Test("a batch gives back its messages with their tokens, also when it is used again")
    func batch() {
        let set = MQTTPropertySet(.init(contentType: "text/plain"))
        var batch = MQTTBatch()
        for turn in 0..<2 {
            batch.removeAll()
            batch.append(topic: "a", payload: [1, 2], qos: .atLeastOnce, retain: true, properties: set, token: 5)
            batch.append(topic: "é", payload: [3], qos: .atMostOnce, retain: false, properties: .none, token: 6)
            batch.append(topic: "", payload: [4], qos: .atMostOnce, retain: false, properties: set, token: 7)
            #expect(batch.weight == 7, "turn \(turn)")
        }
        #expect(
            batch.messages.map(\.message) == [
                MQTTMessage(topic: "a", payload: [1, 2], qos: .atLeastOnce, retain: true, properties: set.properties),
                MQTTMessage(topic: "é", payload: [3]), MQTTMessage(topic: "", payload: [4], properties: set.properties),
            ])
        #expect(batch.messages.map(\.token) == [5, 6, 7])
    }

    @Test("a call whose messages do not all fit is refused as a whole")
    func boundsHoldForCalls() throws {
        var bounds = MQTTConfiguration.Outgoing()
        bounds.maximumMessages = 3
        let core = ClientCore(bounds: bounds)
        #expect(core.begin(wake: try #require(WakeEvent())))
        core.open(epoch: 1)
        func submit(_ count: Int) -> MQTTRefusal? {
            var batch = MQTTBatch()
            for token in 0..<count { batch.append(MQTTMessage(topic: "t", text: "x"), token: UInt64(token)) }
            return core.submit(.publish(batch), epoch: 1)
        }
        #expect(submit(2) == nil)
        #expect(submit(2) == .queueFull)
        #expect(core.outstanding == 2)
        #expect(submit(1) == nil)
        core.finished(3, bytes: 6)
        #expect(core.outstanding == 0)
        #expect(submit(3) == nil)
    }
}

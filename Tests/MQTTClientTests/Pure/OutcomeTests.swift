import Synchronization
import Testing

@testable import MQTTClient

@Suite("Outcomes told together")
struct OutcomeTests {
    private static let start = Duration.seconds(100)

    // MARK: When

    @Test("Nothing gathered is never due")
    func emptyIsNotDue() {
        let gathering = OutcomeGathering()
        #expect(!gathering.isDue(isLast: true, now: Self.start))
        #expect(gathering.deadline == nil)
    }

    @Test("An outcome waits while others are under way, and no longer than the patience")
    func waits() {
        var gathering = OutcomeGathering()
        gathering.add(isFailure: false, now: Self.start)
        gathering.add(isFailure: false, now: Self.start + .milliseconds(4))
        #expect(!gathering.isDue(isLast: false, now: Self.start + .milliseconds(4)))
        #expect(gathering.deadline == Self.start + OutcomeGathering.patience)
        #expect(gathering.isDue(isLast: false, now: Self.start + OutcomeGathering.patience))
    }

    @Test("The last one that is missing is told at once")
    func lastIsDue() {
        var gathering = OutcomeGathering()
        gathering.add(isFailure: false, now: Self.start)
        #expect(gathering.isDue(isLast: true, now: Self.start))
    }

    @Test("A failure is told at once")
    func failureIsDue() {
        var gathering = OutcomeGathering()
        gathering.add(isFailure: true, now: Self.start)
        gathering.add(isFailure: false, now: Self.start)
        #expect(gathering.isDue(isLast: false, now: Self.start))
    }

    @Test("Many are told at once, and then it begins anew")
    func manyAreDue() {
        var gathering = OutcomeGathering()
        for _ in 1..<OutcomeGathering.enough { gathering.add(isFailure: false, now: Self.start) }
        #expect(!gathering.isDue(isLast: false, now: Self.start))
        gathering.add(isFailure: false, now: Self.start)
        #expect(gathering.isDue(isLast: false, now: Self.start))
        gathering.told()
        #expect(!gathering.isDue(isLast: true, now: Self.start))
        #expect(gathering.deadline == nil)
    }

    // MARK: What

    private final class Told: Sendable {
        private let calls = Mutex<[[MQTTPublished]]>([])
        var all: [[MQTTPublished]] { self.calls.withLock { $0 } }
        func add(_ published: [MQTTPublished]) { self.calls.withLock { $0.append(published) } }
    }

    private static func acknowledged(_ indices: Int...) -> [MQTTPublished] {
        indices.map { MQTTPublished(index: $0, outcome: .acknowledged(.success)) }
    }

    @Test("The messages of a call are told together, in the order of their acknowledgements")
    func batchIsToldTogether() {
        var outbox = Outbox(core: ClientCore(bounds: .init()))
        let told = Told()
        let batch = Outbox.Batch { told.add($0) }
        for index in 0..<3 {
            let isNew = outbox.add(Int32(index + 1), .publish(batch, index: index, bytes: 1), now: Self.start)
            #expect(isNew)
        }
        _ = outbox.acknowledged(2, .success, now: Self.start)
        _ = outbox.acknowledged(1, .success, now: Self.start)
        outbox.tellIfDue(now: Self.start)
        #expect(told.all == [])
        _ = outbox.acknowledged(3, .success, now: Self.start)
        outbox.tellIfDue(now: Self.start)
        #expect(told.all == [Self.acknowledged(1, 0, 2)])
        #expect(outbox.deadline == nil)
    }

    @Test("Two calls get their own outcomes")
    func batchesAreApart() {
        var outbox = Outbox(core: ClientCore(bounds: .init()))
        let (first, second) = (Told(), Told())
        let (one, two) = (Outbox.Batch { first.add($0) }, Outbox.Batch { second.add($0) })
        _ = outbox.add(1, .publish(one, index: 0, bytes: 1), now: Self.start)
        _ = outbox.add(2, .publish(two, index: 0, bytes: 1), now: Self.start)
        for packetID in [Int32(1), 2] { _ = outbox.acknowledged(packetID, .success, now: Self.start) }
        outbox.tellIfDue(now: Self.start)
        #expect(first.all == [Self.acknowledged(0)])
        #expect(second.all == [Self.acknowledged(0)])
    }

    @Test("At the end of the link what was acknowledged stays acknowledged, and the rest is lost")
    func endOfTheLink() {
        var outbox = Outbox(core: ClientCore(bounds: .init()))
        let told = Told()
        let batch = Outbox.Batch { told.add($0) }
        for index in 0..<3 { _ = outbox.add(Int32(index + 1), .publish(batch, index: index, bytes: 1), now: Self.start + .seconds(index)) }
        _ = outbox.acknowledged(2, .success, now: Self.start)
        outbox.loseAll()
        let lost = [0, 2].map { MQTTPublished(index: $0, outcome: .connectionLost) }
        #expect(told.all == [Self.acknowledged(1) + lost])
    }

    @Test("A call whose messages do not all fit is refused as a whole")
    func boundsHoldForCalls() throws {
        var bounds = MQTTConfiguration.Outgoing()
        bounds.maximumMessages = 3
        let core = ClientCore(bounds: bounds)
        #expect(core.begin(wake: try #require(WakeEvent())))
        core.open(epoch: 1)
        func submit(_ count: Int) -> MQTTRefusal? {
            core.submit(.publish(Array(repeating: MQTTMessage(topic: "t", text: "x"), count: count), completion: { _ in }), epoch: 1)
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

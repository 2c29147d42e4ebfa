import CastModels
import Testing

@testable import BridgeCore

@Suite("Documents of which only a part changed")
struct PartialDocumentsTests {
    private static let owner = DocumentOwner.device("x")

    private func values(_ texts: String...) -> [(topic: String, text: String)] {
        texts.enumerated().map { ("base/x/t\($0.offset)", $0.element) }
    }

    private func fixture(unacknowledged: Int = 20) -> PublisherFixture {
        var limits = Publisher.Limits()
        limits.unacknowledged = unacknowledged
        var fixture = PublisherFixture(limits: limits)
        fixture.isPartial = true
        fixture.change(Self.owner, self.values("a", "b", "c", "d"))
        fixture.connect()
        fixture.acknowledgeAll()
        fixture.forgetSent()
        return fixture
    }

    @Test("only these are formed, and what is not among them stays as it is")
    func formsOnlyThese() {
        var fixture = self.fixture()
        fixture.change(Self.owner, self.values("a", "B", "c", "d"))
        fixture.acknowledgeAll()
        #expect(fixture.formedDocuments.last == DeviceDocuments(rawValue: 1 << 1))
        #expect(fixture.sentTopics == ["base/x/t1"])
        #expect(fixture.retained["base/x/t0"] == "a")
    }

    @Test("what changed since the last turn is formed together")
    func gathersParts() {
        var fixture = self.fixture()
        fixture.change(Self.owner, self.values("A", "b", "c", "d"))
        fixture.change(Self.owner, self.values("A", "b", "c", "D"))
        let turns = fixture.formed.count
        fixture.acknowledgeAll()
        #expect(fixture.formed.count == turns + 1)
        #expect(fixture.formedDocuments.last == DeviceDocuments(rawValue: 1 << 0 | 1 << 3))
        #expect(fixture.sentTopics == ["base/x/t0", "base/x/t3"])
    }

    @Test("what is unsent of a round stays due when a newer round of other documents takes its place")
    func supersededRounds() {
        var fixture = self.fixture(unacknowledged: 2)
        fixture.change(Self.owner, self.values("A", "B", "C", "d"))
        fixture.run()
        #expect(fixture.sentTopics == ["base/x/t0"])
        fixture.change(Self.owner, self.values("A", "B", "C", "D"))
        fixture.acknowledgeAll()
        #expect(fixture.retained.filter { $0.key.hasPrefix("base/x") }.map(\.value).sorted() == ["A", "B", "C", "D"])
        #expect(Set(fixture.sentTopics).count == fixture.sent.count)
    }

    @Test("what changed while the record was being written is sent with the rest")
    func roundsThatWaitForTheRecord() {
        var fixture = PublisherFixture()
        fixture.isPartial = true
        fixture.recordsAtOnce = false
        fixture.change(Self.owner, self.values("a", "b"))
        fixture.connect()
        fixture.acknowledgeAll()
        fixture.change(Self.owner, self.values("a", "B"))
        fixture.run()
        fixture.publisher.recorded(.device("x"))
        fixture.acknowledgeAll()
        #expect(fixture.retained["base/x/t0"] == "a")
        #expect(fixture.retained["base/x/t1"] == "B")
        #expect(fixture.onlineCount == 1)
    }

    @Test("a break makes all of them due, whatever was marked before", arguments: [true, false])
    func breaks(whileUnderWay: Bool) {
        var fixture = self.fixture()
        fixture.change(Self.owner, self.values("a", "b", "C", "d"))
        if whileUnderWay { fixture.run() }
        fixture.disconnect()
        fixture.emptyBroker()
        fixture.connect()
        fixture.acknowledgeAll()
        #expect(fixture.retained.filter { $0.key.hasPrefix("base/x") }.map(\.value).sorted() == ["C", "a", "b", "d"])
    }

    @Test("a refusal for lack of room makes all of them due again")
    func refusals() {
        var fixture = self.fixture()
        fixture.change(Self.owner, self.values("A", "b", "c", "d"))
        fixture.run()
        fixture.refuse(0x97)
        fixture.change(Self.owner, self.values("A", "B", "c", "d"))
        fixture.acknowledgeAll()
        fixture.now = fixture.now + .seconds(2)
        fixture.publisher.wake(now: fixture.now)
        fixture.acknowledgeAll()
        #expect(fixture.retained["base/x/t0"] == "A")
        #expect(fixture.retained["base/x/t1"] == "B")
    }
}

import CastModels
import Testing

@testable import BridgeCore

func document(_ topic: String, _ text: String, qos: UInt8 = 1) -> OutgoingMessage {
    OutgoingMessage(topic: topic, payload: Array(text.utf8), qos: qos, retain: true, content: text.isEmpty ? .empty : .text)
}

@Suite("What the broker holds")
struct PublishedStateTests {
    @Test("is nothing at the beginning of an epoch: everything wanted differs")
    func epoch() {
        var state = PublishedState()
        let wanted = [document("a", "1"), document("b", "")]
        #expect(state.difference(for: .bridge, wanted: wanted).documents.map(\.message) == wanted)
        state.beginEpoch()
        #expect(state.difference(for: .bridge, wanted: wanted).documents.map(\.message) == wanted)
    }

    @Test("asks for the record of a device to grow before a topic is used for the first time")
    func record() {
        var state = PublishedState()
        let owner = DocumentOwner.device("x")
        let wanted = [document("t/x/a", "1"), document("t/x/b", "")]
        #expect(state.difference(for: owner, wanted: wanted).topicsToRecord == ["t/x/a", "t/x/b"])
        state.record(["t/x/a", "t/x/b"], for: owner)
        #expect(state.difference(for: owner, wanted: wanted).topicsToRecord == nil)
        #expect(state.difference(for: .bridge, wanted: wanted).topicsToRecord == ["t/x/a", "t/x/b"], "each owner has its own")
    }

    @Test("is cleared of recorded topics that nobody wants any more, unless the wanted ones are only a part")
    func leftovers() {
        var state = PublishedState()
        state.record(["t/x/a", "t/x/old"], for: .device("x"))
        let wanted = [document("t/x/a", "1")]
        let difference = state.difference(for: .device("x"), wanted: wanted)
        #expect(difference.documents.map(\.message) == wanted + [.clearing("t/x/old")])
        #expect(difference.documents.map(\.isClearing) == [false, true])
        #expect(state.difference(for: .device("x"), wanted: wanted, leftovers: .kept).documents.map(\.message) == wanted)
    }
}

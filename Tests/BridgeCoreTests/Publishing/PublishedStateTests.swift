import CastModels
import Testing

@testable import BridgeCore

func document(_ topic: String, _ text: String, qos: UInt8 = 1) -> OutgoingMessage {
    OutgoingMessage(topic: topic, payload: Array(text.utf8), qos: qos, retain: true, content: text.isEmpty ? .empty : .text)
}

@Suite("The published state")
struct PublishedStateTests {
    @Test("is nothing at the beginning of an epoch: everything wanted differs")
    func epoch() {
        var state = PublishedState()
        let batch = MessageBatch([document("a", "1"), document("b", "")])
        state.record(["a", "b"], for: .bridge)
        #expect(state.difference(for: .bridge, batch).changed.map(\.message) == [0, 1])
        for change in state.difference(for: .bridge, batch).changed {
            _ = state.sent(change, token: Publisher.Token(number: 1), moment: nil)
        }
        #expect(state.difference(for: .bridge, batch).changed.isEmpty)
        state.beginEpoch()
        #expect(state.difference(for: .bridge, batch).changed.map(\.message) == [0, 1])
    }

    @Test("sends again what the broker lost, and nothing that was cleared since the broker was asked")
    func vanished() {
        var state = PublishedState()
        let batch = MessageBatch([document("a", "1"), document("b", ""), document("c", "3")])
        state.record(["a", "b", "c"], for: .bridge)
        for change in state.difference(for: .bridge, batch).changed {
            _ = state.sent(change, token: Publisher.Token(number: 1), moment: nil)
        }
        #expect(state.vanished(["b"]) == [] && state.vanished(["a", "b"]) == [.bridge])
        #expect(state.difference(for: .bridge, batch).changed.map(\.message) == [0])
    }

    @Test("asks for the record of a device to grow before a topic is used for the first time")
    func record() {
        var state = PublishedState()
        let owner = DocumentOwner.device("x")
        let batch = MessageBatch([document("t/x/a", "1"), document("t/x/b", "")])
        #expect(state.difference(for: owner, batch).topicsToRecord == ["t/x/a", "t/x/b"])
        state.record(["t/x/a", "t/x/b"], for: owner)
        #expect(state.difference(for: owner, batch).topicsToRecord == nil)
        #expect(state.difference(for: .bridge, batch).topicsToRecord == ["t/x/a", "t/x/b"], "each owner has its own")
    }

    @Test("is cleared of recorded topics that are not wanted any more, unless the wanted ones are only a part")
    func staleTopics() {
        var state = PublishedState()
        state.record(["t/x/a", "t/x/old"], for: .device("x"))
        let batch = MessageBatch([document("t/x/a", "1")])
        let difference = state.difference(for: .device("x"), batch)
        #expect(difference.changed.map(\.message) == [0])
        #expect(difference.cleared.map(\.message) == [.clearing("t/x/old")])
        #expect(difference.cleared.map(\.isClearing) == [true])
        #expect(state.difference(for: .device("x"), batch, remaining: .kept).cleared.isEmpty)
    }

    @Test("differs by every byte of a payload but those of the time, and by QoS and kind")
    func fingerprints() {
        let text = #"{"schema":1,"a":"0123456789abcdefghijklmnopqrstuvwxyz"}"#
        let stamped = { (text: String) in
            OutgoingMessage(
                topic: "a", payload: Array(text.utf8), timestampOffset: MessageBatch.timestampOffset, qos: 1, retain: true,
                content: .document(schema: 1))
        }
        func fingerprint(_ message: OutgoingMessage, at milliseconds: Int64 = 0) -> UInt64 {
            var batch = MessageBatch()
            batch.append(message, at: Timestamp(milliseconds: milliseconds))
            return batch.withBytes { batch.fingerprint(0, in: $0) }
        }
        let plain = fingerprint(stamped(text))
        #expect(fingerprint(stamped(text), at: 1_763_733_802_481) == plain)
        for index in text.utf8.indices.dropFirst(MessageBatch.timestampOffset) {
            var bytes = Array(text.utf8)
            bytes[text.utf8.distance(from: text.startIndex, to: index)] ^= 1
            #expect(fingerprint(stamped(String(decoding: bytes, as: UTF8.self))) != plain)
        }
        #expect(fingerprint(document("a", "1", qos: 0)) != fingerprint(document("a", "1")))
        #expect(fingerprint(document("a", "")) != fingerprint(document("a", "1")))
    }
}

import CastModels
import Testing

@testable import BridgeCore

@Suite("Documents in one buffer")
struct MessageBatchTests {
    static let offsets: [(offset: Int?, payload: String, sent: String)] = [
        (nil, "{}", "{}"), (12, #"{"schema":1,"a":2}"#, #"{"schema":1,"ts":"1970-01-01T00:00:00.000Z","a":2}"#),
        (1, "{}", #"{"ts":"1970-01-01T00:00:00.000Z",}"#), (3, "{}", "{}"), (12, "", ""),
    ]

    @Test("carry their time at the stated offset, if they have one, and are read back without it", arguments: Self.offsets)
    func time(offset: Int?, payload: String, sent: String) {
        let message = OutgoingMessage(
            topic: "a/b", payload: Array(payload.utf8), timestampOffset: offset, qos: 1, retain: true, content: .document(schema: 1))
        #expect(String(decoding: message.payload(at: Timestamp(milliseconds: 0)), as: UTF8.self) == sent)
        let batch = MessageBatch([document("x", "1"), message])
        #expect(batch.topic(batch.messages[1]) == "a/b")
        #expect(batch.outgoing(batch.messages[0]) == document("x", "1"))
        if offset == MessageBatch.timestampOffset, !payload.isEmpty { #expect(batch.outgoing(batch.messages[1]) == message) }
    }

    @Test("are the same when the buffer is used again, also after one that was too large to be kept")
    func reuse() {
        var batch = MessageBatch()
        for size in [1, 100_000, 3, 70_000, 0] {
            batch.removeAll()
            let message = document("topic", String(repeating: "x", count: size))
            batch.append(message, at: Timestamp(milliseconds: 0))
            #expect(batch.messages.count == 1 && batch.outgoing(batch.messages[0]) == message)
        }
    }
}

import CastModels
import Testing

@testable import BridgeCore

@Suite("Documents for the reader beside MQTT")
struct FormedDocumentsTests {
    private var formed = FormedDocuments()

    private func message(_ topic: String, _ text: String, _ content: OutgoingMessage.Content = .text) -> OutgoingMessage {
        OutgoingMessage(topic: "home/ö/" + topic, payload: Array(text.utf8), qos: 1, retain: true, content: content)
    }

    private mutating func round(
        _ messages: [OutgoingMessage], isWhole: Bool = false, at seconds: Int64 = 0
    ) -> [DocumentChange] {
        var batch = MessageBatch()
        for message in messages { batch.append(message, at: Timestamp(milliseconds: seconds * 1000)) }
        return self.formed.update(.device("a"), with: batch, below: "home/ö", isWhole: isWhole)
    }

    private func change(_ topic: String, _ text: String?) -> DocumentChange {
        DocumentChange(topic: topic, value: text.map { Array($0.utf8) })
    }

    @Test("are named by their topic below the base, and words are JSON strings")
    mutating func names() {
        let messages = [self.message("tv/availability", "online"), self.message("tv/state", #"{"a":1}"#, .document(schema: 1))]
        #expect(self.round(messages) == [self.change("tv/availability", "\"online\""), self.change("tv/state", #"{"a":1}"#)])
    }

    @Test("the same content at another time is no change")
    mutating func sameContent() {
        var message = self.message("tv/state", #"{"schema":1,"a":1}"#, .document(schema: 1))
        message.timestampOffset = 12
        #expect(self.round([message], at: 1).count == 1)
        #expect(self.round([message], at: 2) == [])
        message.payload = Array(#"{"schema":1,"a":2}"#.utf8)
        #expect(self.round([message], at: 2).count == 1)
    }

    @Test("what a complete round lacks is removed, what a partial one lacks stays")
    mutating func missing() {
        let (state, media) = (self.message("tv/state", "1"), self.message("tv/media", "1"))
        _ = self.round([state, media], isWhole: true)
        #expect(self.round([state]) == [])
        #expect(self.round([state], isWhole: true) == [self.change("tv/media", nil)])
        #expect(self.formed.remove(.device("a")) == [self.change("tv/state", nil)])
        #expect(self.formed.remove(.device("a")) == [])
    }

    @Test("are neither pictures nor empty nor plain values")
    mutating func leftOut() {
        var plain = self.message("tv/status/player", "playing")
        plain.qos = 0
        let messages = [self.message("tv/artwork/image", "x", .binary), self.message("tv/status/title", "", .empty), plain]
        #expect(self.round(messages, isWhole: true) == [])
    }
}

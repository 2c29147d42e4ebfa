import CastModels
import Testing

@testable import BridgeCore

@Suite("What waits for a reader beside MQTT")
struct ChangeMailboxTests {
    private func change(_ topic: String, _ text: String?) -> DocumentChange {
        DocumentChange(topic: topic, value: text.map { Array($0.utf8) })
    }

    private func line(_ number: Int) -> LogEntry {
        LogEntry(line: LogLine(level: .info, source: "A.B", message: "\(number)"), time: Timestamp(milliseconds: 0))
    }

    @Test("a mailbox begins with every document, and hands out nothing before")
    func beginsWhole() {
        var mailbox = ChangeMailbox()
        mailbox.put([self.change("b", "1"), self.change("a", "1"), self.change("c", "1"), self.change("c", nil)])
        #expect(mailbox.take() == nil)
        mailbox.complete()
        #expect(mailbox.take() == BridgeChanges(documents: [self.change("a", "1"), self.change("b", "1")], isWhole: true))
        #expect(mailbox.take() == nil)
        // One reader completes once.
        mailbox.complete()
        #expect(mailbox.take() == nil)
    }

    @Test("a mailbox of no documents is whole as well")
    func emptyIsWhole() {
        var mailbox = ChangeMailbox()
        mailbox.complete()
        #expect(mailbox.take() == BridgeChanges(isWhole: true))
    }

    @Test("a mailbox has the newest value of each document, also that it was removed")
    func newestValue() {
        var mailbox = ChangeMailbox()
        mailbox.complete()
        _ = mailbox.take()
        for number in 1...100 { mailbox.put([self.change("a", "\(number)"), self.change("b", "\(number)")]) }
        mailbox.put([self.change("b", nil)])
        #expect(mailbox.take() == BridgeChanges(documents: [self.change("a", "100"), self.change("b", nil)]))
    }

    @Test("a mailbox has the last 256 events and lines, and the number of those before")
    func lastEvents() {
        var mailbox = ChangeMailbox()
        mailbox.complete()
        _ = mailbox.take()
        for number in 0..<300 {
            mailbox.put(DirectEvent(topic: "a/event", payload: Array("\(number)".utf8)))
            mailbox.put(self.line(number))
        }
        let changes = mailbox.take()
        #expect(changes?.events.map { String(decoding: $0.payload, as: UTF8.self) } == (44..<300).map { "\($0)" })
        #expect(changes?.missedEvents == 44)
        #expect(changes?.log == (44..<300).map { self.line($0) })
        #expect(changes?.missedLogLines == 44)
    }

    @Test("more than 65 536 documents are too many")
    func tooMany() {
        var mailbox = ChangeMailbox()
        mailbox.put((0..<ChangeMailbox.maximumDocuments).map { self.change("\($0)", nil) })
        #expect(!mailbox.isOverfull)
        mailbox.put([self.change("one more", nil)])
        #expect(mailbox.isOverfull)
    }

    @Test(
        "a line is found by its level and its label, or the end of it",
        arguments: [
            (LogLevel.info, nil, true), (.warning, nil, false), (.debug, "A.B", true), (.debug, "B", true), (.debug, "A.*", true),
            (.debug, "A", false), (.debug, "C*", false),
        ])
    func findsLines(level: LogLevel, component: String?, isFound: Bool) {
        #expect(self.line(1).matches(from: level, of: component.flatMap { GlobPattern($0) }) == isFound)
    }

    @Test("a line is JSON")
    func lineIsJSON() {
        let line = LogLine(level: .warning, source: "A.B", message: "a \"b\"", data: ["device": "tv"])
        let text = String(decoding: LogEntry(line: line, time: Timestamp(milliseconds: 1_800_000_000_000)).json, as: UTF8.self)
        #expect(
            text == #"{"ts":"2027-01-15T08:00:00.000Z","level":"warning","source":"A.B","message":"a \"b\"","data":{"device":"tv"}}"#)
    }
}

import BridgeCore
import NIOCore
import Testing

@testable import Dashboard

@Suite("The text of events and documents")
struct EventTextTests {
    @Test(
        "an event has a name, an id and lines of data",
        arguments: [
            ("{}", nil, "event: hb\ndata: {}\n\n"), ("{}", "b-1", "event: hb\nid: b-1\ndata: {}\n\n"),
            ("a\nb", nil, "event: hb\ndata: a\ndata: b\n\n"), ("", nil, "event: hb\ndata: \n\n"),
        ])
    func event(data: String, id: String?, text: String) {
        #expect(String(buffer: EventText.frame("hb", id: id, data: Array(data.utf8))) == text)
    }

    @Test("documents are members of an object")
    func members() {
        let documents = [DocumentChange(topic: "a\"b/state", value: Array("{}".utf8)), DocumentChange(topic: "c", value: nil)]
        let text = { (bytes: [UInt8]) in String(decoding: bytes, as: UTF8.self) }
        #expect(text(EventText.changes(documents)) == #"{"documents":{"a\"b/state":{},"c":null}}"#)
        #expect(
            String(buffer: EventText.changesFrame(documents, id: "b-1"))
                == "event: changes\nid: b-1\ndata: {\"documents\":{\"a\\\"b/state\":{},\"c\":null}}\n\n")
        #expect(String(buffer: EventText.changesFrame([], id: "b-1")) == "event: changes\nid: b-1\ndata: {\"documents\":{}}\n\n")
        let lines = [DocumentChange(topic: "a", value: Array("{\n}".utf8))]
        #expect(
            String(buffer: EventText.changesFrame(lines, id: "b-1"))
                == "event: changes\nid: b-1\ndata: {\"documents\":{\"a\":{\ndata: }}}\n\n")
        #expect(text(EventText.changes([], id: "b-1", isSnapshot: false)) == #"{"id":"b-1","snapshot":false,"documents":{}}"#)
        #expect(text(EventText.state(documents, id: "b-1")) == #"{"id":"b-1","documents":{"a\"b/state":{},"c":null}}"#)
        #expect(text(EventText.array([])) == "[]" && text(EventText.array([[0x31], [0x32]])) == "[1,2]")
    }

    @Test("a snapshot is an event with the text of the state", arguments: ["{}", "{\n}", #"{"a":[1,2]}"#])
    func snapshot(value: String) {
        let snapshot = EventText.Snapshot([DocumentChange(topic: "a", value: Array(value.utf8))], id: "b-1")
        let state = #"{"id":"b-1","documents":{"a":\#(value)}}"#
        #expect(String(buffer: snapshot.state) == state)
        #expect(
            String(buffer: snapshot.frame)
                == "event: snapshot\nid: b-1\ndata: \(state.split(separator: "\n").joined(separator: "\ndata: "))\n\n")
        #expect(String(decoding: EventText.missed(EventStreams.Missed(events: 1, lines: 20)), as: UTF8.self) == #"{"events":1,"lines":20}"#)
    }

    @Test(
        "a path loses its escapes",
        arguments: [("a", "a"), ("%41%2f", "A/"), ("%", "%"), ("%4", "%4"), ("%zz", "%zz"), ("%C3%B6", "ö"), ("%ff", "\u{FFFD}")])
    func path(text: String, decoded: String) { #expect(text.percentDecoded == decoded) }
}

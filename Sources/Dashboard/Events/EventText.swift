import BridgeCore
import CastModels
import NIOCore

/// Writes the texts that clients of the page receive: JSON of documents, and server-sent events.
///
/// Source: the section "Server-sent events" of the HTML standard.
enum EventText {
    /// All documents, as the body of `state` and as an event with the same text.
    struct Snapshot {
        let frame: ByteBuffer
        /// Shares the memory of the event, unless a document contains line feeds.
        let state: ByteBuffer

        init(_ documents: [DocumentChange], id: String) {
            let text = EventText.state(documents, id: id)
            self.frame = EventText.frame("snapshot", id: id, data: text)
            // The text is followed by two line feeds.
            let shared = self.frame.getSlice(at: self.frame.writerIndex - text.count - 2, length: text.count)
            self.state = shared.flatMap { $0.readableBytesView.elementsEqual(text) ? $0 : nil } ?? ByteBuffer(bytes: text)
        }
    }

    /// `{"id":…,"documents":{…}}`.
    static func state(_ documents: [DocumentChange], id: String) -> [UInt8] {
        self.object([("id", JSONWriter.bytes(of: .string(id))), ("documents", self.documents(documents))])
    }

    /// `{"id":…,"snapshot":…,"documents":{…}}`; a removed document is `null`.
    static func changes(_ documents: [DocumentChange], id: String, isSnapshot: Bool) -> [UInt8] {
        self.object([
            ("id", JSONWriter.bytes(of: .string(id))), ("snapshot", JSONWriter.bytes(of: .bool(isSnapshot))),
            ("documents", self.documents(documents)),
        ])
    }

    /// `{"documents":{…}}`; a removed document is `null`.
    static func changes(_ documents: [DocumentChange]) -> [UInt8] { self.object([("documents", self.documents(documents))]) }

    /// `{"topic":…,"payload":…}`.
    static func event(_ event: DirectEvent) -> [UInt8] {
        self.object([("topic", JSONWriter.bytes(of: .string(event.topic))), ("payload", event.payload)])
    }

    /// `{"events":…,"lines":…}`.
    static func missed(_ missed: EventStreams.Missed) -> [UInt8] {
        self.object([("events", Array("\(missed.events)".utf8)), ("lines", Array("\(missed.lines)".utf8))])
    }

    private static func documents(_ documents: [DocumentChange]) -> [UInt8] {
        self.object(documents.map { ($0.topic, $0.value ?? Array("null".utf8)) })
    }

    /// Returns an object of members whose values are JSON text.
    static func object(_ members: [(key: String, value: [UInt8])]) -> [UInt8] {
        var text: [UInt8] = [UInt8(ascii: "{")]
        text.reserveCapacity(members.reduce(2) { $0 + $1.key.utf8.count + $1.value.count + 4 })
        for member in members {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text += JSONWriter.bytes(of: .string(member.key))
            text.append(UInt8(ascii: ":"))
            text += member.value
        }
        text.append(UInt8(ascii: "}"))
        return text
    }

    /// Returns an array of JSON texts.
    static func array(_ elements: [[UInt8]]) -> [UInt8] {
        [UInt8(ascii: "[")] + Array(elements.joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "]")]
    }

    /// Returns one server-sent event.
    /// - Parameters:
    ///   - name: without line feeds, as `id`.
    ///   - data: may contain line feeds.
    static func frame(_ name: StaticString, id: String? = nil, data: [UInt8]) -> ByteBuffer {
        var frame = ByteBuffer()
        frame.reserveCapacity(data.count + 96)
        frame.writeStaticString("event: ")
        frame.writeStaticString(name)
        if let id { frame.writeString("\nid: \(id)") }
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            frame.writeStaticString("\ndata: ")
            frame.writeBytes(line)
        }
        frame.writeStaticString("\n\n")
        return frame
    }
}

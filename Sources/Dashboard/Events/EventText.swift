import BridgeCore
import CastModels
import Glibc
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

    /// The event with the text of `changes`, written in one piece: it may be the state of a household.
    static func changesFrame(_ documents: [DocumentChange], id: String) -> ByteBuffer {
        guard !documents.contains(where: { $0.value.map(self.hasLineEnds) ?? false }) else {
            return self.frame("changes", id: id, data: self.changes(documents))
        }
        var frame = ByteBuffer()
        frame.reserveCapacity(documents.reduce(96) { $0 + $1.topic.utf8.count + ($1.value?.count ?? 4) + 4 })
        frame.writeStaticString("event: changes\nid: ")
        frame.writeString(id)
        frame.writeStaticString("\ndata: {\"documents\":{")
        for (index, document) in documents.enumerated() {
            if index > 0 { frame.writeStaticString(",") }
            frame.writeBytes(JSONWriter.bytes(of: .string(document.topic)))
            frame.writeStaticString(":")
            if let value = document.value { frame.writeBytes(value) } else { frame.writeStaticString("null") }
        }
        frame.writeStaticString("}}\n\n")
        return frame
    }

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

    static func array(_ elements: [[UInt8]]) -> [UInt8] {
        [UInt8(ascii: "[")] + Array(elements.joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "]")]
    }

    private static func hasLineEnds(_ data: [UInt8]) -> Bool {
        data.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            return memchr(start, 0x0A, bytes.count) != nil || memchr(start, 0x0D, bytes.count) != nil
        }
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
        // Nearly all data is one line of JSON.
        let lines =
            self.hasLineEnds(data)
            ? data.split(omittingEmptySubsequences: false, whereSeparator: { $0 == 0x0A || $0 == 0x0D }) : [data[...]]
        for line in lines {
            frame.writeStaticString("\ndata: ")
            frame.writeBytes(line)
        }
        frame.writeStaticString("\n\n")
        return frame
    }
}

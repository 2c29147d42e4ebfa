import Foundation
import TestSupport
import Testing

@testable import BridgeCore

/// `config/schema/commands` accepts the JSON payloads that the parser accepts, and no others.
@Suite("The schemas of commands")
struct CommandSchemaTests {
    private let schemas: TopicSchemas

    init() throws { self.schemas = try TopicSchemas.shipped.get() }

    /// Rules that no schema can express: the user's configuration, members that depend on others, and how a number was written.
    static let unsaid: Set<String> = [
        #"set {"muted":1.0e0}"#, #"set {"volume":5,"custom_data":1}"#,
        #"cmd/load {"url":"http://h/a.mp3","app":"frobnicator"}"#, #"cmd/load {"url":"some-id","app":"CC1AD845"}"#,
        #"cmd/load {"url":"media-source://tts/x","content_type":"music"}"#,
        #"cmd/load {"url":"http://h/a.mp3","metadata":{"series":"a","series_title":"b"}}"#,
        #"cmd/load {"url":"http://h/a.mp3","launch":{},"enqueue":"add"}"#,
        #"cmd/load {"url":"http://h/a.mp3","title":"x","metadata":{"title":"y"}}"#,
        #"cmd/load {"url":"http://h/a.mp3","image":"http://h/i","metadata":{"images":["http://h/i"]}}"#,
        #"cmd/load {"url":"http://h/a.mp3","tracks":[{"id":1},{"id":1}]}"#,
        #"cmd/load {"url":"http://h/a.mp3","tracks":[{"id":1,"type":"audio","subtype":"subtitles"}]}"#,
        #"cmd/load {"url":"http://h/a.mp3","tracks":[{"id":1,"url":"http://h/subs"}]}"#,
        #"cmd/load {"url":"http://h/a.mp3","tracks":[{"id":1}],"active_tracks":[2]}"#,
        #"cmd/load {"url":"http://h/a.mp3","credentials_type":"ios"}"#,
        #"cmd/load {"url":"http://h/a.mp3","atv_credentials_type":"x"}"#,
        #"cmd/load {"url":"http://h/a.mp3","atv_credentials":"x","enqueue":"add"}"#,
        #"set/text_style {"font_scale":1,"fontScale":2}"#,
        #"cmd/queue_insert {"items":["http://h/a.mp3"],"at":"next","before":5}"#,
        #"cmd/queue_insert {"items":["http://h/a.mp3"],"play":1}"#, #"cmd/queue_insert {"items":["http://h/a.mp3"],"position":5}"#,
        #"cmd/queue_load {"items":["http://h/a.mp3"],"start":1}"#, #"cmd/queue_load {"items":["http://h/a.mp3"],"app":"x"}"#,
        #"cmd/queue_update {"item":5,"position":5,"start_time":5}"#,
        #"cmd/queue_move {"item":1,"before":1}"#, #"get/state {"all":true}"#,
    ]

    private func isValid(_ tail: String, _ payload: String) throws -> Bool? {
        let name = tail.hasPrefix("get/") ? "get" : tail
        let id = TopicSchemas.root + "commands/\(name).json"
        guard self.schemas.validator.ids.contains(id), let value = try? JSONTree(Data(payload.utf8)) else { return nil }
        return try self.schemas.validator.violations(of: value, schema: id).isEmpty
    }

    @Test("refuse every JSON payload that the parser refuses, as far as a schema can")
    func refused() throws {
        var checked = 0
        for hostile in HostilePayloadTests.all where hostile.code == .badPayload {
            let payload = String(decoding: hostile.payload, as: UTF8.self)
            guard payload.hasPrefix("{") || payload.hasPrefix("["), let isValid = try self.isValid(hostile.tail, payload) else { continue }
            checked += 1
            let message = "\(hostile.tail) \(payload)"
            #expect(isValid == (Self.unsaid.contains(message) || AdArgumentsTests.unsaid.contains(message)), "\(message)")
        }
        #expect(checked >= 150)
    }

    @Test("accept every example of the guide, which the parser accepts too")
    func examples() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/TOPICS.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        var checked = 0
        for part in text.components(separatedBy: "\n```json command ").dropFirst() {
            let lines = part.components(separatedBy: "\n```")[0].split(separator: "\n", maxSplits: 1).map(String.init)
            #expect(try self.isValid(lines[0], lines[1]) == true, "\(lines[0])")
            checked += 1
        }
        #expect(checked >= 14)
    }

    @Test("are there for every property, every verb and the JSON form, each with an id of its version")
    func complete() throws {
        let ids = self.schemas.validator.ids.filter { $0.hasPrefix(TopicSchemas.root + "commands/") }
        let names = Set(ids.map { String($0.dropFirst((TopicSchemas.root + "commands/").count).dropLast(5)) })
        let wanted =
            Verb.allCases.map { "cmd/\($0.rawValue)" } + PropertyArguments.names.map { "set/\($0)" }
            + BridgeVerb.allCases.map { "bridge/request/\($0.rawValue)" } + ["common", "set", "cmd", "get"]
        #expect(names == Set(wanted))
    }

    @Test("take each verb in the JSON form too, with the arguments that its topic takes", arguments: Verb.allCases.map(\.rawValue))
    func envelope(verb: String) throws {
        for arguments in ["[false]", #"{"id":"a"}"#, #"{"timeout":null}"#] {
            #expect(try self.isValid("cmd", #"{"cmd":"\#(verb)","args":\#(arguments)}"#) == false, "\(arguments)")
        }
        for payload in ["null", #""http://h/a.mp3""#, "[1]", "5", "{}", #"{"url":"http://h/a.mp3"}"#, #"{"item":1,"to":0}"#] {
            let form = #"{"cmd":"\#(verb)","id":"a","args":\#(payload)}"#
            #expect(try self.isValid("cmd", form) == self.isValid("cmd/\(verb)", payload), "\(payload)")
        }
    }
}

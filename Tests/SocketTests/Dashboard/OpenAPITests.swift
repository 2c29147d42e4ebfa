import CastModels
import Foundation
import Hummingbird
import Logging
import TestSupport
import Testing

@testable import BridgeCore
@testable import Dashboard

@Suite("The description of the API")
struct OpenAPITests {
    private static let id = "urn:openapi"
    private static let text = String(decoding: PackageResources.openapi_json, as: UTF8.self)

    private func document() throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(Self.text.utf8)) as? [String: Any])
    }

    private func validator() throws -> SchemaValidator {
        var document = try self.document()
        document["$id"] = Self.id
        return try SchemaValidator([JSONSerialization.data(withJSONObject: document)])
    }

    /// The rules of a named schema that a value breaks.
    private func violations(_ text: String, _ schema: String) throws -> [SchemaValidator.Violation] {
        try self.validator().violations(of: JSONTree(Data(text.utf8)), schema: "\(Self.id)#/components/schemas/\(schema)")
    }

    @Test("names exactly the routes of the API")
    func routes() throws {
        let bridge = ModelBridge()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let hub = EventHub(bridge: bridge, logger: logger)
        let router = Router(context: DashboardContext.self)
        DashboardAPI(bridge: bridge, hub: hub, page: [:], settings: ModelSettings()).add(to: router)
        SessionRoutes(
            access: AccessControl(WebOptions(), now: EventHub.uptime), instance: "home", version: "1", settings: ModelSettings(),
            logger: logger
        )
        .add(to: router)
        // `{document}` and `{topic}` are the rest of a path.
        let rests = ["/devices/{device}/**": "/devices/{device}/{document}", "/commands/**": "/commands/{topic}"]
        let routes = Set(
            router.routes.map { route in
                let path = "\(route.path)".replacing("/api/v1", with: "").replacing("${device}", with: "{device}")
                    .replacing(":device", with: "{device}").replacing("${key}", with: "{key}").replacing(":key", with: "{key}")
                return "\(route.method) \(rests[path] ?? path)".lowercased()
            })
        let paths = try #require(try self.document()["paths"] as? [String: [String: Any]])
        let described = Set(
            paths.filter { $0.value["servers"] == nil }.flatMap { path, operations in operations.keys.map { "\($0) \(path)" } })
        #expect(routes == described)
    }

    @Test("has references that lead somewhere, and names of its own for operations")
    func references() throws {
        let document = try self.document()
        for part in Self.text.components(separatedBy: #""$ref": ""#).dropFirst() {
            let reference = part.prefix { $0 != "\"" }
            var value: Any? = document
            for step in reference.dropFirst(2).split(separator: "/") { value = (value as? [String: Any])?[String(step)] }
            #expect(value != nil, "\(reference)")
        }
        let names = Self.text.components(separatedBy: #""operationId": ""#).dropFirst().map { $0.prefix { $0 != "\"" } }
        #expect(Set(names).count == names.count && names.count > 15)
    }

    @Test("names every role, code and level")
    func words() throws {
        let schemas = try #require((try self.document()["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]])
        func words(_ schema: String, _ property: String? = nil, _ member: String = "enum") throws -> [String] {
            let whole = try #require(schemas[schema])
            let value = property.map { (whole["properties"] as? [String: [String: Any]])?[$0] } ?? whole
            return try #require(value?[member] as? [Any]).compactMap { $0 as? String }
        }
        #expect(try words("Session", "role") == WebRole.allCases.map(\.rawValue))
        #expect(try words("Answer", "code", "examples") == AnswerCode.allCases.map(\.rawValue))
        #expect(try words("LogLevel") == LogLevel.allCases.map(\.rawValue))
    }

    @Test("is what the API answers")
    func answers() async throws {
        try await APIServer.run { server in
            func check(_ answer: APIAnswer, _ schema: String) throws {
                let violations = try self.violations(answer.text, schema)
                #expect(violations == [], "\(schema): \(answer.text)")
            }
            try check(try await server.request("state"), "State")
            try check(try await server.request("changes"), "Changes")
            try check(try await server.request("session"), "Session")
            for path in ["nothing", "devices/nobody", "artwork/nobody", "log?level=loud", "devices/tv/queue"] {
                try check(try await server.request(path), "Error")
            }
            try check(try await server.request("GET", "state", role: nil, ["Authorization": "Bearer x"]), "Error")
            let history = try await server.request("history?since=2026-11-20T00:00:00Z&limit=5", role: .view)
            let event = JSONWriter.string(of: try #require(history.json["events"]?.arrayValue?.first))
            #expect(try self.violations(event, "HistoryEvent") == [])
            #expect(try await server.request("history?since=yesterday").code == "bad_query")
            #expect(try await server.request("history?limit=0").code == "bad_query")
            let own = try await server.request("openapi.json")
            #expect(own.status == 200 && own.json["openapi"] == "3.1.0")
        }
        let envelope = CommandEnvelope(
            target: .device("tv"), name: "cmd/pause", topic: "", id: .number(1),
            received: Now(monotonic: .init(nanoseconds: 0), wall: .init(milliseconds: 0)))
        for code in AnswerCode.allCases {
            let answer = CommandAnswer(to: envelope, CommandResult(code, message: "a"), now: .init(nanoseconds: 1))
            let message = AnswerWriter(topics: TopicTree(base: "b")).messages(for: answer, slug: "tv").answer
            #expect(try self.violations(String(decoding: message.payload(at: .init(milliseconds: 0)), as: UTF8.self), "Answer") == [])
        }
        let line = LogEntry(line: LogLine(level: .info, source: "a", message: "b", data: ["c": "d"]), time: Timestamp(milliseconds: 0))
        #expect(try self.violations(String(decoding: line.json, as: UTF8.self), "LogLine") == [])
    }
}

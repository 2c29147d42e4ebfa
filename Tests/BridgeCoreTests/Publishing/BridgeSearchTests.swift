import CastModels
import Testing

@testable import BridgeCore

@Suite("The search for a bridge")
struct BridgeSearchTests {
    enum Message: Sendable { case online, offline, cleared, info, ours, answer, otherRequest, otherAnswer, rubbish }

    private static let other: RunningBridge = {
        var other = RunningBridge()
        (other.instance, other.version, other.startedAt) = ("home", "0.1.0", "2026-11-21T14:03:22.910Z")
        return other
    }()

    private func incoming(_ message: Message, _ search: BridgeSearch) -> IncomingMessage {
        let ours = String(decoding: search.request.payload, as: UTF8.self)
        let info = #"""
            {"schema":1,"instance":"home","version":"0.1.0","started_at":"2026-11-21T14:03:22.910Z","mqtt":{"client_id":null}}
            """#
        let (name, payload) =
            switch message {
            case .online: ("state", "online")
            case .offline: ("state", "offline")
            case .cleared: ("state", "")
            case .info: ("info", info)
            case .ours: ("request/health_check", ours)
            case .answer: ("response/health_check", #"{"code":"done","id":"probe-2a"}"#)
            case .otherRequest: ("request/health_check", #"{"id":"probe-2b"}"#)
            case .otherAnswer: ("response/health_check", #"{"code":"done","id":"probe-2b"}"#)
            case .rubbish: ("response/health_check", "{")
            }
        return IncomingMessage(topic: "home/cast/bridge/" + name, payload: Array(payload.utf8), qos: 0, retain: false)
    }

    @Test(
        "each sequence of messages has its result",
        arguments: [
            ([], nil), ([.ours], .absent), ([.offline, .info, .ours], .absent), ([.cleared, .ours], .absent), ([.info, .ours], .absent),
            ([.online, .info, .ours], nil), ([.online, .info, .ours, .answer], .answered(by: Self.other)),
            ([.online, .info, .answer], .answered(by: Self.other)), ([.answer], .answered(by: RunningBridge())),
            ([.online, .otherRequest, .ours, .otherAnswer], nil), ([.online, .ours, .rubbish], nil), ([.otherRequest], nil),
            ([.online, .offline, .ours], .absent), ([.rubbish, .otherAnswer, .ours], .absent),
        ] as [([Message], BridgeSearch.Finding?)])
    func sequences(messages: [Message], finding: BridgeSearch.Finding?) {
        var search = BridgeSearch(topics: TopicTree(base: "home/cast"), nonce: 42)
        var found: BridgeSearch.Finding?
        for message in messages where found == nil { found = search.received(self.incoming(message, search)) }
        #expect(found == finding)
    }

    @Test("info that cannot be read reports nothing")
    func damaged() {
        #expect(RunningBridge(information: Array("{\"instance\":7,\"mqtt\":[]}".utf8)) == RunningBridge())
        #expect(RunningBridge(information: Array("[".utf8)) == RunningBridge())
    }

    @Test("the request is read as a health check, and asks for no answer elsewhere")
    func request() {
        let search = BridgeSearch(topics: TopicTree(base: "home/cast"), nonce: 42)
        #expect(search.request.topic == "home/cast/bridge/request/health_check")
        #expect(search.request.payload == Array(#"{"id":"probe-2a"}"#.utf8) && !search.request.retain)
        #expect(search.filters.count == 4 && !search.filters.contains { $0.contains("+") || $0.contains("#") })
    }
}

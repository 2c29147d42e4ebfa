import CastModels
import Testing

@testable import BridgeCore

@Suite("The look for another bridge")
struct OtherBridgeProbeTests {
    enum Message: Sendable { case online, offline, cleared, info, ours, answer, otherRequest, otherAnswer, rubbish }

    private static let other: OtherBridge = {
        var other = OtherBridge()
        (other.instance, other.version, other.clientID, other.startedAt) = ("home", "0.1.0", "cast2mqtt-home", "2026-11-21T14:03:22.910Z")
        return other
    }()

    private func incoming(_ message: Message, _ probe: OtherBridgeProbe) -> IncomingMessage {
        let ours = String(decoding: probe.request.payload, as: UTF8.self)
        let info = #"""
            {"schema":1,"instance":"home","version":"0.1.0","started_at":"2026-11-21T14:03:22.910Z","mqtt":{"client_id":"cast2mqtt-home"}}
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
        "Sequences of messages",
        arguments: [
            ([], nil), ([.ours], .alone), ([.offline, .info, .ours], .alone), ([.cleared, .ours], .alone), ([.info, .ours], .alone),
            ([.online, .info, .ours], nil), ([.online, .info, .ours, .answer], .occupied(by: Self.other)),
            ([.online, .info, .answer], .occupied(by: Self.other)), ([.answer], .occupied(by: OtherBridge())),
            ([.online, .otherRequest, .ours, .otherAnswer], nil), ([.online, .ours, .rubbish], nil), ([.otherRequest], nil),
            ([.online, .offline, .ours], .alone), ([.rubbish, .otherAnswer, .ours], .alone),
        ] as [([Message], OtherBridgeProbe.Verdict?)])
    func sequences(messages: [Message], verdict: OtherBridgeProbe.Verdict?) {
        var probe = OtherBridgeProbe(topics: TopicTree(base: "home/cast"), nonce: 42)
        var found: OtherBridgeProbe.Verdict?
        for message in messages where found == nil { found = probe.received(self.incoming(message, probe)) }
        #expect(found == verdict)
    }

    @Test("Info that can't be read says nothing")
    func damaged() {
        #expect(OtherBridge(information: Array("{\"instance\":7,\"mqtt\":[]}".utf8)) == OtherBridge())
        #expect(OtherBridge(information: Array("[".utf8)) == OtherBridge())
    }

    @Test("The request is read as a health check, and asks for no answer elsewhere")
    func request() {
        let probe = OtherBridgeProbe(topics: TopicTree(base: "home/cast"), nonce: 42)
        #expect(probe.request.topic == "home/cast/bridge/request/health_check")
        #expect(probe.request.payload == Array(#"{"id":"probe-2a"}"#.utf8) && !probe.request.retain)
        #expect(probe.filters.count == 4 && !probe.filters.contains { $0.contains("+") || $0.contains("#") })
    }
}

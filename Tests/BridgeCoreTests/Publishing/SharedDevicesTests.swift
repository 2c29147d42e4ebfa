import CastModels
import Testing

@testable import BridgeCore

@Suite("Devices that another bridge publishes too")
struct SharedDevicesTests {
    private static let list = #"[{"id":"a","online":true},{"id":"b","online":false},{"id":"c","online":true},{"id":"d","online":true}]"#

    @Test(
        "are those that a bridge which is online can reach, whatever comes first",
        arguments: [
            ([("attic/bridge/state", "online"), ("attic/bridge/devices", list)], ["attic a", "attic d"]),
            ([("attic/bridge/devices", list), ("attic/bridge/state", "online")], ["attic a", "attic d"]),
            ([("attic/bridge/devices", list)], []),
            ([("attic/bridge/devices", list), ("attic/bridge/state", "offline")], []),
            ([("attic/bridge/state", "online"), ("attic/bridge/devices", list), ("attic/bridge/state", "offline")], []),
            ([("attic/bridge/state", "online"), ("attic/bridge/devices", list), ("attic/bridge/devices", "[]")], []),
            (
                [
                    ("b/bridge/state", "online"), ("a/bridge/state", "online"), ("b/bridge/devices", #"[{"id":"a","online":true}]"#),
                    ("a/bridge/devices", #"[{"id":"a","online":true},{"id":"a","online":true}]"#),
                ], ["a a", "b a"]
            ),
            ([("home/bridge/state", "online"), ("home/bridge/devices", list)], []),
            ([("attic/bridge/state", "online"), ("attic/bridge/devices", "{")], []),
            ([("attic/bridge/state", "online"), ("attic/bridge/devices", #"[1,{"id":7,"online":true},{"online":true}]"#)], []),
        ] as [([(String, String)], [String])])
    func findings(messages: [(String, String)], expected: [String]) {
        var search = SharedDevices(topics: TopicTree(base: "home"))
        for (topic, text) in messages {
            let message = IncomingMessage(topic: topic, payload: Array(text.utf8), retain: true)
            let isTaken = search.received(message, ours: ["a", "b", "d"])
            #expect(isTaken == !topic.hasPrefix("home/"))
        }
        #expect(search.findings.map { "\($0.base) \($0.id)" } == expected)
    }

    @Test("are looked for below bases of one and two levels, and of as many as our own")
    func filters() {
        let usual = ["+/bridge/state", "+/bridge/devices", "+/+/bridge/state", "+/+/bridge/devices"]
        #expect(SharedDevices(topics: TopicTree(base: "home")).filters == usual)
        #expect(SharedDevices(topics: TopicTree(base: "hotel/cast")).filters == usual)
        #expect(SharedDevices(topics: TopicTree(base: "a/b/c")).filters == usual + ["+/+/+/bridge/state", "+/+/+/bridge/devices"])
    }

    @Test("leave messages of devices and commands to others")
    func others() {
        var search = SharedDevices(topics: TopicTree(base: "home"))
        for topic in ["home/kitchen/state", "home/bridge/request/restart", "home/bridge/devices/x", "bridge/devices", "state"] {
            let isTaken = search.received(IncomingMessage(topic: topic, payload: [], retain: true), ours: [])
            #expect(!isTaken, "\(topic)")
        }
    }
}

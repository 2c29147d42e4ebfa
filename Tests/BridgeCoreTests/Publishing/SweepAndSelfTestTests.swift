import BridgeCore
import CastModels
import Testing

@Suite("The sweep at start-up")
struct StartUpSweepTests {
    private let start = MonotonicTime(nanoseconds: 0)

    private func sweep() -> StartUpSweep {
        var sweep = StartUpSweep(
            topics: TopicTree(base: "base"), instance: "home", names: ["state", "info", "availability", "status/volume"])
        sweep.begin(now: self.start)
        return sweep
    }

    private func info(_ slug: String, instance: String = "home") -> [UInt8] {
        JSONWriter.bytes(of: ["schema": 1, "slug": .string(slug), "instance": .string(instance)])
    }

    @Test("asks for three topics of every device")
    func filters() { #expect(self.sweep().topicFilters == ["base/+/availability", "base/+/state", "base/+/info"]) }

    @Test("finds what this instance left behind, availability last, and touches nothing that is known, foreign, or without proof")
    func findings() {
        var sweep = self.sweep()
        let messages: [(String, [UInt8])] = [
            ("base/gone/availability", Array("offline".utf8)), ("base/gone/info", self.info("gone")),
            ("base/known/info", self.info("known")),
            ("base/other/info", self.info("other", instance: "garden")), ("base/proofless/state", Array(#"{"schema":1}"#.utf8)),
            ("base/liar/info", self.info("victim")), ("base/bridge/state", Array("online".utf8)), ("base/broken/info", Array("{".utf8)),
            ("base/noschema/info", Array(#"{"slug":"noschema","instance":"home"}"#.utf8)), ("elsewhere/x/info", self.info("x")),
            ("base/a/b/info", self.info("a")),
        ]
        for (topic, payload) in messages { sweep.received(topic: topic, payload: payload, retain: true, now: self.start) }
        sweep.received(topic: "base/live/info", payload: self.info("live"), retain: false, now: self.start)
        let found = sweep.finish(keeping: ["known"], now: self.start + .seconds(2))
        #expect(found?.map(\.slug) == ["gone"])
        #expect(found?.first?.topics == ["base/gone/info", "base/gone/state", "base/gone/status/volume", "base/gone/availability"])
    }

    @Test("ends after two seconds of silence, and after ten in any case")
    func end() {
        var sweep = self.sweep()
        #expect(sweep.deadline == self.start + .seconds(2))
        #expect(sweep.finish(keeping: [], now: self.start + .milliseconds(1999)) == nil)
        for tenth in 1...120 {
            sweep.received(topic: "base/x/state", payload: [0x7B], retain: true, now: self.start + .milliseconds(tenth * 100))
        }
        #expect(sweep.deadline == self.start + .seconds(10))
        #expect(sweep.finish(keeping: [], now: self.start + .seconds(10)) == [])
    }

    @Test("begins anew after a broken link")
    func interrupted() {
        var sweep = self.sweep()
        sweep.received(topic: "base/gone/info", payload: self.info("gone"), retain: true, now: self.start)
        sweep.interrupted()
        #expect(sweep.deadline == nil)
        #expect(sweep.finish(keeping: [], now: self.start + .seconds(20)) == nil)
        sweep.begin(now: self.start + .seconds(20))
        #expect(sweep.finish(keeping: [], now: self.start + .seconds(22)) == [])
    }
}

@Suite("The self-test")
struct SelfTestTests {
    private let start = MonotonicTime(nanoseconds: 0)

    private func envelope(of message: OutgoingMessage) throws -> CommandEnvelope {
        let incoming = IncomingMessage(topic: message.topic, payload: message.payload(at: Timestamp(milliseconds: 0)), qos: 1)
        let outcome = CommandParser(topics: topics).parse(incoming, now: parserNow)
        #expect(outcome.bridge == .healthCheck)
        return try #require(outcome.envelope)
    }

    @Test("passes when its health check comes back")
    func passes() throws {
        var test = SelfTest(topics: topics)
        let message = test.begin(nonce: 77, now: self.start)
        #expect(message.topic == "cast2mqtt/bridge/request/health_check")
        #expect(!message.retain)
        test.received(try self.envelope(of: message))
        #expect(test.deadline == nil)
        #expect(test.wake(now: self.start + .seconds(60)) == .none)
    }

    @Test("fails once when it doesn't, though others' health checks come")
    func fails() throws {
        var test = SelfTest(topics: topics)
        _ = test.begin(nonce: 1, now: self.start)
        var other = SelfTest(topics: topics)
        test.received(try self.envelope(of: other.begin(nonce: 2, now: self.start)))
        #expect(test.wake(now: self.start + .milliseconds(9999)) == .none)
        #expect(test.wake(now: self.start + .seconds(10)) == .failed)
        #expect(test.wake(now: self.start + .seconds(20)) == .none)
    }

    @Test("says nothing when the link broke meanwhile")
    func interrupted() {
        var test = SelfTest(topics: topics)
        _ = test.begin(nonce: 1, now: self.start)
        test.interrupted()
        #expect(test.wake(now: self.start + .seconds(20)) == .none)
    }
}

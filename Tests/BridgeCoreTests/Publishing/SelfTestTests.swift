import BridgeCore
import CastModels
import Testing

@Suite("The self-test")
struct SelfTestTests {
    private let start = MonotonicTime(nanoseconds: 0)

    private func envelope(of message: OutgoingMessage) throws -> CommandEnvelope {
        let incoming = IncomingMessage(topic: message.topic, payload: message.payload(at: Timestamp(milliseconds: 0)), qos: 1)
        let outcome = CommandParser(topics: topics).parse(incoming, now: parserNow)
        #expect(outcome.bridge == .healthCheck)
        return try #require(outcome.envelope)
    }

    @Test("passes when its health check is delivered")
    func passes() throws {
        var test = SelfTest(topics: topics)
        let message = test.begin(nonce: 77, now: self.start)
        #expect(message.topic == "cast2mqtt/bridge/request/health_check")
        #expect(!message.retain)
        test.received(try self.envelope(of: message))
        #expect(test.deadline == nil)
        #expect(test.wake(now: self.start + .seconds(60)) == false)
    }

    @Test("fails once when it doesn't, though others' health checks come")
    func fails() throws {
        var test = SelfTest(topics: topics)
        _ = test.begin(nonce: 1, now: self.start)
        var other = SelfTest(topics: topics)
        test.received(try self.envelope(of: other.begin(nonce: 2, now: self.start)))
        #expect(test.wake(now: self.start + .milliseconds(9999)) == false)
        #expect(test.wake(now: self.start + .seconds(10)) == true)
        #expect(test.wake(now: self.start + .seconds(20)) == false)
    }

    @Test("reports nothing when the link broke meanwhile")
    func interrupted() {
        var test = SelfTest(topics: topics)
        _ = test.begin(nonce: 1, now: self.start)
        test.interrupted()
        #expect(test.wake(now: self.start + .seconds(20)) == false)
    }
}

import NIOCore
import Testing

@testable import Dashboard

@Suite("The time that a connection may take") struct ConnectionClockTests {
    private enum Step: Sendable {
        case bytes
        case event(ConnectionClock.Event)
        case wrote, left
    }

    private static let start = NIODeadline.uptimeNanoseconds(0)

    /// The seconds after the last of the steps, one second apart, when the connection is closed.
    private static func limit(_ steps: [Step]) -> Int64? {
        var clock = ConnectionClock(.init(), now: Self.start)
        var now = Self.start
        for step in steps {
            now = now + .seconds(1)
            switch step {
            case .bytes: clock.received(now: now)
            case .wrote: clock.wrote()
            case .left: clock.left(now: now)
            case .event(let event): clock.handle(event, now: now)
            }
        }
        return clock.deadline.map { ($0 - now).nanoseconds / 1_000_000_000 }
    }

    @Test("a head takes 10 seconds, however many bytes of it come")
    func head() {
        #expect(Self.limit([]) == 10)
        #expect(Self.limit([.bytes, .bytes, .bytes]) == 7)
    }

    @Test("a head that is complete waits for its route any time")
    func busy() {
        #expect(Self.limit([.bytes, .event(.headReceived)]) == nil)
        #expect(Self.limit([.bytes, .event(.headReceived), .bytes, .event(.headReceived), .event(.requestBegan(hasBody: true))]) == 30)
        // The bytes after the head were of the body, so none of a next request wait.
        let whole: [Step] = [.event(.bodyRead), .event(.answering(isStream: false)), .event(.answered)]
        #expect(Self.limit([.bytes, .event(.headReceived), .bytes, .event(.requestBegan(hasBody: true))] + whole) == 60)
    }

    @Test("a body takes 30 seconds, the work of a route any time")
    func body() {
        let body = Step.event(.requestBegan(hasBody: true))
        #expect(Self.limit([.bytes, body, .bytes, .bytes]) == 28)
        #expect(Self.limit([.bytes, body, .event(.bodyRead)]) == nil)
        #expect(Self.limit([.bytes, .event(.requestBegan(hasBody: false))]) == nil)
    }

    @Test("an answer is taken within 30 seconds, a stream of events at any pace")
    func answer() {
        let begin: [Step] = [.bytes, .event(.requestBegan(hasBody: false))]
        #expect(Self.limit(begin + [.event(.answering(isStream: false)), .bytes]) == 29)
        #expect(Self.limit(begin + [.event(.answering(isStream: true))]) == nil)
    }

    @Test("an answer ends when its last piece has left, and each piece that leaves gives the next one as much time")
    func pieces() {
        let begin: [Step] = [.bytes, .event(.requestBegan(hasBody: false)), .event(.answering(isStream: false)), .wrote, .wrote]
        #expect(Self.limit(begin + [.event(.answered)]) == 27)
        #expect(Self.limit(begin + [.event(.answered), .left]) == 30)
        #expect(Self.limit(begin + [.event(.answered), .left, .left]) == 60)
        #expect(Self.limit(begin + [.left, .left, .event(.answered)]) == 60)
        #expect(Self.limit(begin + [.event(.closing), .left]) == 30)
        #expect(Self.limit(begin + [.event(.closing), .left, .left]) == 2)
        // The next request is read while the last pieces of this answer wait.
        let next: [Step] = [.event(.answered), .bytes, .event(.requestBegan(hasBody: false))]
        #expect(Self.limit(begin + next + [.left, .left]) == nil)
        // The end of a stream whose reader does not read.
        let stream: [Step] = [.bytes, .event(.requestBegan(hasBody: false)), .event(.answering(isStream: true)), .wrote]
        #expect(Self.limit(stream + [.event(.answered)]) == 30)
    }

    @Test("at the end of the program only a request that has no answer yet keeps it")
    func ending() {
        let request: [Step] = [.bytes, .event(.requestBegan(hasBody: false))]
        let answer: [Step] = [.event(.answering(isStream: false)), .wrote]
        #expect(Self.limit([.event(.ending)]) == 0)
        #expect(Self.limit(request + [.event(.ending)]) == nil)
        #expect(Self.limit(request + answer + [.event(.ending)]) == 28)
        #expect(Self.limit(request + [.event(.ending)] + answer + [.event(.answered), .left]) == 0)
        #expect(Self.limit(request + answer + [.left, .event(.answered), .event(.ending)]) == 0)
        #expect(Self.limit(request + [.event(.answering(isStream: true)), .event(.ending)]) == 0)
    }

    @Test("between requests it stays a minute, and the next head takes 10 seconds again")
    func idle() {
        let whole: [Step] = [
            .bytes, .event(.requestBegan(hasBody: false)), .event(.answering(isStream: false)), .event(.answered),
        ]
        #expect(Self.limit(whole) == 60)
        #expect(Self.limit(whole + [.bytes]) == 10)
        #expect(Self.limit(whole + [.bytes, .bytes]) == 9)
        // A next request that began before the answer ended.
        #expect(Self.limit(Array(whole.dropLast()) + [.bytes, .event(.answered)]) == 10)
    }

    @Test("the last answer has 2 seconds, whatever comes")
    func closing() {
        #expect(Self.limit([.bytes, .event(.closing), .bytes, .event(.answered)]) == 0)
    }
}

import BridgeCore
import CastModels
import Testing

@Suite("The commands of several callers")
struct CallerTests {
    @Test(
        "with one id are one only when caller and content are the same",
        arguments: [
            ("a", mute, true), ("b", mute, false), (nil, mute, false), ("a", volume(30), false), ("a", .pause, false), ("b", .pause, false),
        ] as [(String?, DeviceCommand, Bool)])
    func ids(caller: String?, command: DeviceCommand, isRepeat: Bool) {
        for isWaiting in [false, true] {
            var fixture = DeviceCommandQueueFixture()
            fixture.send(mute, id: .number(7), from: "a")
            if !isWaiting { fixture.finishLast() }
            let second = fixture.send(command, id: .number(7), from: caller)
            for _ in 0..<2 { for command in fixture.started { fixture.finish(command.ticket) } }
            #expect(fixture.started.count == (isRepeat ? 1 : 2))
            #expect(fixture.codes(second) == [isRepeat ? .duplicate : .done])
            #expect(fixture.codes(0) == [.done])
        }
    }

    @Test("without a response topic, which tells nothing of the caller, are one when id and content are the same")
    func unknown() {
        var fixture = DeviceCommandQueueFixture()
        for command in [volume(by: 5), volume(by: 5), volume(by: -5)] {
            fixture.send(command, id: .text("x"))
            fixture.finishLast()
            fixture.advance(.seconds(1))
        }
        fixture.finishLast()
        #expect(fixture.started.count == 2)
        #expect(fixture.codes(1) == [.duplicate] && fixture.codes(2) == [.done])
    }

    @Test("to all devices follow the same rule")
    func fanOut() {
        var fanOut = FanOut()
        let now = MonotonicTime(nanoseconds: 1)
        func admit(_ command: DeviceCommand, from caller: String) -> Bool {
            var envelope = CommandEnvelope(
                target: .all, name: "x", topic: "x", id: .number(1), received: Now(monotonic: now, wall: Timestamp(milliseconds: 0)))
            envelope.caller = .direct(caller)
            if case .begin = fanOut.admit(envelope, command, slugs: ["tv"], now: now) { return true }
            return false
        }
        #expect(admit(.pause, from: "a"))
        #expect(!admit(.pause, from: "a"), "a repeat")
        #expect(admit(.play, from: "a") && admit(.pause, from: "b"))
    }

    @Test("that read take no room from those that act, and the reverse", arguments: [true, false])
    func reading(readsFirst: Bool) {
        var fixture = DeviceCommandQueueFixture()
        let (reading, acting) = (Array(repeating: DeviceCommand.get(.state), count: 50), Array(repeating: DeviceCommand.next, count: 20))
        for command in readsFirst ? reading + acting : acting + reading {
            fixture.send(command, from: command == .next ? "control" : "view")
        }
        #expect(fixture.answers.count == 17, "50 less one that runs and 32 that wait")
        #expect(fixture.answers.allSatisfy { $0.result.code == .rateLimited && $0.envelope.caller == .responseTopic("view") })
    }

    @Test("share the room: the caller with the most gives up its newest")
    func room() {
        var fixture = DeviceCommandQueueFixture()
        for _ in 0..<40 { fixture.send(.next, from: "busy") }
        #expect((0..<40).map { fixture.codes($0).isEmpty } == Array(repeating: true, count: 33) + Array(repeating: false, count: 7))
        let others = (0..<16).map { _ in fixture.send(.previous, from: "other") }
        #expect(others.allSatisfy { fixture.codes($0).isEmpty })
        #expect(fixture.codes(32) == [.rateLimited] && fixture.codes(17) == [.rateLimited] && fixture.codes(16).isEmpty)
        let more = fixture.send(.previous, from: "other")
        #expect(fixture.codes(more) == [.rateLimited], "each of the two has half")
        #expect(fixture.codes(fixture.send(.play, from: "third")).isEmpty)
    }
}

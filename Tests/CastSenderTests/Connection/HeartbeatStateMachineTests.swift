import NIOCore
import Testing

@testable import CastSender

@Suite struct HeartbeatStateMachineTests {
    enum State: CaseIterable { case idle, listening, pinged, dead }

    /// A machine in `state` at 0 s; `pinged` pinged at 5 s.
    private static func machine(_ state: State) -> HeartbeatStateMachine {
        var machine = HeartbeatStateMachine()
        switch state {
        case .idle: break
        case .listening: machine.start(now: .seconds(0))
        case .pinged:
            machine.start(now: .seconds(0))
            _ = machine.tick(now: .seconds(5))
        case .dead:
            machine.start(now: .seconds(0))
            machine.stop()
        }
        return machine
    }

    @Test(
        "a tick does what the state and the silence ask for",
        arguments: [
            (State.idle, 100.0, HeartbeatStateMachine.TickAction.none),
            (.listening, 0, .wait(until: .seconds(5))),
            (.listening, 4.9, .wait(until: .seconds(5))),
            (.listening, 5, .sendPing(next: .seconds(10))),
            (.pinged, 5, .wait(until: .seconds(10))),
            (.pinged, 9.9, .wait(until: .seconds(10))),
            (.pinged, 10, .closeConnection),
            (.dead, 100, .none),
        ])
    func tick(state: State, at seconds: Double, action: HeartbeatStateMachine.TickAction) {
        var machine = Self.machine(state)
        #expect(machine.tick(now: .seconds(seconds)) == action)
    }

    @Test(
        "a probe pings at once unless something was just received or a ping is out",
        arguments: [
            (State.idle, 3.0, HeartbeatStateMachine.TickAction.none),
            (.listening, 1.9, .wait(until: .seconds(5))),
            (.listening, 2, .sendPing(next: .seconds(7))),
            (.pinged, 6, .wait(until: .seconds(10))),
            (.dead, 3, .none),
        ])
    func probe(state: State, at seconds: Double, action: HeartbeatStateMachine.TickAction) {
        var machine = Self.machine(state)
        #expect(machine.probe(now: .seconds(seconds)) == action)
    }

    @Test(
        "a frame is a sign of life only while the link is up",
        arguments: [
            (State.idle, HeartbeatStateMachine.TickAction.none), (.listening, .wait(until: .seconds(12))),
            (.pinged, .wait(until: .seconds(12))),
            (.dead, .none),
        ])
    func frame(state: State, after: HeartbeatStateMachine.TickAction) {
        var machine = Self.machine(state)
        machine.frameReceived(at: .seconds(7))
        #expect(machine.tick(now: .seconds(8)) == after)
    }

    @Test("starting again changes nothing", arguments: State.allCases)
    func startAgain(state: State) {
        var machine = Self.machine(state)
        var other = machine
        machine.start(now: .seconds(0))
        if state != .idle { #expect(machine.tick(now: .seconds(5)) == other.tick(now: .seconds(5))) }
    }

    @Test("after a stall of this process the peer still gets its time to answer")
    func stall() {
        var machine = Self.machine(.listening)
        #expect(machine.tick(now: .seconds(60)) == .sendPing(next: .seconds(65)))
        #expect(machine.tick(now: .seconds(64)) == .wait(until: .seconds(65)))
        #expect(machine.tick(now: .seconds(65)) == .closeConnection)
    }
}

extension NIODeadline {
    static func seconds(_ seconds: Double) -> NIODeadline { .uptimeNanoseconds(UInt64(seconds * 1e9)) }
}

import CastModels
import NIOCore
import Testing

@testable import CastSender

@Suite struct SupervisorStateMachineTests {
    typealias Action = SupervisorStateMachine.Action
    enum State: CaseIterable { case initial, homeless, waiting, queued, connecting, preparing, ready, stopped }
    enum Event: CaseIterable { case start, tick, permitted, failed, wake, addresses, noAddresses, stop }

    /// A machine in `state`; attempts begin at 0 s, `waiting` has failed at 0 s and waits until 1 s, `ready` is so since 0 s.
    private static func machine(_ state: State) -> SupervisorStateMachine {
        var machine = SupervisorStateMachine(policy: ReconnectPolicy(), hasEndpoints: state != .homeless)
        if state == .initial { return machine }
        _ = machine.start(now: .seconds(0))
        if state == .homeless || state == .queued { return machine }
        if state == .stopped {
            _ = machine.stop()
            return machine
        }
        _ = machine.permitted(now: .seconds(0))
        if state == .connecting { return machine }
        if state == .waiting {
            _ = machine.failed(now: .seconds(0), random: 1)
            return machine
        }
        machine.connected()
        if state == .preparing { return machine }
        machine.becameReady(now: .seconds(0))
        return machine
    }

    private static func send(_ event: Event, to machine: inout SupervisorStateMachine, at now: Double) -> Action {
        switch event {
        case .start: machine.start(now: .seconds(now))
        case .tick: machine.tick(now: .seconds(now))
        case .permitted: machine.permitted(now: .seconds(now))
        case .failed: machine.failed(now: .seconds(now), random: 1)
        case .wake: machine.wake(now: .seconds(now), random: 0.5)
        case .addresses: machine.endpointsChanged(isEmpty: false, now: .seconds(now), random: 0.5)
        case .noAddresses: machine.endpointsChanged(isEmpty: true, now: .seconds(now), random: 0.5)
        case .stop: machine.stop()
        }
    }

    /// The result of each event in each state at 0.4 s; an event that is not listed does nothing.
    private static let table: [State: [Event: Action]] = [
        .initial: [.start: .requestPermit(isSighted: false), .stop: .stop],
        .homeless: [.addresses: .requestPermit(isSighted: true), .stop: .stop],
        .waiting: [
            .tick: .wait(until: .seconds(1)), .wake: .wait(until: .seconds(0.9)), .addresses: .wait(until: .seconds(0.9)), .stop: .stop,
        ],
        .queued: [
            .permitted: .connect(deadline: .seconds(8.4)), .wake: .requestPermit(isSighted: true),
            .addresses: .requestPermit(isSighted: true), .stop: .stop,
        ],
        .connecting: [.failed: .retry(in: .seconds(1), at: .seconds(1.4), attempts: 1), .addresses: .connectAlso, .stop: .stop],
        .preparing: [.failed: .retry(in: .seconds(1), at: .seconds(1.4), attempts: 1), .stop: .stop],
        .ready: [
            .failed: .retry(in: .seconds(1), at: .seconds(1.4), attempts: 1), .wake: .probe, .addresses: .probe, .stop: .stop,
        ],
        .stopped: [:],
    ]

    @Test("every event is handled in every state", arguments: State.allCases, Event.allCases)
    func table(state: State, event: Event) {
        var machine = Self.machine(state)
        #expect(Self.send(event, to: &machine, at: 0.4) == Self.table[state]?[event] ?? .none)
    }

    @Test("delays grow while attempts fail and start over after a link that held")
    func growth() {
        var machine = Self.machine(.connecting)
        var delays: [Duration] = []
        for round in 0..<7 {
            guard case .retry(let delay, let at, let attempts) = machine.failed(now: .seconds(Double(round) * 100), random: 1) else {
                return
            }
            #expect(attempts == round + 1)
            delays.append(delay)
            #expect(machine.tick(now: at) == .requestPermit(isSighted: false))
            _ = machine.permitted(now: at)
        }
        #expect(delays == [1, 2, 4, 8, 16, 20, 20].map(Duration.seconds))
        machine.connected()
        machine.becameReady(now: .seconds(1000))
        #expect(machine.failed(now: .seconds(1010), random: 1) == .retry(in: .seconds(1), at: .seconds(1011), attempts: 1))
    }

    @Test("a link that breaks right after it was ready doesn't reset the delay")
    func flapping() {
        var machine = Self.machine(.connecting)
        _ = machine.failed(now: .seconds(0), random: 1)
        _ = machine.tick(now: .seconds(1))
        _ = machine.permitted(now: .seconds(1))
        machine.connected()
        machine.becameReady(now: .seconds(1))
        #expect(machine.failed(now: .seconds(2), random: 1) == .retry(in: .seconds(2), at: .seconds(4), attempts: 2))
    }

    @Test(
        "being woken brings the next attempt within a second and never later than planned", arguments: [(0.0, 10.0), (0.5, 10.5), (1, 11)])
    func wake(random: Double, at: Double) {
        var machine = Self.machine(.connecting)
        for _ in 0..<6 {
            _ = machine.failed(now: .seconds(0), random: 1)
            if case .requestPermit = machine.tick(now: .seconds(20)) { _ = machine.permitted(now: .seconds(0)) }
        }
        _ = machine.failed(now: .seconds(0), random: 1)
        #expect(machine.wake(now: .seconds(10), random: random) == .wait(until: .seconds(at)))
        #expect(machine.wake(now: .seconds(10), random: 1) == .none, "a second sighting doesn't push it away")
    }

    @Test("a sighting does not shorten the delay of a device whose proof failed, another address does")
    func untrusted() {
        var machine = Self.machine(.connecting)
        for (attempt, delay) in [(1, 1.0), (2, 2), (3, 4)] {
            #expect(machine.wake(now: .seconds(0), random: 0) == .none)
            #expect(
                machine.failed(now: .seconds(0), random: 1, isUntrusted: true)
                    == .retry(in: .seconds(delay), at: .seconds(delay), attempts: attempt))
            #expect(machine.wake(now: .seconds(0), random: 0) == .none)
            #expect(machine.tick(now: .seconds(delay)) == .requestPermit(isSighted: false))
            _ = machine.permitted(now: .seconds(0))
        }
        _ = machine.failed(now: .seconds(0), random: 1, isUntrusted: true)
        #expect(machine.endpointsChanged(isEmpty: false, now: .seconds(0), random: 0) == .wait(until: .seconds(0)))
    }

    @Test("a sighting during an attempt makes the next delay short")
    func sightedWhileConnecting() {
        var machine = Self.machine(.connecting)
        for _ in 0..<5 {
            _ = machine.failed(now: .seconds(0), random: 1)
            _ = machine.tick(now: .seconds(20))
            _ = machine.permitted(now: .seconds(20))
        }
        #expect(machine.wake(now: .seconds(20.5), random: 0) == .none)
        #expect(machine.failed(now: .seconds(21), random: 1) == .retry(in: .seconds(1), at: .seconds(22), attempts: 1))
    }

    @Test("a sighting restarts an attempt that has waited for a second, once")
    func restart() {
        var machine = Self.machine(.connecting)
        #expect(machine.wake(now: .seconds(0.9), random: 0) == .none)
        #expect(machine.wake(now: .seconds(3), random: 0) == .reconnect(deadline: .seconds(11)))
        #expect(machine.wake(now: .seconds(6), random: 0) == .none)
    }

    @Test("a device whose last address went waits for the next one")
    func homeless() {
        var machine = Self.machine(.connecting)
        #expect(machine.endpointsChanged(isEmpty: true, now: .seconds(1), random: 0) == .none)
        #expect(machine.failed(now: .seconds(2), random: 0) == .giveUpUntilAddress(attempts: 1))
        #expect(machine.wake(now: .seconds(3), random: 0) == .none)
        #expect(machine.endpointsChanged(isEmpty: false, now: .seconds(4), random: 0) == .requestPermit(isSighted: true))
    }

    @Test("an attempt continues after another device answered")
    func rejected() {
        var machine = Self.machine(.preparing)
        machine.rejected()
        machine.connected()
        machine.becameReady(now: .seconds(2))
        #expect(machine.isReady)
    }
}

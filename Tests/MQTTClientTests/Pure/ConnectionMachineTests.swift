import TestSupport
import Testing

@testable import MQTTClient
@testable import NetworkReach

private let address = NumericAddress(family: .ipv4, host: "192.0.2.1", port: 1883, bytes: [1])
private let other = NumericAddress(family: .ipv6, host: "2001:db8::1", port: 1883, bytes: [2])
private let failure = MQTTLinkError(.cannotConnect, detail: "test")
private let refused = {
    var error = failure
    error.isRefusedByHost = true
    return error
}()
private let loss = MQTTLinkError(.connectionLost, detail: "test")

private enum StateName: CaseIterable, Sendable { case idle, resolving, probing, connecting, waitingConnack, up, closing, backoff, stopped }

private enum EventName: CaseIterable, Sendable {
    case start, resolvedOne, resolvedTwo, resolutionFailed, raceWon, raceLost, connected, accepted, refused, linkEnded, deadline, wake,
        stop,
        stopWithFarewell, farewellDone, cancel
}

private func newMachine(_ preference: MQTTConfiguration.ProtocolPreference = .auto) -> MQTTConnectionMachine {
    MQTTConnectionMachine(
        nameLimit: .seconds(7), connectLimit: .seconds(5), attemptLimit: .seconds(10),
        fallback: ProtocolFallback(preference: preference, remembered: nil, now: .zero))
}

/// A machine that reached the state at time 0.
private func machine(in state: StateName) -> MQTTConnectionMachine {
    var machine = newMachine()
    if state == .idle { return machine }
    _ = machine.start(now: .zero)
    if state == .resolving { return machine }
    if state == .stopped {
        _ = machine.cancel()
        return machine
    }
    if state == .backoff {
        _ = machine.resolutionFailed(failure, now: .zero, jitter: 0.5)
        return machine
    }
    if state == .probing {
        _ = machine.resolved([address, other], now: .zero)
        return machine
    }
    _ = machine.resolved([address], now: .zero)
    if state == .connecting { return machine }
    _ = machine.connected(now: .zero)
    if state == .waitingConnack { return machine }
    _ = machine.accepted(now: .zero)
    if state == .closing { _ = machine.stop(farewellUntil: .seconds(1)) }
    return machine
}

/// Fires the event at 100 s, when every deadline has passed.
private func fire(_ event: EventName, _ machine: inout MQTTConnectionMachine) -> MQTTConnectionMachine.Action {
    let now = Duration.seconds(100)
    return switch event {
    case .start: machine.start(now: now)
    case .resolvedOne: machine.resolved([address], now: now)
    case .resolvedTwo: machine.resolved([address, other], now: now)
    case .resolutionFailed: machine.resolutionFailed(failure, now: now, jitter: 0.5)
    case .raceWon: machine.raceWon(other, now: now)
    case .raceLost: machine.raceLost(failure, now: now, jitter: 0.5)
    case .connected: machine.connected(now: now)
    case .accepted: machine.accepted(now: now)
    case .refused: machine.refused(.serverBusy, now: now, jitter: 0.5)
    case .linkEnded: machine.linkEnded(loss, now: now, jitter: 0.5)
    case .deadline: machine.deadlineReached(now: now, jitter: 0.5)
    case .wake: machine.wake(now: now)
    case .stop: machine.stop(farewellUntil: nil)
    case .stopWithFarewell: machine.stop(farewellUntil: .seconds(101))
    case .farewellDone: machine.farewellDone()
    case .cancel: machine.cancel()
    }
}

/// Every pair that is not here must do nothing.
private let table: [StateName: [EventName: String]] = [
    .idle: [.start: "resolve", .stop: "finish nil", .stopWithFarewell: "finish nil", .cancel: "finish nil"],
    .resolving: [
        .resolvedOne: "open 192.0.2.1:1883 5", .resolvedTwo: "probe 2", .resolutionFailed: "retry cannot_connect",
        .deadline: "retry name_resolution_timed_out", .stop: "finish nil", .stopWithFarewell: "finish nil", .cancel: "finish nil",
    ],
    .probing: [
        .raceWon: "open [2001:db8::1]:1883 5", .raceLost: "retry cannot_connect", .deadline: "retry connect_timed_out", .stop: "finish nil",
        .stopWithFarewell: "finish nil", .cancel: "finish nil",
    ],
    .connecting: [
        .connected: "handshake", .linkEnded: "retry connection_lost", .deadline: "retry connect_timed_out", .stop: "finish nil",
        .stopWithFarewell: "finish nil", .cancel: "finish nil",
    ],
    .waitingConnack: [
        .accepted: "announce 1", .refused: "retry refused_by_broker", .linkEnded: "retry connection_lost",
        .deadline: "retry connack_timed_out",
        .stop: "finish nil", .stopWithFarewell: "finish nil", .cancel: "finish nil",
    ],
    .up: [.linkEnded: "lose 1 connection_lost", .stop: "disconnect 1", .stopWithFarewell: "farewell", .cancel: "finish 1"],
    .closing: [.linkEnded: "finish 1", .deadline: "disconnect 1", .farewellDone: "disconnect 1", .cancel: "finish 1"],
    .backoff: [
        .resolvedOne: "open 192.0.2.1:1883 5", .resolvedTwo: "probe 2", .deadline: "resolve", .wake: "resolve", .stop: "finish nil",
        .stopWithFarewell: "finish nil", .cancel: "finish nil",
    ],
    .stopped: [:],
]

private func name(_ action: MQTTConnectionMachine.Action) -> String {
    switch action {
    case .none: "none"
    case .resolve: "resolve"
    case .probe(let addresses): "probe \(addresses.count)"
    case .open(let address, let version): "open \(address) \(version)"
    case .handshake: "handshake"
    case .announce(let epoch, _): "announce \(epoch)"
    case .retry(_, let error): "retry \(error.code.rawValue)"
    case .lose(let epoch, _, let error): "lose \(epoch) \(error.code.rawValue)"
    case .publishFarewell: "farewell"
    case .disconnect(let epoch): "disconnect \(epoch)"
    case .finish(let epoch): "finish \(epoch.map(String.init) ?? "nil")"
    }
}

@Suite("The connection machine")
struct ConnectionMachineTests {
    @Test("every event is handled in every state", arguments: StateName.allCases)
    fileprivate func everyEvent(state: StateName) throws {
        let row = try #require(table[state])
        for event in EventName.allCases {
            var machine = machine(in: state)
            let action = fire(event, &machine)
            #expect(name(action) == row[event] ?? "none", "\(event)")
        }
    }

    @Test("an event that does nothing changes no state", arguments: StateName.allCases)
    fileprivate func idleEvents(state: StateName) throws {
        let row = try #require(table[state])
        for event in EventName.allCases where row[event] == nil && !(state == .backoff && event == .wake) {
            var machine = machine(in: state)
            let before = machine.deadline
            _ = fire(event, &machine)
            #expect(machine.deadline == before)
            for later in EventName.allCases {
                var copy = machine
                #expect(name(fire(later, &copy)) == row[later] ?? "none", "\(event), then \(later)")
            }
        }
    }

    @Test("before a deadline nothing happens", arguments: StateName.allCases)
    fileprivate func early(state: StateName) {
        var machine = machine(in: state)
        guard let deadline = machine.deadline else { return }
        #expect(machine.deadlineReached(now: deadline - .nanoseconds(1), jitter: 0.5) == .none)
        #expect(machine.deadlineReached(now: deadline, jitter: 0.5) != .none)
    }

    @Test(
        "an attempt and the delay after it stay under 30 s together, however the attempt fails and whatever chance says",
        arguments: [0, 0.5, 0.999])
    func attemptsAreFrequent(jitter: Double) throws {
        var machine = newMachine()
        var now = Duration.zero
        _ = machine.start(now: now)
        var starts = [now]
        for round in 0..<200 {
            // As late as possible in every phase, and in another phase each round.
            if round % 3 > 0 {
                now = try #require(machine.deadline) - .milliseconds(1)
                _ = machine.resolved([address], now: now)
            }
            if round % 3 > 1 {
                now = try #require(machine.deadline) - .milliseconds(1)
                _ = machine.connected(now: now)
            }
            now = try #require(machine.deadline)
            guard case .retry = machine.deadlineReached(now: now, jitter: jitter) else { throw failure }
            now = try #require(machine.deadline)
            guard case .resolve = machine.deadlineReached(now: now, jitter: jitter) else { throw failure }
            starts.append(now)
        }
        let gaps = zip(starts.dropFirst(), starts).map { $0 - $1 }
        #expect(gaps.allSatisfy { $0 <= .seconds(30) })
    }

    @Test("a broker that listens again is found within 2 s while its host refuses, whatever came before and whatever chance says")
    func restartingBroker() throws {
        var random = SeededGenerator(seed: 15)
        for _ in 0..<2000 {
            var machine = machine(in: .up)
            var now = Duration.seconds(Double.random(in: 0..<100, using: &random))
            _ = machine.linkEnded(loss, now: now, jitter: .random(in: 0..<1, using: &random))
            // The host may have been off before, which makes the delays long.
            for _ in 0..<Int.random(in: 0..<6, using: &random) {
                now = try #require(machine.deadline)
                _ = machine.deadlineReached(now: now, jitter: 0)
                _ = machine.resolved([address], now: now)
                now = try #require(machine.deadline)
                guard case .retry = machine.deadlineReached(now: now, jitter: .random(in: 0..<1, using: &random)) else { throw failure }
            }
            now = try #require(machine.deadline)
            let listens = now + .seconds(Double.random(in: 0.001..<120, using: &random))
            while now < listens {
                _ = machine.deadlineReached(now: now, jitter: 0)
                _ = machine.resolved([address], now: now)
                guard case .retry = machine.linkEnded(refused, now: now, jitter: .random(in: 0..<1, using: &random)) else { throw failure }
                now = try #require(machine.deadline)
            }
            #expect(now - listens <= .seconds(2))
        }
    }

    @Test("a host that does not answer after refusals is asked with growing delays, as after any failure")
    func refusalsAreNotCounted() {
        var machine = newMachine()
        var now = Duration.zero
        var delays: [Duration] = []
        for error in [failure, failure, refused, refused, refused, failure, failure, failure, failure, failure, failure] {
            _ = machine.start(now: now)
            guard case .retry(let delay, _) = machine.resolutionFailed(error, now: now, jitter: 1) else { break }
            delays.append(delay)
            now += delay
            _ = machine.deadlineReached(now: now, jitter: 1)
        }
        #expect(delays == [1, 2, 2, 2, 2, 1, 2, 4, 8, 16, 20].map { .seconds($0) })
    }

    @Test("names that come after the attempt gave them up start the next attempt at once, and the one after it asks again")
    func lateNames() throws {
        var machine = machine(in: .resolving)
        #expect(name(machine.deadlineReached(now: .seconds(7), jitter: 1)) == "retry name_resolution_timed_out")
        #expect(name(machine.resolved([address], now: .milliseconds(7100))) == "open 192.0.2.1:1883 5")
        #expect(name(machine.linkEnded(failure, now: .seconds(8), jitter: 1)) == "retry cannot_connect")
        #expect(machine.deadline == .seconds(10))
        #expect(machine.deadlineReached(now: .seconds(10), jitter: 1) == .resolve)
    }

    @Test("without names the last address that let us in is tried; the error names both troubles", arguments: [false, true])
    func lastAddress(isTimeout: Bool) throws {
        var machine = machine(in: .up)
        _ = machine.linkEnded(loss, now: .seconds(60), jitter: 0)
        #expect(machine.deadlineReached(now: .seconds(60), jitter: 0) == .resolve)
        let unresolved = MQTTLinkError(.nameNotResolved, detail: "no name servers")
        let action =
            isTimeout
            ? machine.deadlineReached(now: .seconds(67), jitter: 0) : machine.resolutionFailed(unresolved, now: .seconds(67), jitter: 0)
        #expect(name(action) == "open 192.0.2.1:1883 5")
        #expect(machine.deadline == .seconds(70), "the limit of the attempt stays")
        // The names come while that is tried: they are next.
        #expect(machine.resolved([other], now: .seconds(68)) == .none)
        guard case .retry(let delay, let error) = machine.linkEnded(failure, now: .seconds(69), jitter: 1) else { throw failure }
        #expect(delay == .zero)
        #expect(error.code == .cannotConnect)
        #expect(error.detail.contains("test") && error.detail.contains(isTimeout ? "no answer from the name service" : "no name servers"))
        #expect(name(machine.deadlineReached(now: .seconds(69), jitter: 1)) == "open [2001:db8::1]:1883 5")
        guard case .retry(.seconds(4), let next) = machine.linkEnded(failure, now: .seconds(70), jitter: 1) else { throw failure }
        #expect(next == failure, "the names were known this time")
    }

    @Test("an address is the last one only when the broker let us in there; settings that cannot be used are no matter of names")
    func noLastAddress() {
        for (state, error) in [(.waitingConnack, failure), (.up, MQTTLinkError(.invalidConfiguration, detail: "test"))]
            as [(StateName, MQTTLinkError)]
        {
            var machine = machine(in: state)
            _ = machine.linkEnded(loss, now: .zero, jitter: 0)
            _ = machine.deadlineReached(now: .zero, jitter: 0)
            #expect(name(machine.resolutionFailed(error, now: .zero, jitter: 0)) == "retry \(error.code.rawValue)")
        }
    }

    @Test("names are waited for longer than libc waits for its first name server")
    func nameLimit() {
        #expect(MQTTConfiguration(host: "h", port: 1, clientID: "c").nameLimit > .seconds(5))
    }

    @Test("a link that lasted half a minute resets the delays, a short one does not")
    func stability() {
        var machine = machine(in: .up)
        var now = Duration.zero
        var delays: [Duration] = []
        for lived in [1, 1, 1, 1, 1, 30, 1] as [Int64] {
            now += .seconds(lived)
            guard case .lose(_, let delay, _) = machine.linkEnded(loss, now: now, jitter: 0.9999999) else {
                Issue.record("no loss")
                return
            }
            delays.append(.seconds((delay / .milliseconds(1) / 1000).rounded()))
            now = machine.deadline ?? now
            _ = machine.deadlineReached(now: now, jitter: 0)
            _ = machine.resolved([address], now: now)
            _ = machine.connected(now: now)
            _ = machine.accepted(now: now)
        }
        #expect(delays == [1, 2, 4, 8, 16, 1, 2].map { .seconds($0) })
        #expect(machine.liveEpoch == 8)
    }

    @Test("links that are closed again and again point to a second client with our id; failed attempts between them do not")
    func duel() {
        for withFailures in [false, true] {
            var machine = machine(in: .up)
            var codes: [MQTTLinkError.Code] = []
            for round in 1...6 {
                let now = Duration.seconds(round * 25)
                if case .lose(_, _, let error) = machine.linkEnded(loss, now: now, jitter: 0) { codes.append(error.code) }
                _ = machine.deadlineReached(now: now, jitter: 0)
                if withFailures {
                    _ = machine.resolved([address], now: now)
                    _ = machine.linkEnded(failure, now: now, jitter: 0)
                    _ = machine.deadlineReached(now: now, jitter: 0)
                }
                _ = machine.resolved([address], now: now)
                _ = machine.connected(now: now)
                _ = machine.accepted(now: now)
            }
            let suspected = codes.count { $0 == .repeatedlyLost }
            #expect(suspected == (withFailures ? 0 : 3))
        }
    }

    @Test("links that end with messages unanswered do not point to a second client: a message may be the reason")
    func unanswered() {
        var machine = machine(in: .up)
        for round in 1...8 {
            let now = Duration.seconds(round * 25)
            guard case .lose(_, _, let error) = machine.linkEnded(loss, isAnswered: false, now: now, jitter: 0) else { continue }
            #expect(error.code == .connectionLost)
            _ = machine.deadlineReached(now: now, jitter: 0)
            _ = machine.resolved([address], now: now)
            _ = machine.connected(now: now)
            _ = machine.accepted(now: now)
        }
    }

    @Test("a message that this user may not send is no matter of the login: it is said, and the next attempt follows soon")
    func deniedMessage() {
        let error = MQTTLinkError(.disconnectedByBroker, reasonCode: .notAuthorized, detail: "test")
        #expect(error.isTemporary && error.remedy.contains("access rules"))
        #expect(!MQTTLinkError(.refusedByBroker, reasonCode: .notAuthorized, detail: "test").isTemporary)
    }

    @Test("what time does not heal waits the longest delay at once", arguments: [134, 135, 133, 138, 142] as [UInt8])
    func lastingRefusals(code: UInt8) {
        var machine = machine(in: .waitingConnack)
        guard case .retry(let delay, let error) = machine.refused(MQTTReasonCode(rawValue: code), now: .zero, jitter: 0) else {
            Issue.record("no retry")
            return
        }
        #expect(delay == .seconds(20))
        #expect(error.reasonCode?.rawValue == code)
    }

    @Test("a wake starts an attempt at once, but not one after the other")
    func wakes() {
        var machine = machine(in: .backoff)
        // The failed attempt began at 0.
        #expect(machine.wake(now: .milliseconds(100)) == .none)
        #expect(machine.deadline == .milliseconds(500))
        #expect(machine.deadlineReached(now: .milliseconds(500), jitter: 0) == .resolve)
        _ = machine.resolutionFailed(MQTTLinkError(.certificateRejected, detail: ""), now: .milliseconds(600), jitter: 0)
        #expect(machine.deadline == .milliseconds(20_600))
        #expect(machine.wake(now: .milliseconds(700)) == .none)
        #expect(machine.deadline == .milliseconds(1500))
        #expect(machine.wake(now: .milliseconds(1501)) == .resolve)
    }

    @Test("an unknown version is tried again at once with the other one, once in an outage")
    func versionChange() {
        var machine = machine(in: .waitingConnack)
        var seen: [String] = []
        for _ in 0..<3 {
            guard case .retry(let delay, _) = machine.refused(.unsupportedProtocolVersion, now: .zero, jitter: 0.5) else { break }
            _ = machine.deadlineReached(now: .seconds(60), jitter: 0)
            seen.append("\(delay == .zero) \(name(machine.resolved([address], now: .zero)))")
            _ = machine.connected(now: .zero)
        }
        #expect(seen == ["true open 192.0.2.1:1883 3.1.1", "false open 192.0.2.1:1883 5", "false open 192.0.2.1:1883 3.1.1"])
    }

    @Test("the delay doubles from 1 s to 20 s; for what time does not heal it is 20 s and the doubling pauses")
    func delays() {
        var machine = newMachine()
        var now = Duration.zero
        let lasting = MQTTLinkError(.invalidConfiguration, detail: "test")
        var delays: [Duration] = []
        for error in [failure, failure, lasting, failure, failure, failure, failure, failure] {
            _ = machine.start(now: now)
            guard case .retry(let delay, _) = machine.resolutionFailed(error, now: now, jitter: 1) else { break }
            delays.append(delay)
            now += delay
            _ = machine.deadlineReached(now: now, jitter: 1)
        }
        #expect(delays == [1, 2, 20, 4, 8, 16, 20, 20].map { .seconds($0) })
    }
}

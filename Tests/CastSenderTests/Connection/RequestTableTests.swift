import CastModels
import NIOCore
import Testing

@testable import CastSender

@Suite struct RequestTableTests {
    private static let receiver = RequestPeer(namespace: "receiver", id: "receiver-0")
    private static let player = RequestPeer(namespace: "media", id: "transport-1")

    private static func add(
        _ name: String, to table: inout RequestTable<String>, peer: RequestPeer = receiver, until seconds: Double = 10,
        observed: ObservedState = .none
    ) -> Int {
        let id = table.nextID()
        #expect(table.add(name, id: id, RequestTerms(peer, seconds, observed: observed), now: .seconds(0)) == true)
        return id
    }

    private static func observe(_ table: inout RequestTable<String>, _ receiver: ReceiverStatus, at now: Double) {
        table.observe(.receiver, now: .seconds(now)) { $0.evidence(in: ObservedFacts(receiver: receiver)) }
    }

    @Test("an answer ends its request once; later ones are ignored")
    func once() {
        var table = RequestTable<String>()
        let id = Self.add("a", to: &table)
        #expect(table.remove(id) == "a")
        #expect(table.remove(id) == nil)
        #expect(table.expire(now: .seconds(99)).count == 0)
        #expect(table.removeAll() == [])
    }

    @Test("only the endpoint that was asked can answer")
    func peers() {
        var table = RequestTable<String>()
        let id = Self.add("a", to: &table)
        #expect(table.contains(id, to: Self.receiver))
        #expect(!table.contains(id, to: Self.player))
        #expect(!table.contains(id + 1, to: Self.receiver))
    }

    @Test("ids go from 1 to 2^31-1 and around, past those still in use")
    func ids() {
        var table = RequestTable<String>(lastID: Int(Int32.max) - 1)
        #expect(Self.add("a", to: &table) == Int(Int32.max))
        #expect(Self.add("b", to: &table) == 1)
        table = RequestTable<String>(lastID: 0)
        let first = Self.add("a", to: &table)
        for _ in 0..<5 { _ = table.nextID() }
        #expect(first == 1)
    }

    @Test("requests expire at their deadline, oldest first")
    func expiry() {
        var table = RequestTable<String>()
        _ = Self.add("late", to: &table, until: 20)
        _ = Self.add("b", to: &table, until: 5)
        _ = Self.add("c", to: &table, until: 5)
        #expect(table.nextDeadline == .seconds(5))
        #expect(table.expire(now: .seconds(4.9)).count == 0)
        #expect(table.expire(now: .seconds(5)).map(\.waiter) == ["b", "c"])
        #expect(table.nextDeadline == .seconds(20))
    }

    @Test("a full table takes no more")
    func full() {
        var table = RequestTable<String>(capacity: 1)
        _ = Self.add("a", to: &table)
        #expect(table.add("b", id: table.nextID(), RequestTerms(Self.receiver, 1), now: .seconds(0)) == false)
        #expect(table.removeAll() == ["a"])
    }

    @Test("an observed state succeeds after its grace, unless the answer comes first")
    func observed() {
        var table = RequestTable<String>()
        let id = Self.add("a", to: &table, observed: .deviceMuted(true))
        Self.observe(&table, ReceiverStatus(volume: DeviceVolume(isMuted: false)), at: 1)
        #expect(table.nextDeadline == .seconds(10))
        Self.observe(&table, ReceiverStatus(volume: DeviceVolume(isMuted: true)), at: 2)
        #expect(table.nextDeadline == .seconds(2.5))
        // Seeing it again moves nothing.
        Self.observe(&table, ReceiverStatus(volume: DeviceVolume(isMuted: true)), at: 2.4)
        let ended = table.expire(now: .seconds(2.5))
        #expect(ended.map(\.id) == [id])
        #expect(ended.first?.end == .observed)
    }

    @Test("an unobserved request times out")
    func timeOut() {
        var table = RequestTable<String>()
        _ = Self.add("a", to: &table, observed: .playerState(.paused))
        #expect(table.expire(now: .seconds(10)).first?.end == .timedOut)
    }

    @Test("more time is given only forward, and not once the state was seen")
    func extend() {
        var table = RequestTable<String>()
        let id = Self.add("a", to: &table, observed: .applicationRuns("A"))
        table.extend(id, to: .seconds(5))
        #expect(table.nextDeadline == .seconds(10))
        table.extend(id, to: .seconds(120))
        #expect(table.nextDeadline == .seconds(120))
        Self.observe(&table, ReceiverStatus(application: ReceiverApplication(applicationID: "A")), at: 3)
        table.extend(id, to: .seconds(200))
        #expect(table.nextDeadline == .seconds(3.5))
    }

    @Test("an application that ends takes only its own requests along")
    func removePeer() {
        var table = RequestTable<String>()
        _ = Self.add("platform", to: &table)
        _ = Self.add("player", to: &table, peer: Self.player)
        _ = Self.add("stop", to: &table, peer: Self.player, observed: .mediaSessionEnded(1))
        table.observe(.media, now: .seconds(1)) { $0.evidence(in: ObservedFacts()) }
        let removed = table.removeAll(to: "transport-1")
        #expect(removed.map(\.waiter) == ["player", "stop"])
        #expect(removed.map(\.isObserved) == [false, true])
        #expect(table.removeAll() == ["platform"])
    }

    @Test("an answered request whose state does not show asks once, for what shows it best, and ends as not applied")
    func notApplied() {
        var table = RequestTable<String>()
        let facts = ObservedFacts(receiver: ReceiverStatus(volume: DeviceVolume(level: 1)))
        let id = Self.add("a", to: &table, observed: .deviceLevel(WantedLevel(level: 0.2)))
        #expect(table.answered(id, now: .seconds(1)) { $0.evidence(in: facts) } == nil)
        #expect(table.contains(id, to: Self.receiver), "a second answer still belongs to it")
        #expect(table.questions(now: .seconds(1)) == [])
        #expect(table.nextDeadline == .seconds(1.1))
        #expect(table.questions(now: .seconds(1.1)) == [.receiver])
        #expect(table.questions(now: .seconds(1.2)) == [])
        #expect(table.nextDeadline == .seconds(3))
        #expect(table.expire(now: .seconds(3)).map(\.end) == [.notApplied])
    }

    @Test("a newer request replaces those of its kind to the same peer, the oldest first, and no others")
    func replaces() {
        var table = RequestTable<String>()
        func add(_ name: String, _ kind: RequestKind?, _ peer: RequestPeer = Self.receiver) {
            #expect(table.add(name, id: table.nextID(), RequestTerms(peer, 10, kind: kind), now: .seconds(0)) == true)
        }
        add("level 1", .deviceLevel)
        add("level 2", .deviceLevel)
        add("mute", .deviceMuted)
        add("seek", .seek, Self.player)
        add("any", nil)
        let levels = table.removeAll(of: .deviceLevel, to: Self.receiver)
        #expect(levels == ["level 1", "level 2"])
        #expect(table.removeAll(of: .deviceLevel, to: Self.receiver) == [])
        #expect(table.removeAll(of: .seek, to: Self.receiver) == [])
        #expect(table.removeAll() == ["mute", "seek", "any"])
    }

    // MARK: - Types that a peer ignores

    private static func ask(
        _ name: String, _ type: String, of table: inout RequestTable<String>, peer: RequestPeer = player, at now: Double
    )
        -> Int
    {
        let id = table.nextID()
        #expect(table.add(name, id: id, RequestTerms(peer, 40, type: type), now: .seconds(now)) == true)
        return id
    }

    @Test("a type of request that was ignored gets 2 s; other types and other peers get their whole time")
    func ignored() {
        var table = RequestTable<String>()
        _ = Self.ask("first", "LOAD", of: &table, at: 0)
        #expect(table.nextDeadline == .seconds(40))
        #expect(table.expire(now: .seconds(40)).map(\.end) == [.timedOut])
        _ = Self.ask("second", "LOAD", of: &table, at: 50)
        #expect(table.nextDeadline == .seconds(52))
        #expect(table.expire(now: .seconds(51.9)).count == 0)
        #expect(table.expire(now: .seconds(52)).map(\.end) == [.ignored])
        let other = RequestPeer(namespace: "media", id: "transport-2")
        _ = Self.ask("other type", "PLAY", of: &table, at: 60)
        _ = Self.ask("other peer", "LOAD", of: &table, peer: other, at: 60)
        #expect(table.nextDeadline == .seconds(100))
    }

    @Test("an answer, an observed state or a broadcast of the peer is no silence")
    func notIgnored() {
        var table = RequestTable<String>()
        _ = Self.ask("first", "LOAD", of: &table, at: 0)
        _ = table.expire(now: .seconds(40))
        let second = Self.ask("second", "LOAD", of: &table, at: 50)
        #expect(table.answered(second, now: .seconds(50)) == "second")
        _ = Self.ask("third", "LOAD", of: &table, at: 60)
        #expect(table.nextDeadline == .seconds(100), "it is answered again")
        table.heard(from: Self.player, isBroadcast: true)
        #expect(table.expire(now: .seconds(100)).map(\.end) == [.timedOut])
        _ = Self.ask("fourth", "LOAD", of: &table, at: 110)
        #expect(table.nextDeadline == .seconds(150), "the peer was at work")
        _ = table.expire(now: .seconds(150))
        _ = Self.ask("fifth", "LOAD", of: &table, at: 160)
        #expect(table.nextDeadline == .seconds(162))
        table.heard(from: Self.receiver, isBroadcast: true)
        #expect(table.nextDeadline == .seconds(162), "another peer")
        table.heard(from: Self.player, isBroadcast: true)
        #expect(table.nextDeadline == .seconds(200))
    }

    @Test("an application ignores a type in each of its runs, until it answers one")
    func ignoredInEachRun() {
        func ask(_ table: inout RequestTable<String>, _ transport: String, _ application: String, at now: Double) -> Int {
            let id = table.nextID()
            var terms = RequestTerms(RequestPeer(namespace: "media", id: transport), 40, type: "LOAD")
            terms.application = application
            let isAdded = table.add("a", id: id, terms, now: .seconds(now))
            #expect(isAdded)
            return id
        }
        var table = RequestTable<String>()
        _ = ask(&table, "run-1", "A", at: 0)
        _ = table.expire(now: .seconds(40))
        _ = table.removeAll(to: "run-1")
        _ = ask(&table, "run-2", "A", at: 50)
        #expect(table.nextDeadline == .seconds(52))
        // The next link continues with it.
        var next = RequestTable<String>()
        next.ignored = table.ignored
        _ = ask(&next, "run-3", "B", at: 60)
        #expect(next.nextDeadline == .seconds(100), "another application")
        let id = ask(&next, "run-3", "A", at: 60)
        #expect(next.nextDeadline == .seconds(62))
        _ = next.answered(id, now: .seconds(61))
        #expect(next.ignored.isEmpty)
    }

    @Test("a request that its caller cancels after 8 s of silence was ignored; a late answer corrects that", arguments: [7.9, 8])
    func cancelled(seconds: Double) {
        var table = RequestTable<String>()
        let id = Self.ask("a", "LOAD", of: &table, at: 0)
        #expect(table.remove(id, cancelledAt: .seconds(seconds)) == "a")
        #expect(table.ignored.isEmpty == (seconds < 8))
        table.answeredLate(id)
        #expect(table.ignored.isEmpty)
    }

    @Test("at most 64 ignored types are remembered")
    func ignoredBound() {
        var table = RequestTable<String>()
        for number in 0..<100 {
            _ = Self.ask("a", "TYPE \(number)", of: &table, at: Double(number) * 100)
            _ = table.expire(now: .seconds(Double(number) * 100 + 50))
        }
        #expect(table.ignored.count == 64)
    }

    @Test("a load that was cancelled before any sign of it may still begin, until it is answered")
    func abandonedLoad() {
        var table = RequestTable<String>()
        for sign in ["none", "broadcast", "answer"] {
            let id = table.nextID()
            _ = table.add("a", id: id, RequestTerms(Self.player, 40, kind: .load, type: "LOAD"), now: .seconds(0))
            if sign == "broadcast" { table.heard(from: Self.player, isBroadcast: true) }
            _ = table.remove(id, cancelledAt: .seconds(1))
            if sign == "answer" { table.answeredLate(id) }
            let isAbandoned = [table.takeAbandonedLoad(now: .seconds(39)), table.takeAbandonedLoad(now: .seconds(39))]
            #expect(isAbandoned == [sign == "none", false])
            if sign == "none" {
                _ = table.add("b", id: 7, RequestTerms(Self.player, 40, kind: .load, type: "LOAD"), now: .seconds(0))
                _ = table.remove(7, cancelledAt: .seconds(1))
                #expect(table.takeAbandonedLoad(now: .seconds(40)) == false, "it can no longer begin")
            }
        }
    }

    @Test("a peer is to be asked once for its status while a request waits")
    func probe() {
        var table = RequestTable<String>()
        let id = table.nextID()
        _ = table.add("a", id: id, RequestTerms(Self.player, 40, observed: .playerState(.paused), probe: 8), now: .seconds(0))
        #expect(table.nextDeadline == .seconds(8))
        let probes = [7.9, 8, 9].map { table.questions(now: .seconds($0)) }
        #expect(probes == [[], [.media], []])
        #expect(table.nextDeadline == .seconds(40))
    }

    /// The end of a request to an application, and its time, after a message of the application at 3 s.
    static let silences: [(limit: Double?, probe: Double?, message: String, end: RequestProgress.End, time: Double)] = [
        (5, 1, "none", .silent, 5), (5, 1, "other", .timedOut, 40), (5, 1, "broadcast", .timedOut, 40), (nil, 8, "none", .silent, 40),
        (nil, 8, "other", .timedOut, 40), (nil, nil, "none", .timedOut, 40),
    ]

    @Test("an application that sends nothing at all, not even the status that it is asked for, is dead", arguments: silences)
    func silence(limit: Double?, probe: Double?, message: String, end: RequestProgress.End, time: Double) {
        var table = RequestTable<String>()
        let terms = RequestTerms(Self.player, 40, kind: .load, type: "LOAD", probe: probe, silence: limit)
        #expect(table.add("a", id: table.nextID(), terms, now: .seconds(0)) == true)
        if message != "none" { table.heard(from: Self.player, isBroadcast: message == "broadcast") }
        table.heard(from: Self.receiver, isBroadcast: true)
        #expect(table.expire(now: .seconds(time - 0.1)).isEmpty)
        #expect(table.expire(now: .seconds(time)).map(\.end) == [end])
        // What a dead application leaves unanswered is not a type that it ignores.
        #expect(table.ignored.isEmpty == (end == .silent || message == "broadcast"))
    }
}

extension RequestTerms {
    /// - Parameter seconds: the time limit.
    init(
        _ peer: RequestPeer, _ seconds: Double, observed: ObservedState = .none, kind: RequestKind? = nil, type: String? = nil,
        probe: Double? = nil, silence: Double? = nil
    ) {
        func time(_ seconds: Double) -> TimeAmount { .milliseconds(Int64(seconds * 1000)) }
        self.init(peer.namespace, to: peer.id, timeout: time(seconds))
        (self.observed, self.kind, self.type) = (observed, kind, type)
        (self.probe, self.silence) = (probe.map(time), silence.map(time))
    }
}

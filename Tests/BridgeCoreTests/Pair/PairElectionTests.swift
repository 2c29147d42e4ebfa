import CastModels
import Testing

@testable import BridgeCore

@Suite("Who leads a pair") struct PairElectionTests {
    private static func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    private static func claim(_ term: Int, _ owner: String = "b", renewal: Int = 1, released: Bool = false) -> PairClaim {
        var claim = PairClaim(term: term, owner: owner, run: owner)
        (claim.renewal, claim.isReleased) = (renewal, released)
        return claim
    }

    /// Wakes at the deadline, with a link that acknowledges a probe in time.
    private static func claims(_ election: inout PairElection, at seconds: Double) -> [PairElection.Action] {
        let actions = election.wake(now: Self.time(seconds))
        guard actions == [.probe] else { return actions }
        #expect(election.acknowledged(nil, sentAt: Self.time(seconds), now: Self.time(seconds)) == false)
        return election.wake(now: Self.time(seconds))
    }

    /// Wakes at the deadline, reads the claim back at once, and returns what follows.
    private static func lead(_ election: inout PairElection, at seconds: Double) -> [PairElection.Action] {
        let claims = Self.claims(&election, at: seconds)
        guard case .publish(let claim)? = claims.first else { return claims }
        return election.received(claim, now: Self.time(seconds + 0.01))
    }

    @Test("alone it leads after three seconds, and renews its claim every second")
    func alone() {
        var election = PairElection(owner: "a", run: "a")
        #expect(election.subscribed(now: Self.time(0)) == [] && election.deadline == Self.time(3))
        #expect(election.wake(now: Self.time(2.9)) == [])
        #expect(Self.lead(&election, at: 3) == [.lead(former: nil), .publish(Self.claim(1, "a"))])
        #expect(election.role == .leader && election.deadline == Self.time(4.01))
        #expect(election.wake(now: Self.time(4.02)) == [.publish(Self.claim(1, "a", renewal: 2))])
    }

    @Test("a standby waits for three missed renewals, and leads the next term")
    func missed() {
        var election = PairElection(owner: "a", run: "a")
        _ = election.received(Self.claim(7), now: Self.time(0))
        _ = election.subscribed(now: Self.time(0))
        for second in 1...20 { #expect(election.received(Self.claim(7, renewal: second), now: Self.time(Double(second))) == []) }
        #expect(election.deadline == Self.time(23))
        #expect(Self.lead(&election, at: 23.1) == [.lead(former: Self.claim(7, renewal: 20)), .publish(Self.claim(8, "a"))])
    }

    @Test("a released claim is taken over at once")
    func released() {
        var election = PairElection(owner: "a", run: "a")
        _ = election.received(Self.claim(7), now: Self.time(0))
        _ = election.subscribed(now: Self.time(0))
        #expect(election.received(Self.claim(7, renewal: 9, released: true), now: Self.time(1)) == [] && election.deadline == Self.time(1))
        #expect(Self.lead(&election, at: 1).first == .lead(former: Self.claim(7, renewal: 9, released: true)))
        var late = PairElection(owner: "a", run: "a")
        _ = late.received(Self.claim(7, released: true), now: Self.time(0))
        _ = late.subscribed(now: Self.time(0))
        #expect(late.deadline == Self.time(0))
    }

    @Test("a renewal that the broker took before the claim keeps the new leader waiting for its lease")
    func lease() {
        var election = PairElection(owner: "a", run: "a")
        _ = election.received(Self.claim(1), now: Self.time(0))
        _ = election.subscribed(now: Self.time(0))
        #expect(Self.claims(&election, at: 3) == [.publish(Self.claim(2, "a", renewal: 0))])
        #expect(election.received(Self.claim(1, renewal: 2), now: Self.time(3.1)) == [])
        #expect(election.received(Self.claim(2, "a", renewal: 0), now: Self.time(3.2)) == [] && election.role == .claiming)
        // It is retained in place of our claim.
        #expect(election.received(Self.claim(1, renewal: 3), now: Self.time(3.3)) == [.publish(Self.claim(2, "a", renewal: 1))])
        #expect(election.wake(now: Self.time(5.2)).first == .lead(former: Self.claim(1)))
    }

    @Test("a claim that does not come back is made again with the same term, so that a healthy leader is ended once at most")
    func unread() {
        var election = PairElection(owner: "a", run: "a")
        _ = election.received(Self.claim(7), now: Self.time(0))
        _ = election.subscribed(now: Self.time(0))
        for number in 0..<4 {
            #expect(Self.claims(&election, at: 3.1 * Double(number + 1)) == [.publish(Self.claim(8, "a", renewal: 0))])
            #expect(election.unread == number && election.role == .claiming)
        }
    }

    @Test("a standby that slept itself listens before it claims")
    func slept() {
        var election = PairElection(owner: "a", run: "a")
        _ = election.subscribed(now: Self.time(0))
        #expect(election.wake(now: Self.time(60)) == [] && election.role == .standby)
        #expect(election.received(Self.claim(3), now: Self.time(60.1)) == [] && election.deadline == Self.time(63.1))
    }

    @Test("of two claims of one term the first that the broker took leads, also while it waits")
    func tie() {
        var first = PairElection(owner: "a", run: "a"), second = PairElection(owner: "b", run: "b")
        _ = first.subscribed(now: Self.time(0))
        _ = second.subscribed(now: Self.time(0))
        let (one, other) = (Self.claim(1, "a", renewal: 0), Self.claim(1, "b", renewal: 0))
        #expect(Self.claims(&first, at: 3) == [.publish(one)])
        #expect(Self.claims(&second, at: 3) == [.publish(other)])
        #expect(first.received(one, now: Self.time(3.1)).first == .lead(former: nil) && first.received(other, now: Self.time(3.1)) == [])
        #expect(second.received(one, now: Self.time(3.1)) == [] && second.role == .standby)
        #expect(second.received(other, now: Self.time(3.1)) == [] && second.role == .standby)
    }

    static let claimsToLeader: [(claim: PairClaim, isDeposed: Bool)] = [
        (claim(2, "b", renewal: 0), true), (claim(2, "b", renewal: 5), true), (claim(1, "b", renewal: 0), false),
        (claim(1, "b", renewal: 3), true), (claim(1, "Z", renewal: 3), false), (claim(1, "b", renewal: 3, released: true), true),
    ]

    @Test(
        "a leader stands back before a newer claim, and with a broker of several nodes before the greater of two leaders",
        arguments: claimsToLeader)
    func deposed(claim: PairClaim, isDeposed: Bool) {
        var election = PairElection(owner: "a", run: "a")
        _ = election.subscribed(now: Self.time(0))
        _ = Self.lead(&election, at: 3)
        #expect(election.received(claim, now: Self.time(4)) == (isDeposed ? [.standBack(by: claim)] : []))
        #expect(election.wake(now: Self.time(9)).isEmpty == isDeposed)
    }

    @Test("a leader goes on over a link that breaks: at once after a moment, and after more when it has heard of no other")
    func linkBreaks() {
        var election = PairElection(owner: "a", run: "a")
        _ = election.subscribed(now: Self.time(0))
        _ = Self.lead(&election, at: 3)
        #expect(election.acknowledged(1, sentAt: Self.time(3), now: Self.time(3.1)) == true)
        election.linkDown()
        #expect(election.deadline == nil)
        var late = election
        #expect(late.subscribed(now: Self.time(9)) == [] && late.deadline == Self.time(11))
        #expect(late.wake(now: Self.time(11)) == [.publish(Self.claim(1, "a", renewal: 2))])
        #expect(election.subscribed(now: Self.time(5)) == [.publish(Self.claim(1, "a", renewal: 2))])
        #expect(
            election.release()
                == {
                    var claim = Self.claim(1, "a", renewal: 2); claim.isReleased = true; return claim
                }())
        #expect(election.release() == nil && election.wake(now: Self.time(99)) == [])
    }

    @Test("a leader whose renewals are acknowledged too late releases its claim, and renews it once it is acknowledged in time")
    func slowLeader() {
        var election = PairElection(owner: "a", run: "a")
        _ = election.subscribed(now: Self.time(0))
        _ = Self.lead(&election, at: 3)
        var released = Self.claim(1, "a")
        for second in 4...12 {
            let now = Double(second) + 0.02
            released.isReleased = second > 7
            released.renewal = second - 2
            #expect(election.wake(now: Self.time(now)) == [.publish(released)], "\(second)")
            _ = election.acknowledged(released.renewal - 2, sentAt: Self.time(now - 2.4), now: Self.time(now))
        }
        #expect(election.acknowledged(10, sentAt: Self.time(12.02), now: Self.time(12.1)) == false, "nobody may act on a released claim")
        #expect(election.acknowledged(5, sentAt: Self.time(12.02), now: Self.time(12.1)) == false, "nor on one before it")
        #expect(election.wake(now: Self.time(13.02)) == [.publish(Self.claim(1, "a", renewal: 11))])
        #expect(election.acknowledged(11, sentAt: Self.time(13.02), now: Self.time(13.1)) == true)
    }

    @Test("a standby whose link is slow claims nothing until a message of its own is acknowledged in time")
    func slowStandby() {
        var election = PairElection(owner: "a", run: "a")
        _ = election.received(Self.claim(7), now: Self.time(0))
        _ = election.subscribed(now: Self.time(0))
        for second in 0...17 {
            let now = Self.time(3) + .seconds(second)
            #expect(election.wake(now: now) == [.probe])
            #expect(election.acknowledged(nil, sentAt: now + .seconds(-3), now: now) == false)
            #expect(election.deadline == now + .seconds(1))
        }
        #expect(election.acknowledged(nil, sentAt: Self.time(20.02), now: Self.time(20.9)) == false)
        #expect(election.wake(now: Self.time(20.91)) == [.publish(Self.claim(8, "a", renewal: 0))])
        var heard = PairElection(owner: "a", run: "a")
        _ = heard.subscribed(now: Self.time(0))
        #expect(heard.wake(now: Self.time(3)) == [.probe])
        #expect(heard.received(Self.claim(7), now: Self.time(3.1)) == [])
        #expect(heard.acknowledged(nil, sentAt: Self.time(3), now: Self.time(3.2)) == false)
        #expect(heard.deadline == Self.time(6.1), "another leads")
    }

    @Test("the member with the good link leads, and two slow ones don't end each other", arguments: 0..<20)
    func slowLinks(seed: Int) {
        var world = PairWorld(seed: (UInt64(seed) &+ 1) &* 0x9E37_79B9_7F4A_7C15)
        world.heal()
        for _ in 0..<400 { world.step() }
        for slow in [0, 1] {
            world.slow([slow])
            for _ in 0..<600 { world.step() }
            #expect(world.actors == [1 - slow])
        }
        world.slow([0, 1])
        for _ in 0..<400 { world.step() }
        let runs = world.runs
        for _ in 0..<4_000 { world.step() }
        #expect(world.actors == [] && world.runs == runs && world.clashes == 0)
        world.heal()
        for _ in 0..<200 { world.step() }
        #expect(world.actors.count == 1)
    }

    @Test("a claim is read as it was written, and nothing else is one")
    func payload() throws {
        let claim = Self.claim(9, "pi-1", renewal: 4, released: true)
        let message = claim.message(topics: TopicTree(base: "c"), instance: "home")
        #expect(message.topic == "c/bridge/pair/claim" && message.retain && PairClaim(message.payload) == claim)
        for text in [
            "", "{}", "[]", #"{"term":0,"owner":"a","run":"b"}"#, #"{"term":9e99,"owner":"a","run":"b"}"#,
            #"{"term":1,"owner":"","run":"b"}"#, #"{"term":281474976710656,"owner":"a","run":"b"}"#,
        ] {
            #expect(PairClaim(Array(text.utf8)) == nil)
        }
    }

    @Test("at no moment two members may act, whatever breaks, sleeps or is late", arguments: 0..<400)
    func oneLeader(seed: Int) {
        var world = PairWorld(seed: (UInt64(seed) &+ 1) &* 0x9E37_79B9_7F4A_7C15)
        for _ in 0..<4_000 { world.step() }
        #expect(world.clashes == 0)
        world.heal()
        for _ in 0..<400 { world.step() }
        #expect(world.actors.count == 1, "healed, one of them leads")
    }
}

/// Two members, a broker that orders messages, links that break or delay, and members that sleep. A step is 50 ms.
private struct PairWorld {
    private struct Member {
        var election: PairElection
        var isUp = false
        var isCut = false
        var sleepsUntil = 0.0
        /// Until when it may act.
        var lease = 0.0
        /// How late its messages and those to it are.
        var lag = 0.0
        /// What the broker has sent to it and it has not read: claims, and acknowledgements with the time of sending.
        var inbox: [(due: Double, claim: PairClaim?, acknowledged: (renewal: Int?, sent: Double)?)] = []
        /// What it has sent and the broker has not read: claims and probes.
        var outbox: [(due: Double, claim: PairClaim?, sent: Double)] = []
    }

    private var random: UInt64
    private var now = 0.0
    private var members: [Member] = []
    private var retained: PairClaim?
    private(set) var runs = 0
    private var isHealed = false
    private(set) var clashes = 0

    init(seed: UInt64) {
        self.random = seed
        self.members = ["a", "b"].map { self.newMember($0) }
    }

    private mutating func newMember(_ owner: String) -> Member {
        self.runs += 1
        return Member(election: PairElection(owner: owner, run: "\(self.runs)"))
    }

    private mutating func chance(_ share: Double) -> Bool { self.number() < share }

    private mutating func number() -> Double {
        self.random ^= self.random << 13
        self.random ^= self.random >> 7
        self.random ^= self.random << 17
        return Double(self.random >> 11) / Double(1 << 53)
    }

    /// Who may act, by its own clock.
    var actors: [Int] { self.members.indices.filter { self.members[$0].election.role == .leader && self.now < self.members[$0].lease } }

    mutating func heal() {
        self.isHealed = true
        for index in self.members.indices { (self.members[index].isCut, self.members[index].sleepsUntil) = (false, 0) }
        self.slow([])
    }

    mutating func slow(_ slow: Set<Int>) { for index in self.members.indices { self.members[index].lag = slow.contains(index) ? 1.2 : 0 } }

    mutating func step() {
        self.now += 0.05
        for index in self.members.indices {
            if !self.isHealed { self.disturb(index) }
            self.deliver(index)
            if self.now >= self.members[index].sleepsUntil { self.live(index) }
        }
        if self.actors.count > 1 { self.clashes += 1 }
    }

    private mutating func disturb(_ index: Int) {
        if self.chance(0.004) { self.members[index].isCut.toggle() }
        if self.chance(0.002) { self.members[index].sleepsUntil = self.now + self.number() * 12 }
        if self.chance(0.001) { self.restart(index) }
        if self.chance(0.004) { self.members[index].lag = self.chance(0.7) ? 0 : self.number() * 2 }
        if self.members[index].isCut, self.members[index].isUp, self.chance(0.02) { self.disconnect(index) }
    }

    /// The process of a member restarts; the delay of its machine's link stays.
    private mutating func restart(_ index: Int) {
        let lag = self.members[index].lag
        self.members[index] = self.newMember(self.members[index].election.own.owner)
        self.members[index].lag = lag
    }

    private mutating func disconnect(_ index: Int) {
        self.members[index].isUp = false
        (self.members[index].inbox, self.members[index].outbox) = ([], [])
        self.members[index].election.linkDown()
    }

    /// The broker reads what a member sent, in order, and sends it to all that are connected.
    private mutating func deliver(_ index: Int) {
        guard !self.members[index].isCut else { return }
        while let first = self.members[index].outbox.first, first.due <= self.now {
            self.members[index].outbox.removeFirst()
            if let claim = first.claim {
                if !claim.isReleased { self.retained = claim }
                for other in self.members.indices where self.members[other].isUp { self.enqueue(other, claim, acknowledged: nil) }
            }
            self.enqueue(index, nil, acknowledged: first.claim?.renewal == 0 ? nil : (first.claim?.renewal, first.sent))
        }
    }

    private mutating func enqueue(_ index: Int, _ claim: PairClaim?, acknowledged: (renewal: Int?, sent: Double)?) {
        let delay = (self.chance(0.05) ? self.number() : 0.02) + self.members[index].lag
        let due = max(self.now + delay, self.members[index].inbox.last?.due ?? 0)
        self.members[index].inbox.append((due, claim, acknowledged))
    }

    private mutating func live(_ index: Int) {
        let time = MonotonicTime(nanoseconds: Int64(self.now * 1e9))
        if !self.members[index].isUp, !self.members[index].isCut, self.members[index].election.role != .deposed {
            self.members[index].isUp = true
            if let retained { self.perform(index, self.members[index].election.received(retained, now: time)) }
            self.perform(index, self.members[index].election.subscribed(now: time))
        }
        // A timer may fire before what waits in the socket is read.
        if self.chance(0.5) { self.perform(index, self.members[index].election.wake(now: time)) }
        if !self.members[index].isCut {
            while let first = self.members[index].inbox.first, first.due <= self.now {
                self.members[index].inbox.removeFirst()
                if let claim = first.claim { self.perform(index, self.members[index].election.received(claim, now: time)) }
                if let (renewal, sent) = first.acknowledged,
                    self.members[index].election.acknowledged(
                        renewal, sentAt: MonotonicTime(nanoseconds: Int64(sent * 1e9)), now: time)
                {
                    self.members[index].lease = max(self.members[index].lease, sent + 2)
                }
            }
        }
        self.perform(index, self.members[index].election.wake(now: time))
    }

    private mutating func perform(_ index: Int, _ actions: [PairElection.Action]) {
        for action in actions {
            switch action {
            case .publish(let claim): self.send(index, claim)
            case .probe: self.send(index, nil)
            case .lead: break
            case .standBack: self.restart(index)
            }
        }
    }

    private mutating func send(_ index: Int, _ claim: PairClaim?) {
        let due = max(self.now + 0.02 + self.members[index].lag, self.members[index].outbox.last?.due ?? 0)
        self.members[index].outbox.append((due, claim, self.now))
    }
}

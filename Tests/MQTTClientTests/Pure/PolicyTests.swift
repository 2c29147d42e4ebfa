import Testing

@testable import MQTTClient

@Suite("The reconnect delay")
struct ReconnectBackoffTests {
    @Test("It doubles from 1 s to 20 s, spread down to zero by chance")
    func doubles() {
        var backoff = ReconnectBackoff()
        let delays = (0..<8).map { _ in backoff.next(heals: true, jitter: 1) }
        #expect(delays == [1, 2, 4, 8, 16, 20, 20, 20].map { .seconds($0) })
        #expect(backoff.next(heals: true, jitter: 0) == .zero)
        #expect(backoff.next(heals: true, jitter: 0.25) == .seconds(5))
        backoff.reset()
        #expect(backoff.next(heals: true, jitter: 1) == .seconds(1))
    }

    @Test("It is 20 s at once for what does not heal, and goes on where it was after that")
    func lasting() {
        var backoff = ReconnectBackoff()
        #expect(backoff.next(heals: false, jitter: 0) == .seconds(20))
        #expect(backoff.next(heals: true, jitter: 1) == .seconds(1))
    }

    @Test("A jitter outside its range does no harm", arguments: [-1.0, 2.0, .infinity])
    func oddJitter(jitter: Double) {
        var backoff = ReconnectBackoff()
        let delay = backoff.next(heals: true, jitter: jitter)
        #expect(delay >= .zero && delay <= .seconds(1))
    }
}

@Suite("The choice of the MQTT version")
struct ProtocolFallbackTests {
    enum Event: Sendable { case refused, refusedOtherwise, closed, timedOut, accepted, day }

    @Test(
        "Sequences of ends",
        arguments: [
            ([], .v5), ([.refused], .v311), ([.closed], .v5), ([.closed, .closed], .v311), ([.closed, .timedOut, .closed], .v5),
            ([.closed, .refusedOtherwise, .closed], .v5), ([.closed, .accepted, .closed], .v5),
            ([.closed, .closed, .closed, .closed], .v5),
            ([.refused, .refused], .v5), ([.refused, .accepted], .v311), ([.refused, .accepted, .closed], .v311),
            ([.refused, .accepted, .day], .v5), ([.refused, .day], .v311), ([.refused, .accepted, .day, .accepted, .closed], .v5),
        ] as [([Event], MQTTProtocolVersion)])
    func sequences(events: [Event], version: MQTTProtocolVersion) {
        var fallback = ProtocolFallback(preference: .auto, remembered: nil, now: .zero)
        var now = Duration.zero
        for event in events {
            switch event {
            case .refused: _ = fallback.refused(.unsupportedProtocolVersion)
            case .refusedOtherwise: _ = fallback.refused(.serverBusy)
            case .closed: fallback.closedBeforeConnack()
            case .timedOut: fallback.endedOtherwise()
            case .accepted: _ = fallback.accepted(now: now)
            case .day: now += .seconds(24 * 3600)
            }
            fallback.attemptStarts(now: now)
        }
        #expect(fallback.version == version)
    }

    @Test("A fixed version stays", arguments: [(MQTTConfiguration.ProtocolPreference.v5, MQTTProtocolVersion.v5), (.v311, .v311)])
    func fixed(preference: MQTTConfiguration.ProtocolPreference, version: MQTTProtocolVersion) {
        var fallback = ProtocolFallback(preference: preference, remembered: .v311, now: .zero)
        #expect(fallback.refused(.unsupportedProtocolVersion) == false)
        fallback.closedBeforeConnack()
        fallback.closedBeforeConnack()
        fallback.attemptStarts(now: .seconds(90_000))
        #expect(fallback.version == version)
        #expect(fallback.accepted(now: .zero) == nil)
    }

    @Test("News is told once: a change, and every renewal of 3.1.1 after a day")
    func news() {
        var fallback = ProtocolFallback(preference: .auto, remembered: nil, now: .zero)
        #expect(fallback.accepted(now: .zero) == nil)
        _ = fallback.refused(.unsupportedProtocolVersion)
        #expect(fallback.accepted(now: .zero) == .v311)
        #expect(fallback.accepted(now: .seconds(10)) == nil)
        fallback.attemptStarts(now: .seconds(24 * 3600))
        #expect(fallback.version == .v5)
        _ = fallback.refused(.unsupportedProtocolVersion)
        #expect(fallback.accepted(now: .seconds(24 * 3600)) == .v311)
        fallback.attemptStarts(now: .seconds(48 * 3600))
        #expect(fallback.accepted(now: .seconds(48 * 3600)) == .v5)
        #expect(fallback.accepted(now: .seconds(48 * 3600)) == nil)
    }

    @Test("A remembered 3.1.1 is used for a day")
    func remembered() {
        var fallback = ProtocolFallback(preference: .auto, remembered: .v311, now: .seconds(5))
        #expect(fallback.version == .v311)
        #expect(fallback.accepted(now: .seconds(5)) == nil)
        fallback.attemptStarts(now: .seconds(5 + 24 * 3600 - 1))
        #expect(fallback.version == .v311)
        fallback.attemptStarts(now: .seconds(5 + 24 * 3600))
        #expect(fallback.version == .v5)
    }
}

@Suite("The watchdog")
struct LinkWatchdogTests {
    /// Runs the watchdog against a link that answers pings after `latency` until it dies.
    /// - Returns: when it gave up.
    private func run(limit: Duration, dies: Duration, latency: Duration, chatter: Duration?) -> Duration {
        var watchdog = LinkWatchdog(limit: limit, now: .zero)
        var heard: [Duration] = []
        if let chatter { heard = stride(from: 1, through: 1000, by: 1).map { chatter * $0 }.filter { $0 <= dies } }
        var now = Duration.zero
        while now < .seconds(5000) {
            if let next = heard.first, next <= watchdog.deadline {
                heard.removeFirst()
                now = next
                watchdog.heard(now: now)
                continue
            }
            now = watchdog.deadline
            switch watchdog.tick(now: now) {
            case .none: break
            case .ping: if now <= dies { heard = (heard + [now + latency]).sorted() }
            case .giveUp: return now
            }
        }
        return now
    }

    @Test("A dead link is found within the limit, a live one is kept", arguments: [15, 2] as [Int64], [nil, 0.3, 4.9, 7.4] as [Double?])
    func findsDeath(limit: Int64, chatter: Double?) {
        for milliseconds in stride(from: 0, through: 60_000, by: 777) {
            let dies = Duration.milliseconds(milliseconds)
            let found = self.run(limit: .seconds(limit), dies: dies, latency: .milliseconds(100), chatter: chatter.map { .seconds($0) })
            #expect(found > dies)
            #expect(found <= dies + .seconds(limit))
        }
    }

    @Test("A slow broker is given half of the limit to answer")
    func slowBroker() {
        var watchdog = LinkWatchdog(limit: .seconds(15), now: .zero)
        #expect(watchdog.tick(now: .seconds(7)) == .none)
        #expect(watchdog.tick(now: .milliseconds(7500)) == .ping)
        #expect(watchdog.tick(now: .seconds(14)) == .none)
        watchdog.heard(now: .seconds(14))
        #expect(watchdog.tick(now: .seconds(15)) == .none)
        #expect(watchdog.deadline == .milliseconds(21_500))
    }

    @Test("After a stop of this process the broker is asked before it is given up")
    func lateTick() {
        var watchdog = LinkWatchdog(limit: .seconds(15), now: .zero)
        #expect(watchdog.tick(now: .seconds(300)) == .ping)
        #expect(watchdog.tick(now: .seconds(304)) == .none)
        #expect(watchdog.tick(now: .seconds(305)) == .giveUp)
    }

    @Test("A suspicion asks at once and waits a third of the limit, however often it is raised")
    func suspicion() {
        var watchdog = LinkWatchdog(limit: .seconds(15), now: .zero)
        #expect(watchdog.suspect(now: .seconds(1)) == .ping)
        #expect(watchdog.suspect(now: .seconds(3)) == .ping)
        #expect(watchdog.tick(now: .seconds(5)) == .none)
        #expect(watchdog.tick(now: .seconds(6)) == .giveUp)
        watchdog.heard(now: .seconds(6))
        #expect(watchdog.tick(now: .seconds(13)) == .none)
    }
}

@Suite("Suspend")
struct SuspendDetectorTests {
    @Test("Only a lead of the boot clock counts, once")
    func detects() {
        var detector = SuspendDetector(bootLead: .seconds(100))
        #expect(detector.slept(bootLead: .seconds(100)) == nil)
        #expect(detector.slept(bootLead: .seconds(100) + .milliseconds(3)) == nil)
        #expect(detector.slept(bootLead: .seconds(160)) == .seconds(60) - .milliseconds(3))
        #expect(detector.slept(bootLead: .seconds(160)) == nil)
        #expect(detector.slept(bootLead: .seconds(159)) == nil)
    }
}

@Suite("Several addresses")
struct AddressTests {
    private func address(_ family: SocketAddress.Family, _ number: UInt8) -> SocketAddress {
        SocketAddress(family: family, host: "\(number)", port: 1, bytes: [number])
    }

    @Test("Families alternate, repetitions go, eight are enough")
    func interleaves() {
        let sixes = (1...9).map { self.address(.ipv6, $0) }
        let fours = (11...12).map { self.address(.ipv4, $0) }
        #expect((sixes + fours).interleaved().map(\.host) == ["1", "11", "2", "12", "3", "4", "5", "6"])
        #expect((fours + fours + [sixes[0]]).interleaved().map(\.host) == ["11", "1", "12"])
        #expect([SocketAddress]().interleaved().isEmpty)
    }

    @Test("The next address starts after 300 ms of waiting, or at once after a failure")
    func staggers() {
        var race = AddressRace(count: 3)
        #expect(race.begin(now: .zero) == .start(0))
        #expect(race.tick(now: .milliseconds(299)) == .none)
        #expect(race.tick(now: .milliseconds(300)) == .start(1))
        #expect(race.failed(0, now: .milliseconds(310)) == .start(2))
        #expect(race.deadline == nil)
        #expect(race.tick(now: .seconds(10)) == .none)
        #expect(race.failed(2, now: .seconds(10)) == .none)
        #expect(race.failed(1, now: .seconds(10)) == .exhausted)
    }

    @Test(
        "A numeric address needs no resolver",
        arguments: [
            ("127.0.0.1", "127.0.0.1:1883"), ("::1", "[::1]:1883"), ("0:0::1", "[::1]:1883"), ("name", nil), ("", nil),
        ] as [(String, String?)])
    func numeric(host: String, expected: String?) {
        let addresses = try? AddressLookup.resolve(host: host, port: 1883, numericOnly: true).get()
        #expect(host.isEmpty || addresses?.first?.description == expected)
    }
}

@Suite("Name look-ups")
struct LookupBookTests {
    private let answer = LookupBook.Answer.success([SocketAddress(family: .ipv4, host: "192.0.2.1", port: 1, bytes: [])])
    private let failure = LookupBook.Answer.failure(MQTTLinkError(.nameNotResolved, detail: ""))

    @Test("One that is under way is waited for, and its late answer serves the next attempt")
    func reuses() {
        var book = LookupBook()
        #expect(book.begin(now: .zero) == .start(1))
        #expect(book.begin(now: .seconds(10)) == .wait)
        book.ended(1, self.answer, now: .seconds(12))
        #expect(book.begin(now: .seconds(20)) == .take)
        #expect(book.take() == self.answer)
        #expect(book.take() == nil)
        #expect(book.begin(now: .seconds(21)) == .start(2))
    }

    @Test("An old answer and an old failure are asked again")
    func old() {
        var book = LookupBook()
        _ = book.begin(now: .zero)
        book.ended(1, self.answer, now: .zero)
        #expect(book.begin(now: .seconds(31)) == .start(2))
        book.ended(2, self.failure, now: .seconds(31))
        #expect(book.begin(now: .seconds(31)) == .start(3))
    }

    @Test("Look-ups that never end are three at most")
    func bounded() {
        var book = LookupBook()
        let steps = (0..<20).map { book.begin(now: .seconds($0 * 31)) }
        #expect(steps.prefix(3) == [.start(1), .start(2), .start(3)])
        #expect(steps.dropFirst(3).allSatisfy { $0 == .wait })
        book.notStarted(2)
        #expect(book.begin(now: .seconds(1000)) == .start(4))
    }
}

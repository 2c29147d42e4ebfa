import Testing

@testable import MQTTClient

@Suite("The choice of the MQTT version")
struct ProtocolFallbackTests {
    enum Event: Sendable { case refused, refusedOtherwise, closed, silent, unreachable, accepted, day }

    @Test(
        "each sequence of ends has its version",
        arguments: [
            ([], .v5), ([.refused], .v311), ([.closed], .v5), ([.closed, .closed], .v311), ([.closed, .unreachable, .closed], .v5),
            ([.closed, .refusedOtherwise, .closed], .v5), ([.closed, .accepted, .closed], .v5),
            ([.closed, .closed, .closed, .closed], .v5),
            ([.refused, .refused], .v5), ([.refused, .accepted], .v311), ([.refused, .accepted, .closed], .v311),
            ([.silent], .v5), ([.silent, .silent], .v311), ([.silent, .unreachable, .silent], .v5), ([.silent, .closed, .silent], .v5),
            ([.silent, .silent, .silent], .v5), ([.silent, .silent, .closed], .v5), ([.silent, .silent, .unreachable], .v5),
            ([.silent, .silent, .silent, .silent], .v5), ([.silent, .silent, .silent, .silent, .silent], .v311),
            ([.silent, .silent, .refusedOtherwise, .silent, .silent], .v311), ([.silent, .silent, .refused], .v5),
            ([.silent, .silent, .accepted, .silent, .silent, .silent], .v311), ([.silent, .silent, .accepted, .day], .v5),
            ([.accepted, .silent, .silent, .silent], .v5), ([.closed, .closed, .silent, .silent], .v311),
            ([.refused, .accepted, .day], .v5), ([.refused, .day], .v311), ([.refused, .accepted, .day, .accepted, .closed], .v5),
            // A proxy closes while the broker restarts: one that has answered 5 is asked in 5.
            ([.accepted, .closed, .closed, .closed, .closed], .v5), ([.accepted, .closed, .closed, .accepted, .closed, .closed], .v5),
            // 3.1.1 was closed as well, so its acceptance later says nothing about 5.
            ([.closed, .closed, .closed, .accepted], .v5), ([.closed, .closed, .accepted], .v311),
            // What was found out is kept while the broker restarts behind a proxy.
            ([.closed, .closed, .accepted, .closed, .accepted], .v311),
            // A broker that was replaced by an older one.
            ([.accepted, .refused, .accepted], .v311), ([.accepted] + Array(repeating: .closed, count: 30), .v311),
            ([.accepted] + Array(repeating: .closed, count: 30) + [.accepted], .v5),
        ] as [([Event], MQTTProtocolVersion)])
    func sequences(events: [Event], version: MQTTProtocolVersion) {
        var fallback = ProtocolFallback(preference: .auto, remembered: nil, now: .zero)
        var now = Duration.zero
        for event in events {
            switch event {
            case .refused: _ = fallback.refused(.unsupportedProtocolVersion)
            case .refusedOtherwise: _ = fallback.refused(.serverBusy)
            case .closed: fallback.closedBeforeConnack()
            case .silent: fallback.wasSilent()
            case .unreachable: fallback.endedOtherwise()
            case .accepted: _ = fallback.accepted(now: now)
            case .day: now += .seconds(24 * 3600)
            }
            fallback.attemptStarts(now: now)
        }
        #expect(fallback.version == version)
    }

    @Test("a fixed version stays", arguments: [(MQTTConfiguration.ProtocolPreference.v5, MQTTProtocolVersion.v5), (.v311, .v311)])
    func fixed(preference: MQTTConfiguration.ProtocolPreference, version: MQTTProtocolVersion) {
        var fallback = ProtocolFallback(preference: preference, remembered: .v311, now: .zero)
        #expect(fallback.refused(.unsupportedProtocolVersion) == false)
        for _ in 0..<2 { fallback.closedBeforeConnack() }
        for _ in 0..<3 {
            fallback.wasSilent()
            #expect(fallback.version == version)
        }
        fallback.endedOtherwise()
        fallback.attemptStarts(now: .seconds(90_000))
        #expect(fallback.version == version)
        #expect(fallback.accepted(now: .zero) == nil)
    }

    @Test("changes are reported once: a new version, and every renewal of 3.1.1 after a day")
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

    @Test(
        "3.1.1 is remembered only when it says something about 5",
        arguments: [
            ([.refused], true), ([.closed, .closed], true), ([.silent, .silent], true), ([.closed, .closed, .closed], false),
            ([.accepted, .refused], true), ([.accepted] + Array(repeating: .closed, count: 30), false),
        ] as [([Event], Bool)])
    func evidence(events: [Event], isRemembered: Bool) {
        var fallback = ProtocolFallback(preference: .auto, remembered: nil, now: .zero)
        for event in events {
            fallback.attemptStarts(now: .zero)
            switch event {
            case .refused: _ = fallback.refused(.unsupportedProtocolVersion)
            case .closed: fallback.closedBeforeConnack()
            case .silent: fallback.wasSilent()
            case .accepted: _ = fallback.accepted(now: .zero)
            case .refusedOtherwise, .unreachable, .day: break
            }
        }
        #expect(fallback.version == .v311)
        #expect(fallback.accepted(now: .zero) == (isRemembered ? .v311 : nil))
    }

    @Test("a remembered 3.1.1 is used for a day")
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

@Suite("The watch over the owner")
struct OwnerWatchdogTests {
    /// The owner turns until `stalls`; ticks come `late` after their time.
    /// - Returns: when the watchdog gave up; `nil` when it did not within a minute.
    private func run(stalls: Duration, late: Duration = .zero) -> Duration? {
        var watchdog = OwnerWatchdog(limit: .seconds(10), now: .zero)
        var hasAnswered = true
        while watchdog.deadline < .seconds(60) {
            let now = watchdog.deadline + late
            #expect(watchdog.tick(now: watchdog.deadline - .milliseconds(1), hasAnswered: false) == .none)
            switch watchdog.tick(now: now, hasAnswered: hasAnswered) {
            case .none: break
            case .ask: hasAnswered = now < stalls
            case .giveUp: return now
            }
        }
        return nil
    }

    @Test("gives up 10 to 15 seconds after the owner's last turn")
    func limit() {
        for tenths in 1..<300 {
            let stalls = Duration.milliseconds(100 * tenths)
            let gaveUp = self.run(stalls: stalls)
            #expect(gaveUp.map { $0 >= stalls + .seconds(10) && $0 <= stalls + .seconds(15) } == true, "\(stalls): \(gaveUp as Any)")
        }
    }

    @Test("an owner that answers is never given up")
    func answers() { #expect(self.run(stalls: .seconds(100)) == nil) }

    @Test("ticks that come as late as the questions are apart do not count: the whole process stood still")
    func stopped() {
        #expect(self.run(stalls: .seconds(7), late: .seconds(5)) == nil)
        #expect(self.run(stalls: .seconds(7), late: .milliseconds(4900)) != nil)
    }
}

@Suite("The watchdog")
struct LinkWatchdogTests {
    /// Runs the watchdog against a link that answers pings after `latency` until it dies.
    /// - Returns: when it gave up.
    private func run(limit: Duration, dies: Duration, latency: Duration, chatter: Duration?) -> Duration {
        var watchdog = LinkWatchdog(limit: limit, now: .zero)
        var received: [Duration] = []
        if let chatter { received = stride(from: 1, through: 1000, by: 1).map { chatter * $0 }.filter { $0 <= dies } }
        var now = Duration.zero
        while now < .seconds(5000) {
            if let next = received.first, next <= watchdog.deadline {
                received.removeFirst()
                now = next
                watchdog.received(now: now)
                continue
            }
            now = watchdog.deadline
            switch watchdog.tick(now: now) {
            case .none: break
            case .ping: if now <= dies { received = (received + [now + latency]).sorted() }
            case .giveUp: return now
            }
        }
        return now
    }

    @Test("a dead link is found within the limit, a live one is kept", arguments: [15, 2] as [Int64], [nil, 0.3, 4.9, 7.4] as [Double?])
    func findsDeath(limit: Int64, chatter: Double?) {
        for milliseconds in stride(from: 0, through: 60_000, by: 777) {
            let dies = Duration.milliseconds(milliseconds)
            let found = self.run(limit: .seconds(limit), dies: dies, latency: .milliseconds(100), chatter: chatter.map { .seconds($0) })
            #expect(found > dies)
            #expect(found <= dies + .seconds(limit))
        }
    }

    @Test("a slow broker is given half of the limit to answer")
    func slowBroker() {
        var watchdog = LinkWatchdog(limit: .seconds(15), now: .zero)
        #expect(watchdog.tick(now: .seconds(7)) == .none)
        #expect(watchdog.tick(now: .milliseconds(7500)) == .ping)
        #expect(watchdog.tick(now: .seconds(14)) == .none)
        watchdog.received(now: .seconds(14))
        #expect(watchdog.tick(now: .seconds(15)) == .none)
        #expect(watchdog.deadline == .milliseconds(21_500))
    }

    @Test("after a stop of this process the broker is asked before it is given up")
    func lateTick() {
        var watchdog = LinkWatchdog(limit: .seconds(15), now: .zero)
        #expect(watchdog.tick(now: .seconds(300)) == .ping)
        #expect(watchdog.tick(now: .seconds(304)) == .none)
        #expect(watchdog.tick(now: .seconds(305)) == .giveUp)
    }

    @Test("a suspicion asks at once and waits a third of the limit, however often it is raised")
    func suspicion() {
        var watchdog = LinkWatchdog(limit: .seconds(15), now: .zero)
        #expect(watchdog.suspect(now: .seconds(1)) == .ping)
        #expect(watchdog.suspect(now: .seconds(3)) == .ping)
        #expect(watchdog.tick(now: .seconds(5)) == .none)
        #expect(watchdog.tick(now: .seconds(6)) == .giveUp)
        watchdog.received(now: .seconds(6))
        #expect(watchdog.tick(now: .seconds(13)) == .none)
    }
}

@Suite("Suspend")
struct SuspendDetectorTests {
    @Test("only a lead of the boot clock counts, once")
    func detects() {
        var detector = SuspendDetector(bootLead: .seconds(100))
        #expect(detector.slept(bootLead: .seconds(100)) == nil)
        #expect(detector.slept(bootLead: .seconds(100) + .milliseconds(3)) == nil)
        #expect(detector.slept(bootLead: .seconds(160)) == .seconds(60) - .milliseconds(3))
        #expect(detector.slept(bootLead: .seconds(160)) == nil)
        #expect(detector.slept(bootLead: .seconds(159)) == nil)
    }
}

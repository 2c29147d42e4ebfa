import Glibc
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import MulticastDNS
@testable import MulticastDNSAnnouncing

/// Beginning, end and bad weather of browser and announcer, on loopback.
@Suite("Lifetime of browser and announcer", .serialized, .timeLimit(.minutes(5)))
struct LifetimeTests {
    private let loop = MultiThreadedEventLoopGroup.singleton.next()

    private func browser(_ type: String, _ interfaces: [String] = ["lo"], _ recorder: ChangeRecorder = ChangeRecorder()) -> Browser {
        Browser(serviceType: type, interfaces: .named(interfaces), eventLoop: self.loop, logger: quiet, onChange: recorder.record)
    }

    /// Open shared sockets.
    private func sockets(in browser: Browser) async -> Int { await browser.statistics.interfaces.reduce(0) { $0 + $1.families.count } }

    @Test("cancelling ends a run at once with every socket closed, and it can run again")
    func endsPromptly() async throws {
        let browser = self.browser(uniqueServiceType())
        for _ in 1...3 {
            let run = Task { try await browser.run() }
            try await eventually("sockets") { await self.sockets(in: browser) > 0 }
            let begin = NIODeadline.now()
            run.cancel()
            try await run.value
            // Far more than the slowest machine takes; forgetting a socket would hang or show below.
            #expect(NIODeadline.now() - begin < .seconds(60))
            #expect(await browser.statistics.interfaces.isEmpty)
        }
    }

    @Test("without netlink the interfaces are checked again and again, until the end")
    func polls() async throws {
        let loop = self.loop
        let box = NIOLoopBoundBox.makeBoxSendingValue((monitor: InterfaceMonitor?.none, looks: 0), eventLoop: loop)
        try await loop.submit {
            let monitor = InterfaceMonitor(eventLoop: loop, pollInterval: .milliseconds(1), usesNetlink: false) { box.value.looks += 1 }
            box.value.monitor = monitor
            monitor.start()
        }.get()
        try await eventually("three looks") { (try? await loop.submit { box.value.looks >= 3 }.get()) == true }
        try await loop.flatSubmit { box.value.monitor?.stop() ?? loop.makeSucceededVoidFuture() }.get()
        let looks = try await loop.submit { box.value.looks }.get()
        try await loop.scheduleTask(in: .milliseconds(20)) {}.futureResult.get()
        #expect(try await loop.submit { box.value.looks }.get() == looks)
    }

    @Test("a second run at the same time, and a type that is not a name, are refused")
    func refuses() async throws {
        let browser = self.browser(uniqueServiceType())
        try await running([browser.run]) {
            try await eventually("sockets") { await self.sockets(in: browser) > 0 }
            await #expect { try await browser.run() } throws: { ($0 as? MulticastDNSError)?.code == .alreadyRunning }
        }
        await #expect { try await self.browser("").run() } throws: { ($0 as? MulticastDNSError)?.code == .invalidName }
    }

    @Test("a named interface that is missing is reported with its reason, and the others work")
    func reportsMissingInterface() async throws {
        let (type, recorder) = (uniqueServiceType(), ChangeRecorder())
        let browser = self.browser(type, ["lo", "nothere0"], recorder)
        let announcer = ServiceAnnouncer(interfaces: .named(["lo"]), eventLoop: self.loop, logger: quiet)
        try await running([browser.run, announcer.run]) {
            try await announcer.announce(service("tv", type: type, addresses: ["127.0.1.1"]), probing: false)
            await recorder.wait("the service", untilServices: { $0["tv"] != nil })
            let statistics = await browser.statistics
            #expect(statistics.servicesKnown == 1 && statistics.packetsReceived > 0 && statistics.lastReceived != nil)
            #expect(statistics.interfaces.map(\.name) == ["lo", "nothere0"])
            #expect(statistics.interfaces.first?.lastReceived != nil && statistics.interfaces.first?.lastError == nil)
            #expect(statistics.interfaces.last?.index == nil && statistics.interfaces.last?.lastError?.code == .interfaceUnusable)
        }
    }

    @Test("hostile packets on the group have no effect")
    func survivesHostilePackets() async throws {
        let (type, recorder) = (uniqueServiceType(), ChangeRecorder())
        let browser = self.browser(type, ["lo"], recorder)
        let announcer = ServiceAnnouncer(interfaces: .named(["lo"]), eventLoop: self.loop, logger: quiet)
        let loop = self.loop
        let attacker = NIOLoopBoundBox<LinkSet?>.makeEmptyBox(valueType: LinkSet.self, eventLoop: loop)
        try await running([browser.run, announcer.run]) {
            try await eventually("sockets") { await self.sockets(in: browser) > 0 }
            try await loop.submit {
                let links = LinkSet(selection: .named(["lo"]), kinds: [.shared], eventLoop: loop, limits: Limits(), logger: quiet) {
                    event in
                    guard case .ready(let scope, _) = event else { return }
                    var generator = SeededGenerator(seed: 7)
                    let valid = MessageCodecTests.encode(MessageCodecTests.everyKind)
                    for _ in 0..<500 {
                        var packet = valid
                        for _ in 0..<Int.random(in: 1...20, using: &generator) {
                            packet[Int.random(in: packet.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
                        }
                        attacker.value?.multicast(
                            [Array(packet.prefix(Int.random(in: 0...packet.count, using: &generator)))], on: scope.index)
                    }
                }
                attacker.value = links
                links.start()
            }.get()
            try await announcer.announce(service("tv", type: type, addresses: ["127.0.1.1"]), probing: false)
            await recorder.wait("the service", untilServices: { $0["tv"] != nil })
            try await eventually("malformed packets") { await browser.statistics.packetsMalformed > 0 }
        }
        try await loop.flatSubmit { attacker.value?.stop() ?? loop.makeSucceededVoidFuture() }.get()
    }

    @Test("an announcement that is cancelled, or whose run ends, is over with the reason")
    func announcementEnds() async throws {
        let announcer = ServiceAnnouncer(interfaces: .named(["lo"]), eventLoop: self.loop, logger: quiet)
        let type = uniqueServiceType()
        let (one, two) = (
            try service("one", type: type, addresses: ["127.0.1.1"]), try service("two", type: type, addresses: ["127.0.1.1"])
        )
        let cancelled = Task { try await announcer.announce(one) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let stopped = Task { try await announcer.announce(two) }
        try await eventually("the announcement") { (try? await announcer.update(two)) != nil }
        let run = Task { try await announcer.run() }
        try await eventually("an interface") { await !announcer.interfaceStatuses.isEmpty }
        run.cancel()
        try await run.value
        await #expect { try await stopped.value } throws: { ($0 as? MulticastDNSError)?.code == .stopped }
    }
}

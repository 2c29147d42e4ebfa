import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import MulticastDNS

/// Beginning, end and bad weather of browser and announcer, on loopback.
@Suite("Life of browser and announcer", .serialized, .timeLimit(.minutes(2)))
struct LifeTests {
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
            await eventually("sockets") { await self.sockets(in: browser) > 0 }
            let begin = NIODeadline.now()
            run.cancel()
            try await run.value
            // Ten times the promise, for slow machines; forgetting a socket would hang or show below.
            #expect(NIODeadline.now() - begin < .seconds(2))
            #expect(await browser.statistics.interfaces.isEmpty)
        }
    }

    @Test("a run leaves no descriptor behind")
    func leavesNoDescriptor() async throws {
        // In a process of many tests only a namespace's own sockets can be counted: /proc/net/udp of its thread.
        guard geteuid() == 0 else { return }
        let host = try await NetworkNamespace()
        let count = {
            try await host.loop.submit {
                let tables = ["udp", "udp6", "netlink"].map { table in Self.lines("/proc/thread-self/net/\(table)") }
                return tables.reduce(0, +)
            }.get()
        }
        let before = try await count()
        let browser = Browser(
            serviceType: uniqueServiceType(), interfaces: .named(["lo"]), eventLoop: host.loop, logger: quiet, onChange: { _ in })
        let announcer = Announcer(interfaces: .named(["lo"]), eventLoop: host.loop, logger: quiet)
        let runs = [Task { try await browser.run() }, Task { try await announcer.run() }]
        await eventually("sockets") { await self.sockets(in: browser) > 0 }
        await eventually("sockets") { await announcer.interfaceStatuses.first?.families.isEmpty == false }
        #expect(try await count() > before)
        for run in runs {
            run.cancel()
            try await run.value
        }
        #expect(try await count() == before)
        await host.end()
    }

    private static func lines(_ path: String) -> Int {
        guard let file = fopen(path, "r") else { return -1 }
        defer { fclose(file) }
        var count = 0
        while true {
            let byte = fgetc(file)
            if byte == EOF { return count }
            if byte == 10 { count += 1 }
        }
    }

    @Test("a second run at the same time, and a type that is no name, are refused")
    func refuses() async throws {
        let browser = self.browser(uniqueServiceType())
        try await running([browser.run]) {
            await eventually("sockets") { await self.sockets(in: browser) > 0 }
            await #expect { try await browser.run() } throws: { ($0 as? MulticastDNSError)?.code == .alreadyRunning }
        }
        await #expect { try await self.browser("").run() } throws: { ($0 as? MulticastDNSError)?.code == .invalidName }
    }

    @Test("a named interface that is missing is told with its reason, and the others work")
    func tellsMissingInterface() async throws {
        let (type, recorder) = (uniqueServiceType(), ChangeRecorder())
        let browser = self.browser(type, ["lo", "nothere0"], recorder)
        let announcer = Announcer(interfaces: .named(["lo"]), eventLoop: self.loop, logger: quiet)
        try await running([browser.run, announcer.run]) {
            try await announcer.announce(service("tv", type: type, addresses: ["127.0.1.1"]), probing: false)
            await recorder.wait("the service", untilServices: { $0["tv"] != nil })
            let statistics = await browser.statistics
            #expect(statistics.servicesKnown == 1 && statistics.packetsHeard > 0 && statistics.lastHeard != nil)
            #expect(statistics.interfaces.map(\.name) == ["lo", "nothere0"])
            #expect(statistics.interfaces.first?.lastHeard != nil && statistics.interfaces.first?.lastError == nil)
            #expect(statistics.interfaces.last?.index == nil && statistics.interfaces.last?.lastError?.code == .interfaceUnusable)
        }
    }

    @Test("hostile packets on the group disturb nobody")
    func survivesHostilePackets() async throws {
        let (type, recorder) = (uniqueServiceType(), ChangeRecorder())
        let browser = self.browser(type, ["lo"], recorder)
        let announcer = Announcer(interfaces: .named(["lo"]), eventLoop: self.loop, logger: quiet)
        let loop = self.loop
        let attacker = NIOLoopBoundBox<LinkSet?>.makeEmptyBox(valueType: LinkSet.self, eventLoop: loop)
        try await running([browser.run, announcer.run]) {
            await eventually("sockets") { await self.sockets(in: browser) > 0 }
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
            await eventually("malformed packets") { await browser.statistics.packetsMalformed > 0 }
        }
        try await loop.flatSubmit { attacker.value?.stop() ?? loop.makeSucceededVoidFuture() }.get()
    }

    @Test("an announcement that is cancelled, or whose run ends, is over with the reason")
    func announcementEnds() async throws {
        let announcer = Announcer(interfaces: .named(["lo"]), eventLoop: self.loop, logger: quiet)
        let type = uniqueServiceType()
        let (one, two) = (
            try service("one", type: type, addresses: ["127.0.1.1"]), try service("two", type: type, addresses: ["127.0.1.1"])
        )
        let cancelled = Task { try await announcer.announce(one) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let stopped = Task { try await announcer.announce(two) }
        await eventually("the announcement") { (try? await announcer.update(two)) != nil }
        let run = Task { try await announcer.run() }
        await eventually("an interface") { await !announcer.interfaceStatuses.isEmpty }
        run.cancel()
        try await run.value
        await #expect { try await stopped.value } throws: { ($0 as? MulticastDNSError)?.code == .stopped }
    }
}

import MulticastDNS
import MulticastDNSAnnouncing
import NIOCore
import NIOPosix
import Testing

@Suite("Browser and announcer on loopback", .timeLimit(.minutes(5)))
struct LoopbackTests {
    @Test("a hundred services with an address each are found completely")
    func findsAHundredServices() async throws {
        let type = uniqueServiceType()
        let recorder = ChangeRecorder()
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let announcer = ServiceAnnouncer(interfaces: .named(["lo"]), eventLoop: loop, logger: quiet)
        let browser = Browser(
            serviceType: type, interfaces: .named(["lo"]), eventLoop: MultiThreadedEventLoopGroup.singleton.next(), logger: quiet,
            onChange: recorder.record)
        try await running([announcer.run, browser.run]) {
            for number in 1...100 {
                let name = "sim-\(number)"
                try await announcer.announce(
                    service(name, type: type, text: ["id": name, "fn": "Room \(number)"], addresses: ["127.0.1.\(number)"]), probing: false)
            }
            await recorder.wait("100 services", untilServices: { $0.count == 100 })
        }
        for number in 1...100 {
            let found = recorder.services["sim-\(number)"]
            #expect(found?.addresses.map(\.description) == ["127.0.1.\(number)"])
            #expect(found?.text.string("FN") == "Room \(number)")
            #expect(found?.hostName == "sim-\(number).local")
        }
    }

    @Test("a browser that starts later finds services announced before it, and the time to find 100 is printed")
    func findsEarlierServices() async throws {
        let type = uniqueServiceType()
        let recorder = ChangeRecorder()
        let announcer = ServiceAnnouncer(interfaces: .named(["lo"]), eventLoop: MultiThreadedEventLoopGroup.singleton.next(), logger: quiet)
        let browser = Browser(
            serviceType: type, interfaces: .named(["lo"]), eventLoop: MultiThreadedEventLoopGroup.singleton.next(), logger: quiet,
            onChange: recorder.record)
        try await running([announcer.run]) {
            for number in 1...100 {
                try await announcer.announce(service("sim-\(number)", type: type, addresses: ["127.0.1.\(number)"]), probing: false)
            }
            let begin = NIODeadline.now()
            try await running([browser.run]) {
                await recorder.wait("100 services", untilServices: { $0.count == 100 })
                print("100 services found on lo in \((NIODeadline.now() - begin).nanoseconds / 1_000_000) ms")
            }
        }
    }
}

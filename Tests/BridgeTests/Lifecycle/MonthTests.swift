import BridgeCore
import CastReceiverSimulator
import NIOCore
import Testing

@testable import Bridge

#if canImport(Glibc)
    import Glibc
#endif

@Suite("A month", .timeLimit(.minutes(20)))
struct MonthTests {
    /// The figures that may not grow.
    struct Sizes: Equatable, Sendable {
        var agents = 0
        var running = 0
        var commands = 0
        var backlog = 0
        var unrecorded = 0
        var known = 0
        var topics = 0
        var connections = 0
        var retained = 0
    }

    @Test("thirty days of tracks, restarts of devices and of the broker leave everything right and nothing behind")
    func thirtyDays() async throws {
        let start = ContinuousClock().now
        let world = try await BridgeWorld.settled()
        let broker = world.broker
        // No message of the month may have this in it.
        let secret = "planted"
        broker.set { ($0.keepsJournal, $0.journal, $0.secret) = (false, [], Array(secret.utf8)) }
        var (sizes, resident): ([Sizes], [Int]) = ([], [])
        for day in 1...30 {
            for hour in 0..<24 {
                let device = world.devices[0]
                let url = "http://h/day\(day)-hour\(hour)?X-Plex-Token="
                let metadata: JSON = ["images": [["url": .string("http://h/\(hour).jpg?w=1&authSig=\(secret)")]]]
                let item = RemoteItem(url: url + secret, title: url + secret, metadata: metadata, durationSeconds: 900)
                try await world.act { try device.perform(.load(item)) }
                await world.advance(.seconds(5), step: .seconds(1))
                #expect(world.held("status/content_id") == url + "…" && world.held("status/artwork") == nil)
                if hour == 7 { try await self.sendCommands(world, secret: secret) }
                if hour == 3 {
                    try await world.act { device.set(.off) }
                    await world.advance(.seconds(60), step: .seconds(1))
                    #expect(world.held("availability") == "offline")
                    try await world.act { device.set(.on) }
                    await world.advance(.seconds(30), step: .seconds(1))
                }
                if hour == 12, day.isMultiple(of: 3) {
                    try await world.act { broker.stop(losingStore: day.isMultiple(of: 6)) }
                    await world.advance(.seconds(10), step: .seconds(1))
                    try await world.act { broker.start() }
                    await world.advance(.seconds(5), step: .milliseconds(100))
                    #expect(broker.isOnline)
                }
                await world.advance(.seconds(60), step: .seconds(10))
                await world.virtual.advance(.minutes(57), step: .minutes(3))
            }
            #expect(world.areAllAvailable)
            #expect(await world.treeIsAsWanted())
            #expect(broker.violations == [])
            sizes.append(await self.sizes(world))
            resident.append(Self.residentKilobytes())
        }
        #expect(sizes.allSatisfy { $0 == sizes[1] }, "\(sizes)")
        #expect(resident.allSatisfy { $0 > 0 }, "resident kB by day: \(resident)")
        #expect(resident[29] <= resident[1] * 11 / 10 + 4096, "resident kB by day: \(resident)")
        print(
            "a month: \(broker.set { $0.publishCount }) messages, \(broker.set { $0.retainedCount }) of them retained; resident kB on day 2: "
                + "\(resident[1]), on day 30: \(resident[29]); \(ContinuousClock().now - start)")
        await world.end()
    }

    /// Commands with secrets in their addresses: done, refused and unknown ones.
    private func sendCommands(_ world: BridgeWorld, secret: String) async throws {
        let address = "http://me:\(secret)@h/film.mp4?token=\(secret)"
        for (tail, payload) in [
            (
                "cmd/load",
                #"{"id":"m1","url":"\#(address)","title":"A title","tracks":[{"url":"\#(address)","type":"text","language":"en"}]}"#
            ),
            ("cmd/queue_insert", #"{"id":"m2","items":[{"url":"\#(address)"}]}"#), ("cmd/load", #"{"id":"m3","link":"\#(address)"}"#),
            ("cmd/transfer", #"{"id":"m4","target":"\#(address)"}"#), ("cmd/\(address)", ""), ("cmd", #"{"id":"m5","cmd":"\#(address)"}"#),
        ] {
            try await world.send(tail, payload)
            await world.advance(.seconds(3), step: .seconds(1))
        }
        try await world.request("snapshot")
        await world.advance(.seconds(2), step: .seconds(1))
        #expect(world.devices[0].truth("content_id")?.text?.contains(secret) == true, "the device gets the address as it is")
    }

    private func sizes(_ world: BridgeWorld) async -> Sizes {
        var sizes = await world.look { bridge in
            Sizes(
                agents: bridge.fleet.devices.count, running: bridge.commands.counts.running, commands: bridge.commands.counts.all,
                backlog: bridge.publisher.backlog, unrecorded: bridge.record.waitingOwners, known: bridge.record.knownDevices.count,
                topics: bridge.record.knownDevices.map(\.topics.count).reduce(0, +)
            )
        }
        sizes.connections = world.devices.map(\.openConnections).reduce(0, +)
        sizes.retained = world.broker.set { $0.retained.count }
        return sizes
    }

    private static func residentKilobytes() -> Int {
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasPrefix("VmRSS:") { return Int(text.filter(\.isNumber)) ?? 0 }
        }
        return 0
    }
}

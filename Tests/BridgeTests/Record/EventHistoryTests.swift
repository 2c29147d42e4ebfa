import BridgeCore
import CastReceiverSimulator
import CastSender
import Foundation
import NIOCore
import Testing

@testable import Bridge

@Suite("The history over restarts", .timeLimit(.minutes(10))) struct EventHistoryTests {
    private static let failingLoad =
        #"{"url":"http://user:pass@h/missing/a.mp4?token=geheim","metadata":{"type":"generic","title":"A film"}}"#

    private static func world(_ kept: String? = nil, days: Int = 30) async throws -> BridgeWorld {
        let world = try BridgeWorld(configure: { $0.historyDays = days })
        try kept?.write(toFile: Self.path(world), atomically: true, encoding: .utf8)
        try await world.start()
        _ = await world.advance(until: { world.broker.isOnline && world.areAllAvailable }, limit: .seconds(10))
        await world.advance(.seconds(5))
        return world
    }

    private static func path(_ world: BridgeWorld) -> String { world.directory + "/history.jsonl" }
    private static func text(_ world: BridgeWorld) -> String? { try? String(contentsOfFile: Self.path(world), encoding: .utf8) }

    private static func events(_ world: BridgeWorld, of device: String? = nil, failed: Bool = false) async -> [String] {
        await world.bridge.history(of: device, since: Timestamp(milliseconds: 0), failed: failed, limit: 100).map {
            [$0["event_type"]?.stringValue, $0["title"]?.stringValue].compactMap(\.self).joined(separator: " ")
        }
    }

    @Test("what failed and which device was offline is known after a restart, with title and reason, without secrets")
    func kept() async throws {
        let former = try await Self.world()
        try await former.send("cmd/load", Self.failingLoad)
        await former.advance(.seconds(10))
        #expect(await Self.events(former, of: former.slug()).first == "load_failed A film")
        #expect(Self.text(former) == nil, "nothing is written before five minutes have passed")
        try await former.act { former.devices[0].set(.off) }
        await former.advance(.seconds(60))
        #expect(await Self.events(former, of: former.devices[0].description.id).first == "device_offline")
        _ = await former.leave()
        let text = try #require(Self.text(former))
        let mode = try FileManager.default.attributesOfItem(atPath: Self.path(former))[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(text.contains(#""code":"load_failed""#) && !text.contains("geheim") && !text.contains("pass@"))
        await former.end()

        let world = try await Self.world(text)
        let events = await Self.events(world)
        #expect(events.filter { $0 != "device_online" } == ["device_offline", "load_failed A film"])
        #expect(await Self.events(world, failed: true) == ["load_failed A film"])
        await world.end()
    }

    /// The kind of an event, its further members, and whether it is a failure.
    static let kinds: [(kind: String, members: String, isFailure: Bool)] = [
        ("load_failed", "", true), ("media_ended", #","reason":"error""#, true), ("media_ended", #","reason":"finished""#, false),
        ("media_changed", #","reason":"item","previous_reason":"error""#, true),
        ("media_changed", #","reason":"item","previous_reason":"finished""#, false), ("device_offline", "", false),
    ]

    @Test("media that ended by an error are failures, also an item of a queue", arguments: Self.kinds)
    func failures(kind: String, members: String, isFailure: Bool) async throws {
        let now = try await Self.world()
        let time = await now.look { $0.context.now.wall.text }
        await now.end()
        let world = try await Self.world("{\"ts\":\"\(time)\",\"event_type\":\"\(kind)\",\"slug\":\"x\"\(members)}\n")
        let events = await Self.events(world, failed: true)
        #expect(events == (isFailure ? [kind] : []))
        await world.end()
    }

    @Test("events are written after five minutes, and nothing is when nothing happened")
    func pace() async throws {
        let world = try await Self.world()
        await world.advance(.minutes(6))
        let text = try #require(Self.text(world))
        #expect(text.contains("device_online") && text.hasSuffix("\n"))
        try FileManager.default.removeItem(atPath: Self.path(world))
        await world.advance(.minutes(20))
        #expect(Self.text(world) == nil)
        await world.end()
    }

    @Test("events that are written while the file waits to be read are returned once")
    func writtenMeanwhile() async throws {
        let world = try await Self.world()
        let read = await world.look { $0.reporting.history.reading(of: nil, since: Timestamp(milliseconds: 0), failed: false, limit: 100) }
        let before = read()
        await world.advance(.minutes(6))
        #expect(Self.text(world) != nil && !before.isEmpty && read() == before)
        await world.end()
    }

    @Test("half a line of a killed process and events that are too old are left out, and go")
    func torn() async throws {
        func line(_ time: String, _ title: String) -> String {
            #"{"ts":"\#(time)","event_type":"media_ended","id":"x","slug":"x","title":"\#(title)"}"#
        }
        let now = try await Self.world()
        let time = await now.look { $0.context.now.wall }
        await now.end()
        let old = line(time.adding(seconds: -31 * 86_400).text, "old")
        let new = line(time.adding(seconds: -86_400).text, "new")
        let world = try await Self.world("\(old)\n\(new)\n{\"ts\":\"2026-1")
        #expect(await Self.events(world, of: "x") == ["media_ended new"])
        await world.advance(.minutes(6))
        let lines = try #require(Self.text(world)).split(separator: "\n")
        #expect(lines.first.map(String.init) == new && lines.allSatisfy { $0.hasSuffix("}") } && lines.count > 1)
        await world.end()
    }

    @Test("0 days keep nothing, and remove what there is")
    func off() async throws {
        let world = try await Self.world("{}\n", days: 0)
        try await world.send("cmd/load", Self.failingLoad)
        await world.advance(.minutes(6))
        #expect(await Self.events(world).isEmpty && Self.text(world) == nil)
        await world.end()
    }

    @Test("a disk that takes nothing keeps the events waiting, and gets them later")
    func fullDisk() async throws {
        let world = try await Self.world()
        try FileManager.default.createDirectory(atPath: Self.path(world), withIntermediateDirectories: false)
        await world.advance(.minutes(12))
        #expect(await Self.events(world).isEmpty == false)
        try FileManager.default.removeItem(atPath: Self.path(world))
        await world.advance(.minutes(6))
        #expect(Self.text(world)?.contains("device_online") == true)
        await world.end()
    }

    @Test("a large fleet has more events in five minutes than may wait: none is lost, and few wait")
    func many() async throws {
        let world = try await Self.world()
        func lines() -> Int { Self.text(world)?.split(separator: "\n").count ?? 0 }
        for round in 1...8 {
            await world.look { bridge in
                for _ in 0..<EventHistory.batch {
                    bridge.reporting.history.happened(BridgeEvent(.deviceOnline), at: bridge.context.now.wall)
                }
            }
            #expect(await world.advance(until: { lines() >= round * EventHistory.batch }, limit: .seconds(30)) != nil)
        }
        await world.end()
    }

    @Test("the file has at most four megabytes: the oldest lines go")
    func bounded() async throws {
        let world = try await Self.world()
        let file = HistoryFile(directory: try #require(await world.look { $0.context.program.stateDirectory }), days: 30)
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        for number in 0..<90 {
            let events: [JSONObject] = (0..<200).map {
                [
                    "ts": .string(now.text), "number": .integer(Int64(number * 200 + $0)),
                    "title": .string(String(repeating: "x", count: 250)),
                ]
            }
            #expect(file.append(events, now: now, removesOld: false) == nil)
            #expect(try #require(Self.text(world)).utf8.count <= HistoryFile.byteLimit)
        }
        #expect(file.events(newest: 1) { _ in true }.first?["number"]?.intValue == 17_999)
        await world.end()
    }
}

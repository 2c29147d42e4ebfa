import BridgeCore
import CastReceiverSimulator
import CastSender
import NIOCore
import Testing

@testable import Bridge

@Suite("Announcements in virtual time", .timeLimit(.minutes(10)))
struct AnnouncedVolumeTests {
    /// Returns the code of the final answer.
    private static func code(_ world: BridgeWorld, _ payload: String, id: String, _ index: Int = 0) async throws -> String? {
        try await world.send("cmd/announce", payload.dropLast() + #","id":"\#(id)"}"#, index)
        _ = await world.advance(until: { world.answers(id).contains { !$0.contains(#""code":"accepted""#) } }, limit: .seconds(600))
        return try world.answers(id).last.map { try JSONParser.parse($0) }?["code"]?.stringValue
    }

    @Test("are refused in quiet hours unless they are urgent; a reload applies at once, and an unknown zone is UTC with one warning")
    func quiet() async throws {
        let world = try await BridgeWorld.settled(configure: {
            $0.announcements.quietHours = QuietHours("22:00-07:00")
            $0.announcements.timeZone = "Nowhere/Unknown"
        })
        let midnight = Int64(1_800_057_600_000)
        let (bell, alarm) = (#"{"url":"http://h/a.mp3?duration=1"}"#, #"{"url":"http://h/a.mp3?duration=1","priority":"high"}"#)
        for (number, (minutes, payload, code)) in [
            (-121, bell, "done"), (-119, bell, "not_applied"), (-60, alarm, "done"), (0, bell, "not_applied"), (419, bell, "not_applied"),
            (421, bell, "done"),
        ].enumerated() {
            let elapsed = Int64(world.virtual.loop.now.uptimeNanoseconds / 1_000_000)
            world.wallStart.value = midnight + Int64(minutes) * 60_000 - elapsed
            #expect(try await Self.code(world, payload, id: "q\(number)") == code, "\(minutes) minutes after midnight")
        }
        #expect(world.answers("q1").last?.contains("22:00-07:00") == true)
        #expect(world.log.lines.filter { $0.contains("quiet hours") } == ["warning quiet hours are in UTC"])
        var options = AnnouncementOptions()
        options.quietHours = QuietHours("06:00-12:00")
        options.timeZone = "Nowhere/Unknown"
        await world.bridge.apply(
            devices: [], discovery: .init(), presets: Presets(), announcements: options, homeAssistant: .init(mode: .off))
        #expect(try await Self.code(world, bell, id: "reloaded") == "not_applied")
        await world.end()
    }

    @Test(
        "the time of day is that of the zone",
        arguments: [
            (nil, "2026-01-15T12:00:00Z", nil), ("Nowhere/Unknown", "2026-01-15T12:00:00Z", nil),
            ("Etc/UTC", "2026-01-15T12:05:59Z", "12:05"),
            ("Europe/Berlin", "2026-01-15T12:00:00Z", "13:00"), ("Europe/Berlin", "2026-07-15T22:30:00Z", "00:30"),
            ("Europe/Berlin", "2026-10-25T00:59:59Z", "02:59"), ("Europe/Berlin", "2026-10-25T01:00:00Z", "02:00"),
            ("America/New_York", "2026-07-15T03:00:00Z", "23:00"), ("Australia/Lord_Howe", "2026-01-15T12:00:00Z", "23:00"),
            ("Asia/Kathmandu", "2026-01-15T12:00:00Z", "17:45"), ("Europe/Dublin", "2050-07-15T12:00:00Z", "13:00"),
        ] as [(String?, String, String?)])
    func zone(name: String?, time: String, expected: String?) async throws {
        let minutes = await LocalTime.minutes(of: try #require(Timestamp(rfc3339: time)), in: name)
        if name == nil { #expect(minutes != nil) } else { #expect(minutes == expected.flatMap { QuietHours.minutes($0) }) }
    }

    @Test("and every other command make a device no louder than its max_volume, which a group respects for each member")
    func maximum() async throws {
        let world = try await BridgeWorld.settled(devices: 4, groups: 1)
        let group = try #require(world.devices.firstIndex { $0.description.isGroup })
        let ids = world.devices[group].description.members.map(\.id)
        let members = world.devices.indices.filter { ids.contains(world.devices[$0].id) }
        let capped = members[0]
        func level(_ index: Int) -> Double { world.devices[index].truth("volume")?.double ?? -1 }
        try await world.request("device/options", #"{"device":"\#(world.slug(capped))","max_volume":40}"#)
        await world.advance(.seconds(1))
        #expect(world.answers(to: "device/options").last?.contains(#""max_volume":40"#) == true)
        for (topic, payload, index) in [
            ("set/volume", "90", capped), ("set/volume", "+30", capped), ("set", #"{"volume":100}"#, capped), ("set/volume", "95", group),
            ("cmd/group_volume", "95", group),
        ] {
            try await world.send("set/volume", "20", capped)
            await world.advance(.seconds(2))
            #expect(abs(level(capped) - 0.2) < 0.02)
            try await world.send(topic, payload, index)
            await world.advance(.seconds(4))
            #expect(abs(level(capped) - 0.4) < 0.02, "\(topic) \(payload): \(level(capped))")
            if index == group { #expect(level(members[1]) > 0.5, "the others follow") }
        }
        for index in [capped, group] {
            try await world.send("set/volume", "20", capped)
            await world.advance(.seconds(2))
            try await world.send("cmd/announce", #"{"url":"http://h/a.mp3?duration=20","volume":90}"#, index)
            let isHeard = await world.advance(until: { world.devices[index].truth("player")?.text == "PLAYING" }, limit: .seconds(600))
            #expect(isHeard != nil && abs(level(capped) - 0.4) < 0.02, "\(level(capped))")
            await world.advance(.seconds(30))
            #expect(abs(level(capped) - 0.2) < 0.02, "\(level(capped))")
        }
        await world.end()
    }
}

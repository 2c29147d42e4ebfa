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

    private static func worldWithGroup() async throws -> (world: BridgeWorld, group: Int, members: [Int]) {
        let world = try await BridgeWorld.settled(devices: 4, groups: 1)
        let group = try #require(world.devices.firstIndex { $0.description.isGroup })
        let ids = world.devices[group].description.members.map(\.id)
        let members = world.devices.indices.filter { ids.contains(world.devices[$0].id) }
        return (world, group, members)
    }

    @Test("and every other command make a device no louder than its max_volume, which a group respects for each member")
    func maximum() async throws {
        let (world, group, members) = try await Self.worldWithGroup()
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
        // The group's own volume makes members with their ratio, or all of them, louder.
        for index in members { try await world.send("set/volume", "20", index) }
        await world.advance(.seconds(2))
        try await world.send("set/group_device_volume", "95", group)
        await world.advance(.seconds(4))
        #expect(level(capped) < 0.42, "\(members.map(level))")
        for index in [capped, group] {
            try await world.send("set/volume", "20", capped)
            await world.advance(.seconds(2))
            try await world.send("cmd/announce", #"{"url":"http://h/a.mp3?duration=20","volume":90}"#, index)
            let isHeard = await world.advance(until: { world.devices[index].truth("player")?.text == "PLAYING" }, limit: .seconds(600))
            #expect(isHeard != nil && abs(level(capped) - 0.4) < 0.02, "\(level(capped))")
            await world.advance(.seconds(30))
            #expect(abs(level(capped) - 0.2) < 0.02, "\(level(capped))")
        }
        // A group has a limit of its own.
        try await world.request("device/options", #"{"device":"\#(world.slug(group))","max_volume":30}"#)
        await world.advance(.seconds(1))
        for (topic, payload) in [
            ("set/volume", "90"), ("set/group_device_volume", "90"), ("cmd/announce", #"{"url":"http://h/a.mp3?duration=20","volume":90}"#),
        ] {
            try await world.send(topic, payload, group)
            await world.advance(.seconds(4))
            #expect(members.map(level).reduce(0, +) / Double(members.count) < 0.32, "\(topic): \(members.map(level))")
        }
        await world.end()
    }

    /// The contents that a device has, and what it does with them.
    private static func truth(_ world: BridgeWorld, _ index: Int = 0) -> [String?] {
        ["player", "content_id"].map { world.devices[index].truth($0)?.text }
    }

    @Test("a load that is under way is what comes back, our own and another sender's", arguments: [true, false])
    func loading(isOwn: Bool) async throws {
        let world = try await BridgeWorld.settled()
        let film = "http://h/film.mp4?load_time=3&duration=600"
        if isOwn {
            try await world.send("cmd/load", film)
        } else {
            let device = world.devices[0]
            try await world.act { try device.perform(.load(RemoteItem(url: film, title: "Film", durationSeconds: 600))) }
        }
        await world.advance(.seconds(1))
        #expect(try await Self.code(world, #"{"url":"http://h/bell.mp3?duration=2"}"#, id: "bell") == "done")
        await world.advance(.seconds(5))
        #expect(world.answers("bell").last?.contains(#""media":"restored""#) == true)
        #expect(Self.truth(world) == ["PLAYING", film])
        await world.end()
    }

    @Test("what is saved meanwhile is what was interrupted")
    func save() async throws {
        let world = try await BridgeWorld.settled()
        try await world.send("set/volume", "30")
        try await world.send("cmd/load", "http://h/film.mp4?duration=600")
        await world.advance(.seconds(5))
        try await world.send("cmd/announce", #"{"url":"http://h/bell.mp3?duration=10","volume":90}"#)
        await world.advance(.seconds(3))
        #expect(Self.truth(world).last == "http://h/bell.mp3?duration=10")
        try await world.send("cmd/save", "evening")
        await world.advance(.seconds(30))
        for (topic, payload) in [("cmd/stop", ""), ("set/volume", "50"), ("cmd/recall", "evening")] {
            try await world.send(topic, payload)
            await world.advance(.seconds(5))
        }
        #expect(Self.truth(world) == ["PLAYING", "http://h/film.mp4?duration=600"])
        #expect(abs((world.devices[0].truth("volume")?.double ?? 0) - 0.3) < 0.01)
        await world.end()
    }

    @Test("one that interrupts another while that asks what plays leaves the queue whole")
    func interrupted() async throws {
        let world = try await BridgeWorld.settled()
        let items = (1...8).map { #"{"url":"http://h/\#($0).mp3?duration=600"}"# }.joined(separator: ",")
        try await world.send("cmd/queue_load", #"{"items":[\#(items)],"start":3}"#)
        await world.advance(.seconds(5))
        world.devices[0].setAnswerDelay(.milliseconds(300))
        // At each moment of its questions.
        for step in 0..<12 {
            try await world.send("cmd/announce", #"{"url":"http://h/bell.mp3?duration=2"}"#)
            await world.advance(.milliseconds(Int64(step) * 150))
            let code = try await Self.code(world, #"{"url":"http://h/alarm.mp3?duration=2","priority":"high"}"#, id: "alarm\(step)")
            await world.advance(.seconds(20))
            #expect(code == "done" && world.devices[0].truth("queue_length")?.int == 8, "after \(step * 150) ms")
        }
        await world.end()
    }

    @Test("members of a group whose leader is lost meanwhile get back their volume and what they played")
    func leaderLost() async throws {
        let (world, group, members) = try await Self.worldWithGroup()
        for index in members { try await world.send("set/volume", "40", index) }
        try await world.play("http://h/own.mp3", duration: 600, members[1])
        try await world.send("cmd/announce", #"{"url":"http://h/bell.mp3?duration=30","volume":90}"#, group)
        await world.advance(.seconds(4))
        #expect(abs((world.devices[members[1]].truth("volume")?.double ?? 0) - 0.9) < 0.01)
        for index in [group, members[0]] { world.devices[index].set(.off) }
        await world.advance(.seconds(60))
        #expect(abs((world.devices[members[1]].truth("volume")?.double ?? 0) - 0.4) < 0.01)
        #expect(Self.truth(world, members[1]).last == "http://h/own.mp3")
        await world.end()
    }
}

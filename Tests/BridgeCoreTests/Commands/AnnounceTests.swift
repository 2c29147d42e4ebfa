import CastModels
import Testing

@testable import BridgeCore

@Suite("An announcement") struct AnnounceTests {
    private static func parsed(_ topic: String, _ payload: String) -> Announcement? {
        guard case .command(let envelope, .device(.announce(let announcement))) = device(topic, payload) else { return nil }
        #expect(envelope.timeout == nil, "its time is that of playing")
        return announcement
    }

    private static func media(_ url: String, _ type: String? = nil) throws -> Announcement {
        Announcement(.media(try MediaArguments.media(url: url, type: type, path: "announce")))
    }

    @Test("has an address or a text, and where and how loud it is")
    func arguments() throws {
        var loud = try Self.media("http://h/a.mp3")
        (loud.volume, loud.targets, loud.priority, loud.limit, loud.onlyIfRestorable) = (.absolute(0.4), ["kitchen"], .high, 20, true)
        let cases: [(String, Announcement)] = [
            ("http://h/a.mp3", try Self.media("http://h/a.mp3")),
            ("Dinner is ready", Announcement(.text("Dinner is ready", language: nil))),
            (#"{"text":"Essen","language":"de"}"#, Announcement(.text("Essen", language: "de"))),
            (#"{"url":"http://h/a","content_type":"audio/ogg"}"#, try Self.media("http://h/a", "audio/ogg")),
            (
                #"{"url":"http://h/a.mp3","volume":40,"targets":["kitchen","kitchen"],"priority":"high","timeout":20,"only_if_restorable":true}"#,
                loud
            ),
        ]
        for (payload, expected) in cases { #expect(Self.parsed("cmd/announce", payload) == expected, "\(payload)") }
        for (chime, expected) in [("true", Chime.doorbell), ("false", nil), (#""gong""#, .gong), (#""rising""#, .rising)] {
            #expect(Self.parsed("cmd/announce", #"{"text":"Essen","chime":\#(chime)}"#)?.chime == expected, "\(chime)")
        }
        #expect(device("cmd/announce", #"{"text":"Essen","chime":"bells"}"#).code == .badPayload)
        #expect(Self.parsed("cmd/load", #"{"media_content_id":"http://h/a.mp3","announce":true}"#) == (try Self.media("http://h/a.mp3")))
        #expect(device("cmd/announce", String(repeating: "a", count: Announcement.maximumTextBytes + 1)).code == .badPayload)
        let form = #"{"cmd":"announce","timeout":20,"args":{"url":"http://h/a.mp3"}}"#
        #expect(Self.parsed("cmd", form)?.limit == 20)
    }

    @Test("waits beside other commands, in a bounded number")
    func bound() {
        var fixture = DeviceCommandQueueFixture()
        let limits = CommandQueue.Limits()
        let announcement = Announcement(.text("Dinner is ready", language: nil))
        for _ in 0..<limits.maximumAnnouncing + limits.maximumWaiting + 5 { fixture.send(.announce(announcement)) }
        fixture.send(.pause)
        #expect(fixture.started.count == limits.maximumAnnouncing + 1 && fixture.started.last?.command == .pause)
        #expect(fixture.answers.count { $0.result.code == .rateLimited } == 5)
        fixture.finish(fixture.started[0].ticket)
        #expect(fixture.started.count == limits.maximumAnnouncing + 2)
    }

    @Test("sets a volume, adds to it, or makes it loud enough, and stays below a limit")
    func volume() throws {
        for (value, present, expected) in [
            ("40", 0.2, 0.4), (#""+10""#, 0.2, 0.3), (#""-30""#, 0.2, 0), (#"{"at_least":40}"#, 0.6, 0.6), (#"{"at_least":40}"#, 0.1, 0.4),
        ] {
            let volume = try #require(Self.parsed("cmd/announce", #"{"url":"http://h/a.mp3","volume":\#(value)}"#)?.volume)
            #expect(abs(volume.level(from: present, limit: nil) - expected) < 0.001, "\(value)")
            #expect(volume.level(from: present, limit: 0.25) <= 0.25)
        }
    }
}

@Suite("A chime") struct ChimeTests {
    @Test("is a WAV whose lengths are right, loud, and silent at its ends", arguments: Chime.allCases)
    func wav(chime: Chime) {
        let bytes = chime.wav
        func number(_ place: Int, _ length: Int) -> Int { bytes[place..<place + length].reversed().reduce(0) { $0 << 8 | Int($1) } }
        #expect(bytes.starts(with: Array("RIFF".utf8)) && number(4, 4) == bytes.count - 8 && number(40, 4) == bytes.count - 44)
        let samples = stride(from: 44, to: bytes.count, by: 2).map { abs(Int(Int16(truncatingIfNeeded: number($0, 2)))) }
        #expect(samples.count == 26_460 && samples[0] == 0 && samples.suffix(20).allSatisfy { $0 < 50 })
        #expect((8000..<32_000).contains(samples.max() ?? 0))
    }
}

@Suite("Quiet hours") struct QuietHoursTests {
    @Test(
        "contain their first minute and not their last, also across midnight",
        arguments: [
            ("22:00-07:00", ["22:00", "23:59", "00:00", "06:59"], ["07:00", "12:00", "21:59"]),
            ("13:00-14:30", ["13:00", "14:29"], ["12:59", "14:30", "00:00"]), ("22:00-00:00", ["22:00", "23:59"], ["00:00", "21:59"]),
            ("00:00-23:59", ["00:00", "23:58"], ["23:59"]),
        ])
    func range(text: String, quiet: [String], loud: [String]) throws {
        let hours = try #require(QuietHours(text))
        for time in quiet { #expect(hours.contains(minute: try #require(QuietHours.minutes(time))), "\(time)") }
        for time in loud { #expect(!hours.contains(minute: try #require(QuietHours.minutes(time))), "\(time)") }
        #expect(hours.description == text)
    }

    @Test(
        "are two different times of day",
        arguments: [
            "", "-", "22:00", "22:00-22:00", "22:00-24:00", "22:60-07:00", "7:00-8:00", "+7:00-08:00", "22.00-07.00", "22:00-07:00-08:00",
        ])
    func refused(text: String) { #expect(QuietHours(text) == nil) }
}

@Suite("The queue of announcements") struct AnnouncementQueueTests {
    private static func announcement(_ name: String, urgent: Bool = false) -> Announcement {
        var announcement = Announcement(.media(MediaInformation(contentID: "http://h/\(name).mp3")))
        announcement.priority = urgent ? .high : .normal
        return announcement
    }

    /// Submits announcements, and returns their ids and all actions.
    private static func submit(
        _ queue: inout AnnouncementQueue, _ entries: [(String, Device.ID, Set<Device.ID>)], urgent: Bool = false
    ) throws -> (ids: [AnnouncementQueue.ID], actions: [AnnouncementQueue.Action]) {
        var result: (ids: [AnnouncementQueue.ID], actions: [AnnouncementQueue.Action]) = ([], [])
        for (name, device, footprint) in entries {
            let submitted = queue.submit(Self.announcement(name, urgent: urgent), on: device, footprint: footprint)
            let (id, actions) = try #require(submitted)
            result.ids.append(id)
            result.actions += actions
        }
        return result
    }

    @Test("plays those of other devices at once, those of the same device in order, and gives back after the last")
    func order() throws {
        var queue = AnnouncementQueue()
        let (ids, actions) = try Self.submit(&queue, [("a", "tv", []), ("b", "tv", []), ("c", "radio", [])])
        #expect(actions == [.start(ids[0]), .start(ids[2])])
        queue.hold("tv", footprint: [])
        queue.hold("radio", footprint: [])
        let step1 = queue.ended(ids[2])
        #expect(step1 == [.restore("radio")])
        let step2 = queue.ended(ids[0])
        #expect(step2 == [.start(ids[1])])
        let step3 = queue.ended(ids[1])
        #expect(step3 == [.restore("tv")])
        let last = queue.restored("tv") + queue.restored("radio")
        #expect(last == [] && queue.isEmpty)
    }

    @Test("locks the members of groups, so that overlapping groups take turns and nothing is given back in between")
    func groups() throws {
        var queue = AnnouncementQueue()
        let (ids, actions) = try Self.submit(
            &queue, [("a", "down", ["tv", "radio"]), ("b", "up", ["radio", "desk"]), ("c", "tv", []), ("d", "desk", [])])
        #expect(actions == [.start(ids[0])], "c and d wait for those before them")
        queue.hold("down", footprint: ["tv", "radio"])
        let step4 = queue.ended(ids[0])
        #expect(step4 == [.start(ids[1]), .start(ids[2])])
        queue.hold("up", footprint: ["radio", "desk"])
        queue.hold("tv", footprint: [])
        let step5 = queue.ended(ids[2])
        #expect(step5 == [.restore("tv")])
        let step6 = queue.ended(ids[1])
        #expect(step6 == [.start(ids[3])])
        let step7 = queue.restored("tv")
        #expect(step7 == [.restore("down")], "the desk is still in use")
        let step8 = queue.ended(ids[3])
        #expect(step8 == [])
        let step9 = queue.restored("down")
        #expect(step9 == [.restore("up")])
        let last = queue.restored("up")
        #expect(last == [] && queue.isEmpty)
    }

    @Test("lets an urgent one interrupt, and goes on with the interrupted one before all others")
    func urgency() throws {
        var queue = AnnouncementQueue()
        let first = try Self.submit(&queue, [("a", "tv", []), ("b", "tv", [])]).ids
        queue.hold("tv", footprint: [])
        let (urgent, actions) = try Self.submit(&queue, [("c", "tv", []), ("d", "tv", [])], urgent: true)
        #expect(actions == [.interrupt(first[0])])
        let step10 = queue.interrupted(first[0])
        #expect(step10 == [.start(urgent[0])])
        let step11 = queue.ended(urgent[0])
        #expect(step11 == [.start(urgent[1])])
        let step12 = queue.ended(urgent[1])
        #expect(step12 == [.start(first[0])])
        let step13 = queue.ended(first[0])
        #expect(step13 == [.start(first[1])])
        let step14 = queue.ended(first[1])
        #expect(step14 == [.restore("tv")])
    }

    @Test("makes one of equal ones that wait, waits for what is being given back, and has a bound")
    func merging() throws {
        var queue = AnnouncementQueue()
        let ids = try Self.submit(&queue, [("a", "tv", []), ("b", "tv", []), ("b", "tv", []), ("b", "radio", [])]).ids
        #expect(ids[1] == ids[2] && Set(ids).count == 3)
        let equal = try Self.submit(&queue, [("a", "tv", [])])
        #expect(equal.ids == [ids[0]], "nothing is heard of it yet")
        queue.hold("tv", footprint: [])
        _ = queue.ended(ids[1])
        let step15 = queue.ended(ids[0])
        #expect(step15 == [.restore("tv")])
        let late = try Self.submit(&queue, [("e", "tv", [])])
        #expect(late.actions == [])
        let step16 = queue.restored("tv")
        #expect(step16 == [.start(late.ids[0])])
        for number in 0..<AnnouncementQueue.maximumWaiting { _ = try Self.submit(&queue, [("f\(number)", "tv", [])]) }
        let beyond = queue.submit(Self.announcement("g"), on: "tv", footprint: [])
        #expect(beyond == nil)
    }
}

import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import CastReceiverSimulator

@Suite(.timeLimit(.minutes(5))) struct ControlTests {
    @Test("play, pause, seek, volume, media_stop and quit act as another sender does")
    func remote() async throws {
        try await TestFleet.with(TestFleet.configuration()) { fleet in
            let sender = try await RawSender.connect(fleet, "sim-001")
            try await sender.handshake()
            func command(_ line: String) async { #expect(await fleet.answer(line: line)["ok"] == true, "\(line)") }
            await command(
                #"{"device":"sim-001","do":"play","title":"Elsewhere","duration":100,"metadata":{"metadataType":3,"artist":"Somebody"}}"#)
            _ = try await sender.expectMessage { $0["status"]?["applications"]?.elements?.first?["appId"] == "CC1AD845" }
            try await eventually("it plays") { try await fleet.control("sim-001", .state)["player"] == "PLAYING" }
            let state = await fleet.answer(line: #"{"device":"sim-001","do":"state"}"#)["state"]
            #expect(state?["title"] == "Elsewhere")
            #expect(state?["duration"]?.int == 100)
            await command(#"{"device":"sim-001","do":"pause"}"#)
            await command(#"{"device":"sim-001","do":"seek","position":30}"#)
            #expect(try await fleet.control("sim-001", .state)["position"]?.int == 30)
            await command(#"{"device":"sim-001","do":"play"}"#)
            await command(#"{"device":"sim-001","do":"volume","level":0.5,"muted":true}"#)
            _ = try await sender.expectMessage {
                $0["status"]?["volume"]?["level"]?.double == 0.5 && $0["status"]?["volume"]?["muted"] == true
            }
            await command(#"{"device":"sim-001","do":"media_stop"}"#)
            await command(#"{"device":"sim-001","do":"quit"}"#)
            #expect(try await fleet.control("sim-001", .state)["app_id"] != "CC1AD845")
        }
    }

    @Test("transfer moves the media to another device, and notifies the senders of the first")
    func transfer() async throws {
        try await TestFleet.with(TestFleet.configuration(devices: 2)) { fleet in
            let early = await fleet.answer(line: #"{"device":"sim-001","do":"transfer","to":"sim-002"}"#)
            #expect(early["error"] == "wrong_state", "nothing plays")
            let sender = try await RawSender.connect(fleet, "sim-001")
            try await sender.handshake()
            try await fleet.control(
                "sim-001", .remote(.load(RemoteItem(url: "http://a/film.mp4", title: "Film", durationSeconds: 1_000, positionSeconds: 300)))
            )
            try await eventually("it plays") { try await fleet.control("sim-001", .state)["player"] == "PLAYING" }
            let same = await fleet.answer(line: #"{"device":"sim-001","do":"transfer","to":"sim-001"}"#)
            #expect(same["error"] == "invalid_request")
            #expect(await fleet.answer(line: #"{"device":"sim-001","do":"transfer","to":"sim-002"}"#)["ok"] == true)
            _ = try await sender.expectMessage { $0["type"] == "PLAYBACK_SESSION_UPDATED" }
            try await eventually("the other one plays") { try await fleet.control("sim-002", .state)["player"] == "PLAYING" }
            let state = try await fleet.control("sim-002", .state)
            #expect(state["title"] == "Film" && (state["position"]?.double ?? 0) >= 300)
            #expect(try await fleet.control("sim-001", .state)["app_id"] != "CC1AD845")
        }
    }

    @Test("refuse refuses new connections and leaves the present ones; it can be revoked")
    func refuse() async throws {
        try await TestFleet.with(TestFleet.configuration()) { fleet in
            let sender = try await RawSender.connect(fleet, "sim-001")
            try await sender.handshake()
            try await fleet.control("sim-001", .refuse(true))
            await #expect { try await RawSender.connect(fleet, "sim-001") } throws: { "\($0)".contains("refused") }
            _ = try await sender.ask(["type": "GET_STATUS", "requestId": 5])
            try await fleet.control("sim-001", .refuse(false))
            try await RawSender.connect(fleet, "sim-001").handshake()
        }
    }

    @Test("a device that is told to refuse while it starts refuses then, and can open all its ports again")
    func refuseWhileStarting() async throws {
        try await TestFleet.with(TestFleet.configuration()) { fleet in
            for _ in 0..<20 {
                try await fleet.control("sim-001", .stop(goodbye: false))
                async let start = fleet.control("sim-001", .start)
                async let refusal = fleet.answer(line: #"{"device":"sim-001","do":"refuse"}"#)
                _ = try await start
                // The device may still be off when it is told to refuse.
                let refuses = await refusal["ok"]
                #expect(try await fleet.control("sim-001", .state)["refusing"] == refuses)
                try await fleet.control("sim-001", .refuse(false))
            }
            try await RawSender.connect(fleet, "sim-001").handshake()
        }
    }

    @Test("devices that refuse and accept in quick turns open and close their ports one after the other")
    func refuseInTurns() async throws {
        try await TestFleet.with(TestFleet.configuration()) { fleet in
            try await withThrowingTaskGroup { group in
                for number in 0..<60 { group.addTask { try await fleet.control("sim-001", .refuse(number % 2 == 0)) } }
                for try await _ in group {}
            }
            try await fleet.control("sim-001", .refuse(false))
            try await RawSender.connect(fleet, "sim-001").handshake()
        }
    }

    @Test("reset breaks connections with RST")
    func reset() async throws {
        try await TestFleet.with(TestFleet.configuration()) { fleet in
            let sender = try await RawSender.connect(fleet, "sim-001")
            try await sender.handshake()
            try await fleet.control("sim-001", .reset)
            let failure = try await sender.expect { if case .failed(let text) = $0 { text } else { nil } }
            #expect(failure.contains("reset"))
            try await RawSender.connect(fleet, "sim-001").handshake()
        }
    }

    @Test(
        "a frozen device reads and writes nothing, the kernel still takes connections, and it goes on after thaw", arguments: [false, true])
    func freeze(midFrame: Bool) async throws {
        try await TestFleet.with(TestFleet.configuration(devices: 2)) { fleet in
            let sender = try await RawSender.connect(fleet, "sim-001")
            try await sender.handshake()
            let sentinel = try await RawSender.connect(fleet, "sim-002")
            try await sentinel.handshake()
            try await fleet.control("sim-001", .freeze(midFrame: midFrame))
            sender.send(["type": "PING"], Probe.heartbeat)
            try await fleet.control("sim-001", .remote(.volume(VolumeChange(level: 0.9))))
            await #expect { try await RawSender.connect(fleet, "sim-001", timeout: .milliseconds(500)) } throws: {
                "\($0)".contains("timeout")
            }
            let state = await fleet.answer(line: #"{"device":"sim-001","do":"state"}"#)["state"]
            #expect(state?["frozen"] == true)
            // The other device is not concerned, and by its answer whatever the frozen one had sent would have come.
            _ = try await sentinel.ask(["type": "GET_STATUS", "requestId": 7])
            #expect(sender.channel.isActive)
            await #expect(throws: RawSender.NothingReceived.self, "a frozen device sends nothing") {
                try await sender.expect(within: .milliseconds(300)) { event -> Bool? in
                    // A ping may have come before the freezing.
                    if case .message(_, let json) = event, json["type"] == "PING" { nil } else { true }
                }
            }
            try await fleet.control("sim-001", .thaw)
            let rest = try await RawSender.connect(fleet, "sim-001")
            try await rest.handshake()
            #expect(try await fleet.control("sim-001", .state)["volume"]?.double ?? 0 > 0.89)
        }
    }

    @Test("after thaw the rest of the cut frame and everything held back arrive in order", arguments: [false, true])
    func thaw(midFrame: Bool) async throws {
        try await TestFleet.with(TestFleet.configuration()) { fleet in
            let sender = try await RawSender.connect(fleet, "sim-001")
            try await sender.handshake()
            try await fleet.control("sim-001", .freeze(midFrame: midFrame))
            sender.send(["type": "GET_STATUS", "requestId": 8], Probe.receiver)
            for level in [0.8, 0.9] { try await fleet.control("sim-001", .remote(.volume(VolumeChange(level: level)))) }
            try await fleet.control("sim-001", .thaw)
            @Sendable func level(_ json: JSON) -> Double { json["status"]?["volume"]?["level"]?.double ?? 0 }
            _ = try await sender.expectMessage { abs(level($0) - 0.8) < 0.01 }
            _ = try await sender.expectMessage { abs(level($0) - 0.9) < 0.01 }
            _ = try await sender.expectMessage { $0["requestId"] == 8 }
        }
    }

    @Test("delay makes answers late, and heartbeats not")
    func delay() async throws {
        try await TestFleet.with(TestFleet.configuration()) { fleet in
            let sender = try await RawSender.connect(fleet, "sim-001")
            try await sender.handshake()
            #expect(await fleet.answer(line: #"{"device":"sim-001","do":"delay","ms":600000}"#)["ok"] == true)
            sender.send(["type": "GET_STATUS", "requestId": 8], Probe.receiver)
            sender.send(["type": "PING"], Probe.heartbeat)
            let first = try await sender.expectMessage { $0["type"] == "PONG" || $0["requestId"] == 8 }
            #expect(first["type"] == "PONG")
        }
    }

    @Test("reboot breaks everything, takes the device offline, and starts it again without application")
    func reboot() async throws {
        try await TestFleet.with(TestFleet.configuration()) { fleet in
            let sender = try await RawSender.connect(fleet, "sim-001")
            try await sender.handshake()
            try await fleet.control("sim-001", .remote(.load(RemoteItem(url: "http://a/b"))))
            let volume = try await fleet.control("sim-001", .state)["volume"]
            #expect(await fleet.answer(line: #"{"device":"sim-001","do":"reboot","seconds":0.5}"#)["ok"] == true)
            #expect(try await fleet.control("sim-001", .state)["power"] == "rebooting")
            try await sender.expectEnd()
            await #expect { try await RawSender.connect(fleet, "sim-001") } throws: { "\($0)".contains("refused") }
            try await eventually("it is online again") { try await fleet.control("sim-001", .state)["power"] == "on" }
            try await RawSender.connect(fleet, "sim-001").handshake()
            let state = try await fleet.control("sim-001", .state)
            #expect(state["app_id"] != "CC1AD845")
            #expect(state["volume"] == volume)
        }
    }

    @Test("move changes address and port and resets connections; an address that is taken leaves everything as it was")
    func move() async throws {
        try await TestFleet.with(TestFleet.configuration(devices: 2)) { fleet in
            let sender = try await RawSender.connect(fleet, "sim-001")
            try await sender.handshake()
            let before = try await fleet.control("sim-001", .state)
            try await fleet.control("sim-001", .move(.init(address: TestFleet.addressBase(), port: 0)))
            try await sender.expectEnd()
            let after = try await fleet.control("sim-001", .state)
            #expect(after["address"] != before["address"])
            try await RawSender.connect(fleet, "sim-001").handshake()
            let taken = try await fleet.control("sim-002", .state)
            await #expect(throws: SimulatorError.self) {
                try await fleet.control("sim-001", .move(.init(address: taken["address"]?.text, port: 8009)))
            }
            try await RawSender.connect(fleet, "sim-001").handshake()
        }
    }

    @Test("a group follows its new leader")
    func moveGroup() async throws {
        try await TestFleet.with(TestFleet.configuration(devices: 4, groups: 1)) { fleet in
            #expect(await fleet.answer(line: #"{"device":"group-001","do":"move","leader":"sim-004","port":0}"#)["ok"] == true)
            let (group, leader) = (try await fleet.control("group-001", .state), try await fleet.control("sim-004", .state))
            #expect(group["address"] == leader["address"])
            #expect(group["port"] != leader["port"])
            try await RawSender.connect(fleet, "group-001").handshake()
        }
    }

    @Test("stop and start; every device can be named at once, and failures are reported by name")
    func stopAndStart() async throws {
        try await TestFleet.with(TestFleet.configuration(devices: 2)) { fleet in
            let sender = try await RawSender.connect(fleet, "sim-001")
            try await sender.handshake()
            #expect(await fleet.answer(line: #"{"device":"sim-001","do":"stop"}"#)["ok"] == true)
            try await sender.expectEnd()
            await #expect { try await RawSender.connect(fleet, "sim-001") } throws: { "\($0)".contains("refused") }
            let both = await fleet.answer(line: #"{"device":"*","do":"stop"}"#)
            #expect(both["ok"] == false && both["done"] == 1)
            #expect(both["failed"]?["sim-001"]?.text?.contains("wrong_state") == true)
            #expect(await fleet.answer(line: #"{"device":"*","do":"start"}"#) == ["ok": true, "done": 2])
            try await RawSender.connect(fleet, "sim-001").handshake()
            #expect(await fleet.answer(line: #"{"device":"*","do":"state"}"#)["states"]?.elements?.count == 2)
        }
    }

    @Test("a burst changes that many devices once each")
    func burst() async throws {
        try await TestFleet.with(TestFleet.configuration(devices: 5)) { fleet in
            let before = await fleet.answer(line: #"{"device":"*","do":"state"}"#)["states"]?.elements?.map { $0["volume"] }
            let answer = await fleet.answer(line: #"{"do":"burst","count":3}"#)
            #expect(answer["done"] == 3 && answer["t_ns"]?.int ?? 0 > 0)
            let after = await fleet.answer(line: #"{"device":"*","do":"state"}"#)["states"]?.elements?.map { $0["volume"] }
            let changed = zip(before ?? [], after ?? []).map { $0 != $1 }
            #expect(changed == [true, true, true, false, false])
        }
    }

    @Test("a burst of items begins the same next title on all devices that play")
    func itemBurst() async throws {
        try await TestFleet.with(TestFleet.configuration(devices: 2)) { fleet in
            let idle = await fleet.answer(line: #"{"do":"burst","change":"item","title":"Second"}"#)
            #expect(idle["done"] == 0, "nothing plays yet")
            _ = await fleet.answer(line: #"{"device":"*","do":"play","title":"First","duration":100}"#)
            try await eventually("both play") {
                await fleet.answer(line: #"{"device":"*","do":"state"}"#)["states"]?.elements?.allSatisfy { $0["player"] == "PLAYING" }
                    ?? false
            }
            let burst = await fleet.answer(line: #"{"do":"burst","change":"item","title":"Second","duration":200}"#)
            #expect(burst["done"] == 2 && burst["t_ns"]?.int ?? 0 > 0)
            for state in await fleet.answer(line: #"{"device":"*","do":"state"}"#)["states"]?.elements ?? [] {
                #expect(state["title"] == "Second" && state["duration"]?.int == 200 && state["player"] == "PLAYING")
            }
        }
    }

    @Test(
        "invalid requests are refused with the reason",
        arguments: [
            ("", "JSON"), ("[]", "JSON"), ("{}", "do"), (#"{"do":"sing","device":"sim-001"}"#, "sing"), (#"{"do":"pause"}"#, "device"),
            (#"{"do":"pause","device":"sim-999"}"#, "sim-999"), (#"{"do":"pause","device":"sim-001","hard":true}"#, "hard"),
            (#"{"do":"seek","device":"sim-001"}"#, "position"), (#"{"do":"seek","device":"sim-001","position":"end"}"#, "position"),
            (#"{"do":"volume","device":"sim-001"}"#, "level"), (#"{"do":"delay","device":"sim-001","min_ms":5,"max_ms":1}"#, "min_ms"),
            (#"{"do":"reboot","device":"sim-001","seconds":-1}"#, "seconds"), (#"{"do":"move","device":"sim-001"}"#, "address"),
            (#"{"do":"move","device":"sim-001","address":"nowhere"}"#, "nowhere"), (#"{"do":"burst","change":"mood"}"#, "mood"),
            (#"{"do":"burst","change":"item"}"#, "title"), (#"{"do":"burst","title":"A"}"#, "title"),
            (#"{"do":"next","device":"sim-001"}"#, "title"), (#"{"do":"next","device":"sim-001","title":"A","app":"CC1AD845"}"#, "app"),
            (#"{"do":"next","device":"sim-001","title":"A"}"#, "plays"),
            (#"{"do":"play","device":"sim-001","url":"http://a","app":"NOPE"}"#, "NOPE"), (#"{"do":"thaw","device":"sim-001"}"#, "frozen"),
            (#"{"do":"pause","device":"sim-001"}"#, "plays"),
        ])
    func refusals(line: String, mention: String) async throws {
        try await TestFleet.with(TestFleet.configuration()) { fleet in
            let answer = await fleet.answer(line: line)
            #expect(answer["ok"] == false)
            #expect(answer["detail"]?.text?.contains(mention) == true, "\(answer)")
        }
    }

    @Test("an address that cannot be used stops the start and names the device")
    func occupied() async throws {
        let base = TestFleet.addressBase()
        let blocker = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: base, port: 8009).get()
        let fleet = try SimulatedFleet(
            configuration: TestFleet.configuration(devices: 3) { $0.addressBase = base }, group: MultiThreadedEventLoopGroup.singleton)
        await #expect { try await fleet.start() } throws: { "\($0)".contains("sim-001 cannot listen on \(base):8009") }
        try await blocker.close()
    }
}

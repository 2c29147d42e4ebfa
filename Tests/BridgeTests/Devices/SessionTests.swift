import CastReceiverSimulator
import NIOCore
import Testing

@testable import Bridge

@Suite("Sessions with the applications of others", .timeLimit(.minutes(10)))
struct SessionTests {
    /// A world whose device plays an hour's film that another sender loaded.
    private func watching() async throws -> BridgeWorld {
        let world = try await BridgeWorld.settled(devices: 2)
        try await world.play("http://h/film", duration: 3600)
        await world.advance(.seconds(15))
        world.broker.clearJournal()
        return world
    }

    private func events(_ world: BridgeWorld) -> [String] {
        world.broker.entries(world.topic("event")).map(\.text).filter { $0.contains(#""event_type":"session_"#) }
    }

    /// How the device counts its senders: the kinds of the connections to the application.
    private func connections(_ world: BridgeWorld) -> [String] {
        let transport = world.devices[0].truth("transport_id")?.text
        return (world.devices[0].truth("connections")?.elements ?? []).filter { $0["destination"]?.text == transport }
            .compactMap { $0["type"]?.text }
    }

    /// The application sessions on record that the bridge launched: whether it is their sender.
    private func launched(_ world: BridgeWorld) async -> [Bool] {
        await world.look { $0.record.knownDevices.compactMap { $0.launched?.isHeld } }
    }

    private func shows(_ world: BridgeWorld, _ phase: String, _ connection: String) -> Bool {
        world.held("app")?.contains(#""session":{"phase":"\#(phase)""#) == true
            && world.held("app")?.contains(#""connection":"\#(connection)""#) == true
    }

    private func code(_ world: BridgeWorld, _ verb: String) async throws -> String? {
        world.broker.clearJournal()
        try await world.send("cmd/\(verb)", "")
        await world.advance(.seconds(1))
        let answer = world.broker.entries(world.topic("response")).map(\.text).first { $0.contains(#""cmd":"cmd/\#(verb)""#) }
        return answer?.split(separator: #""code":""#).last?.split(separator: "\"").first.map(String.init)
    }

    @Test("are none while the bridge watches, last from `join` to `leave`, and the application runs on")
    func joinAndLeave() async throws {
        let world = try await self.watching()
        #expect(self.shows(world, "none", "invisible") && self.connections(world) == ["invisible"])
        #expect(try await self.code(world, "leave") == "no_session")
        #expect(try await self.code(world, "join") == "done")
        #expect(self.shows(world, "connected", "strong") && self.connections(world) == ["strong"])
        #expect(self.events(world).count == 1 && self.events(world)[0].contains(#""event_type":"session_started""#))
        #expect(self.events(world)[0].contains(#""ours":false"#))
        // Longer than any command keeps a connection strong.
        await world.advance(.seconds(30))
        #expect(self.connections(world) == ["strong"])
        #expect(try await self.code(world, "leave") == "done")
        #expect(self.shows(world, "none", "invisible") && self.connections(world) == ["invisible"])
        #expect(self.events(world).count == 1 && self.events(world)[0].contains(#""reason":"left""#))
        #expect(world.held("status/player") == "playing")
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("outlast the link, and are reported as suspended and resumed when the device was offline", arguments: [false, true])
    func outage(isLong: Bool) async throws {
        let world = try await self.watching()
        #expect(try await self.code(world, "join") == "done")
        world.broker.clearJournal()
        try await world.act {
            if isLong { world.connector.route(world.devices[0].description.address, to: .refuse) }
            world.devices[0].dropLinks()
        }
        await world.advance(.seconds(8))
        if isLong {
            #expect(world.held("availability") == "offline" && self.shows(world, "suspended", "strong"))
            #expect(self.events(world).map { $0.contains(#""event_type":"session_suspended""#) } == [true])
            world.broker.clearJournal()
            try await world.act { world.connector.route(world.devices[0].description.address, to: world.devices[0].route) }
            await world.advance(.seconds(40))
            #expect(self.events(world).map { $0.contains(#""event_type":"session_resumed""#) } == [true])
        } else {
            #expect(self.events(world) == [])
        }
        #expect(self.shows(world, "connected", "strong") && self.connections(world) == ["strong"])
        await world.end()
    }

    @Test("end with the application, whichever sender ends it", arguments: [false, true])
    func ended(isQuit: Bool) async throws {
        let world = try await self.watching()
        #expect(try await self.code(world, "join") == "done")
        world.broker.clearJournal()
        if isQuit { try await world.send("cmd/quit_app", "") } else { try await world.act { try world.devices[0].perform(.quit) } }
        await world.advance(.seconds(3))
        #expect(self.events(world).map { $0.contains(#""reason":"\#(isQuit ? "quit" : "ended")""#) } == [true])
        #expect(world.held("app")?.contains(#""session":{"phase":"none""#) == true)
        #expect(try await self.code(world, "join") == "no_session")
        await world.end()
    }

    @Test("are not those of an attempt to connect that failed: what runs when the next one succeeds may be another application")
    func failedAttempt() async throws {
        let world = try await BridgeWorld.settled()
        try await world.send("cmd/load", "http://h/film.mp4?duration=3600")
        await world.advance(.seconds(5))
        #expect(world.held("app")?.contains(#""ours":true"#) == true)
        let device = world.devices[0]
        try await world.act {
            world.connector.route(device.description.address, to: .refuse)
            device.dropLinks()
        }
        await world.advance(.seconds(8))
        #expect(world.held("availability") == "offline")
        world.broker.clearJournal()
        device.setAnswerDelay(.milliseconds(500))
        try await world.act { world.connector.route(device.description.address, to: device.route) }
        // To the platform, then to the application.
        let connections = device.received("CONNECT") + 2
        let isConnected = await world.advance(until: { device.received("CONNECT") == connections }, limit: .seconds(60))
        #expect(isConnected != nil && world.held("availability") == "offline")
        // It breaks before the link is ready. The idle screen follows, to which the bridge does not connect.
        try await world.act {
            device.dropLinks()
            try device.perform(.quit)
        }
        device.setAnswerDelay(.milliseconds(2))
        await world.advance(.seconds(60))
        #expect(world.held("availability") == "online")
        #expect(self.events(world).allSatisfy { !$0.contains("session_resumed") }, "\(self.events(world))")
        #expect(world.held("app")?.contains(#""name":"Backdrop""#) == true)
        #expect(world.held("app")?.contains(#""ours":false"#) == true)
        #expect(await world.look { $0.record.knownDevices.compactMap(\.launched) } == [])
        await world.end()
    }

    @Test("of the bridge's own can be left, too, and were launched by it after that as well")
    func leaveOwn() async throws {
        let world = try await BridgeWorld.settled()
        world.broker.clearJournal()
        try await world.send("cmd/load", "http://h/film.mp4?duration=3600")
        await world.advance(.seconds(5))
        let phases = world.broker.entries(world.topic("app")).compactMap {
            $0.text.split(separator: #""phase":""#).last?.split(separator: "\"").first
        }
        #expect(phases.first == "connecting" && phases.last == "connected" && !phases.contains("none"), "\(phases)")
        #expect(self.shows(world, "connected", "strong") && world.held("app")?.contains(#""ours":true"#) == true)
        #expect(await self.launched(world) == [true])
        #expect(try await self.code(world, "leave") == "done")
        #expect(self.shows(world, "none", "invisible") && world.held("app")?.contains(#""ours":true"#) == true)
        #expect(await self.launched(world) == [false])
        #expect(world.held("status/player") == "playing")
        try await world.send("cmd/quit_app", "")
        await world.advance(.seconds(5))
        #expect(world.held("app")?.contains(#""ours":false"#) == true)
        #expect(await self.launched(world) == [])
        await world.end()
    }
}

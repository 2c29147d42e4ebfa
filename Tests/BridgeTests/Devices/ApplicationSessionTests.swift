import BridgeCore
import CastReceiverSimulator
import CastSender
import NIOCore
import Testing

@testable import Bridge

@Suite("An application that refuses, sleeps, is dead, or waits for a person", .timeLimit(.minutes(10)))
struct ApplicationSessionTests {
    private static let film = "http://h/film.mp4?duration=3600"

    private func connections(_ world: BridgeWorld) -> [String] {
        let transport = world.devices[0].truth("transport_id")?.text
        return (world.devices[0].truth("connections")?.elements ?? []).filter { $0["destination"]?.text == transport }
            .compactMap { $0["type"]?.text }
    }

    private func shows(_ world: BridgeWorld, phase: String, connection: String? = nil) -> Bool {
        let app = world.held("app") ?? ""
        return app.contains(#""session":{"phase":"\#(phase)""#) && connection.map { app.contains(#""connection":"\#($0)""#) } ?? true
    }

    /// Sends a command with an id.
    private func send(_ world: BridgeWorld, _ command: String, _ id: String, args: String = "") async throws {
        try await world.send("cmd", #"{"cmd":"\#(command)","id":"\#(id)"\#(args.isEmpty ? "" : #","args":\#(args)"#)}"#)
    }

    /// Returns the code of the final answer and the virtual time until it came.
    private func outcome(_ world: BridgeWorld, _ id: String, limit: TimeAmount = .seconds(60)) async -> (code: String, time: TimeAmount)? {
        guard let time = await world.advance(until: { !world.answers(id).isEmpty }, limit: limit) else { return nil }
        return world.answers(id)[0].split(separator: #""code":""#).last?.split(separator: "\"").first.map { (String($0), time) }
    }

    private func perform(_ world: BridgeWorld, _ actions: RemoteAction...) async throws {
        let device = world.devices[0]
        try await world.act { for action in actions { try device.perform(action) } }
    }

    /// A world whose device plays what another sender loaded, and closes every connection to its application.
    private func refused() async throws -> BridgeWorld {
        let world = try await BridgeWorld.settled()
        try await world.play("http://h/film", duration: 3600)
        await world.advance(.seconds(15))
        try await self.perform(world, .sabotage(.connectionsClosed, true))
        try await world.act { world.devices[0].dropLinks() }
        await world.advance(.seconds(5))
        #expect(self.shows(world, phase: "none", connection: "none") && world.held("status/player") != "playing")
        return world
    }

    // MARK: - Refused connections

    @Test("one that closes the first connections is watched as soon as it takes one, and obeys")
    func welcomesLater() async throws {
        let world = try await self.refused()
        try await self.perform(world, .sabotage(.connectionsClosed, false))
        let shown = await world.advance(until: { world.held("status/player") == "playing" }, limit: .seconds(40))
        #expect(shown != nil && self.shows(world, phase: "none", connection: "invisible"))
        try await self.send(world, "pause", "a")
        #expect(await self.outcome(world, "a")?.code == "done")
        #expect(world.devices[0].truth("player")?.text == "PAUSED")
        await world.end()
    }

    @Test("one that closes each connection is tried five times, then again for each command")
    func refusesAll() async throws {
        let world = try await self.refused()
        await world.advance(.seconds(60))
        let before = world.devices[0].received("CONNECT")
        await world.advance(.seconds(120))
        #expect(world.devices[0].received("CONNECT") == before)
        try await self.send(world, "join", "a")
        let refused = try #require(await self.outcome(world, "a"))
        #expect(refused.code == "no_session" && refused.time < .seconds(20))
        #expect(world.devices[0].received("CONNECT") > before)
        #expect(self.shows(world, phase: "none", connection: "none"))
        try await self.send(world, "join", "b")
        await world.advance(.milliseconds(200))
        try await self.perform(world, .sabotage(.connectionsClosed, false))
        #expect(await self.outcome(world, "b")?.code == "done")
        #expect(self.shows(world, phase: "connected", connection: "strong") && self.connections(world) == ["strong"])
        await world.advance(.seconds(60))
        #expect(self.connections(world) == ["strong"] && world.held("status/player") == "playing")
        await world.end()
    }

    // MARK: - Channels

    @Test("namespaces of channels make the connection strong on the wire, too, so that a join has nothing to add")
    func channels() async throws {
        let world = try await BridgeWorld.settled { settings in
            settings.commands.namespaces = NamespacePolicy([GlobPattern("urn:x-cast:*")].compactMap { $0 })
        }
        try await self.perform(
            world, .load(RemoteItem(url: "http://h/radio", contentType: "audio/mpeg", durationSeconds: 3600, applicationID: "5A1D0001")))
        await world.advance(.seconds(20))
        #expect(self.shows(world, phase: "none", connection: "strong") && self.connections(world) == ["strong"])
        try await self.send(world, "join", "a")
        #expect(await self.outcome(world, "a")?.code == "done")
        #expect(self.shows(world, phase: "connected", connection: "strong") && self.connections(world) == ["strong"])
        // The application sends its messages only to those who it knows as senders.
        world.broker.clearJournal()
        try await self.perform(world, .sendMessage(namespace: "urn:x-cast:org.example.echo", ["hello": 1]))
        await world.advance(.seconds(1))
        let topics = world.broker.journal.map(\.topic)
        #expect(topics.contains(world.topic("ns/urn:x-cast:org.example.echo/recv")), "\(topics)")
        await world.end()
    }

    // MARK: - Standby and death

    @Test("one that runs is asked for by launch, too, which wakes the screen", arguments: ["launch", "load"])
    func standby(command: String) async throws {
        let world = try await BridgeWorld.settled()
        try await world.play("http://h/film", duration: 3600)
        await world.advance(.seconds(5))
        try await self.perform(world, .stopMedia, .screen(standBy: true, activeInput: false))
        await world.advance(.seconds(5))
        let launches = world.devices[0].received("LAUNCH")
        try await self.send(world, command, "a", args: command == "launch" ? #"{"app":"CC1AD845"}"# : #"{"url":"\#(Self.film)"}"#)
        #expect(await self.outcome(world, "a")?.code == "done")
        #expect(world.devices[0].received("LAUNCH") == launches + 1)
        #expect(world.devices[0].truth("stand_by")?.boolean == false)
        await world.advance(.seconds(5))
        #expect(world.devices[0].truth("player")?.text == (command == "load" ? "PLAYING" : "IDLE"))
        await world.end()
    }

    /// Whether it plays, or is idle and was commanded before, so that its connection was strong for a while.
    @Test("a load of one that runs and lives is not launched again", arguments: [true, false])
    func alive(isPlaying: Bool) async throws {
        let world = try await BridgeWorld.settled()
        try await world.play("http://h/film", duration: 3600)
        await world.advance(.seconds(5))
        if !isPlaying {
            try await self.send(world, "stop", "stop")
            await world.advance(.seconds(30))
        }
        let launches = world.devices[0].received("LAUNCH")
        try await self.send(world, "load", "a", args: #"{"url":"\#(Self.film)&load_time=30"}"#)
        #expect(await self.outcome(world, "a")?.code == "done")
        #expect(world.devices[0].received("LAUNCH") == launches && world.devices[0].received("LOAD") == 1)
        await world.end()
    }

    /// Whether another launch helps, and whether the application died before the bridge connected to it.
    @Test("a load of one that is listed and dead is launched once and repeated", arguments: [true, false], [true, false])
    func dead(isHelped: Bool, isKnown: Bool) async throws {
        let world = try await BridgeWorld.settled()
        try await world.play("http://h/film", duration: 3600)
        await world.advance(.seconds(5))
        try await self.perform(world, .sabotage(isHelped ? .deadApplication : .deadForGood, true))
        if isKnown { try await world.act { world.devices[0].dropLinks() } }
        await world.advance(.seconds(15))
        let launches = world.devices[0].received("LAUNCH")
        try await self.send(world, "load", "a", args: #"{"url":"\#(Self.film)"}"#)
        let outcome = try #require(await self.outcome(world, "a"))
        #expect(outcome.code == (isHelped ? "done" : "not_responding") && outcome.time < .seconds(20), "\(outcome)")
        #expect(world.devices[0].received("LAUNCH") == launches + 1)
        await world.advance(.seconds(5))
        if isHelped {
            #expect(world.held("status/player") == "playing" && world.held("media")?.contains("film.mp4") == true)
        }
        // What a dead application leaves unanswered is not a kind of command that it ignores.
        try await self.perform(world, .sabotage(.deadForGood, false))
        try await self.send(world, "load", "b", args: #"{"url":"\#(Self.film)&n=2"}"#)
        #expect(await self.outcome(world, "b")?.code == "done")
        await world.end()
    }

    @Test("a load is not answered for a dead application when the whole device fell silent")
    func silentDevice() async throws {
        let world = try await BridgeWorld.settled()
        try await world.play("http://h/film", duration: 3600)
        await world.advance(.seconds(5))
        try await self.perform(world, .sabotage(.deadForGood, true))
        try await world.act { world.devices[0].dropLinks() }
        await world.advance(.seconds(15))
        try await self.send(world, "load", "a", args: #"{"url":"\#(Self.film)"}"#)
        try await world.act { world.devices[0].set(.frozen) }
        #expect(await self.outcome(world, "a")?.code == "cast_error")
        await world.advance(.seconds(5))
        #expect(world.held("availability") == "offline")
        await world.end()
    }

    // MARK: - Permission

    @Test("a launch that waits for permission is shown, and ended at once", arguments: ["quit_app", "leave"], [true, false])
    func permission(command: String, isAllowedLater: Bool) async throws {
        let world = try await BridgeWorld.settled()
        try await self.perform(world, .askPermission(true))
        try await self.send(world, "load", "load", args: #"{"url":"\#(Self.film)"}"#)
        await world.advance(.seconds(3))
        #expect(self.shows(world, phase: "waiting_for_permission"))
        try await self.send(world, command, "end")
        let outcome = try #require(await self.outcome(world, "end"))
        #expect(outcome.code == "done" && outcome.time < .milliseconds(500))
        #expect(world.answers("load").map { $0.contains(#""code":"superseded""#) } == [true])
        await world.advance(.seconds(1))
        #expect(self.shows(world, phase: "none"))
        if isAllowedLater {
            try await self.perform(world, .answerPermission(true))
            await world.advance(.seconds(10))
            let runs = world.devices[0].truth("app_id")?.text == "CC1AD845"
            #expect(runs == (command == "leave"))
            #expect(self.shows(world, phase: "none"))
            #expect(self.connections(world) == (command == "leave" ? ["invisible"] : []))
            #expect(world.held("app")?.contains(#""ours":\#(command == "leave")"#) == true)
        }
        await world.end()
    }

    @Test("a launch that a person permits goes on")
    func permitted() async throws {
        let world = try await BridgeWorld.settled()
        try await self.perform(world, .askPermission(true))
        try await self.send(world, "launch", "a", args: #"{"app":"CC1AD845"}"#)
        await world.advance(.seconds(20))
        #expect(self.shows(world, phase: "waiting_for_permission") && world.answers("a").isEmpty)
        try await self.perform(world, .answerPermission(true))
        #expect(await self.outcome(world, "a")?.code == "done")
        await world.advance(.seconds(2))
        #expect(self.shows(world, phase: "connected", connection: "strong"))
        await world.end()
    }
}

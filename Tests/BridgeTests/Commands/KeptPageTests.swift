import BridgeCore
import CastReceiverSimulator
import NIOCore
import Testing

@testable import Bridge

@Suite("A web page that stays", .timeLimit(.minutes(10)))
struct KeptPageTests {
    private static let page = "http://h/board"

    private func isShown(_ world: BridgeWorld) -> Bool { world.devices[0].truth("page")?["url"]?.text == Self.page }

    private func perform(_ world: BridgeWorld, _ action: RemoteAction) async throws {
        let device = world.devices[0]
        try await world.act { try device.perform(action) }
    }

    /// A world whose device shows a page that stays.
    private func shown() async throws -> BridgeWorld {
        let world = try await BridgeWorld.settled()
        try await world.send("cmd/show", #"{"url":"\#(Self.page)","keep":true,"id":"show"}"#)
        #expect(await world.advance(until: { !world.answers("show").isEmpty && self.isShown(world) }, limit: .seconds(20)) != nil)
        return world
    }

    @Test("it is shown again when the device ended it, later and later while it does not last")
    func again() async throws {
        let world = try await self.shown()
        for (least, limit) in [(4, 8), (9, 13), (19, 25)] as [(Int64, Int64)] {
            try await self.perform(world, .quit)
            let time = await world.advance(until: { self.isShown(world) }, limit: .seconds(limit))
            #expect(time.map { $0 >= .seconds(least) } == true, "\(String(describing: time))")
        }
        await world.advance(.seconds(90))
        try await self.perform(world, .quit)
        #expect(await world.advance(until: { self.isShown(world) }, limit: .seconds(8)) != nil, "it had lasted")
        await world.end()
    }

    @Test("it waits while the screen is off or shows another input")
    func screen() async throws {
        let world = try await self.shown()
        for (isOff, isActive) in [(true, true), (false, false)] {
            try await self.perform(world, .screen(standBy: isOff, activeInput: isActive))
            try await self.perform(world, .quit)
            await world.advance(.seconds(60))
            #expect(!self.isShown(world))
            try await self.perform(world, .screen(standBy: false, activeInput: true))
            #expect(await world.advance(until: { self.isShown(world) }, limit: .seconds(8)) != nil)
            await world.advance(.seconds(90))
        }
        await world.end()
    }

    @Test(
        "it ends with stop, with quitting, with anything else that is chosen, and with another sender",
        arguments: [
            ("cmd/stop", ""), ("cmd/quit_app", ""), ("set/app", "none"), ("cmd/load", "http://h/a.mp3?duration=5&load_time=0"),
            ("cmd/launch", "5A1D0002"), ("cmd/show", "http://h/other"), ("", ""),
        ])
    func ends(command: String, payload: String) async throws {
        let world = try await self.shown()
        if command.isEmpty {
            try await self.perform(world, .load(RemoteItem(url: "http://h/a", title: "a", durationSeconds: 100, applicationID: "5A1D0001")))
        } else {
            try await world.send(command, payload)
        }
        await world.advance(.seconds(10))
        try? await self.perform(world, .quit)
        await world.advance(.seconds(60))
        #expect(!self.isShown(world))
        await world.end()
    }
}

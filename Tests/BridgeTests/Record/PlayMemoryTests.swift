import BridgeCore
import CastReceiverSimulator
import Foundation
import NIOCore
import Testing

@testable import Bridge

@Suite("What was played, on disk", .timeLimit(.minutes(10)))
struct PlayMemoryTests {
    private static func world(_ plays: String) async throws -> BridgeWorld {
        let world = try BridgeWorld(configure: {
            for name in ["One", "Two", "Three"] {
                if let preset = try? Preset(name, ["url": .string("http://h/\(name).mp3?duration=600")]) { _ = $0.presets.set(preset) }
            }
        })
        try plays.write(toFile: world.directory + "/plays.json", atomically: true, encoding: .utf8)
        try await world.start()
        _ = await world.advance(until: { world.broker.isOnline && world.areAllAvailable }, limit: .seconds(10))
        await world.advance(.seconds(5))
        return world
    }

    /// Ends the bridge and returns its file.
    private static func end(_ world: BridgeWorld) async throws -> String {
        _ = await world.leave()
        let text = try String(contentsOfFile: world.directory + "/plays.json", encoding: .utf8)
        await world.end()
        return text
    }

    @Test("what was saved is written again as it is, not formed anew with each load, and the place among presets survives a restart")
    func kept() async throws {
        let former = try await Self.world(
            #"{"recents":[],"saved":{"evening":{"application":"CC1AD845","of_a_later_version":7}},"sleeps":{}}"#)
        try await former.send("cmd/preset", "Two")
        await former.advance(.seconds(5))
        #expect(former.held("state")?.contains(#""preset":"Two""#) == true)
        let text = try await Self.end(former)
        #expect(text.contains(#""of_a_later_version":7"#) && text.contains("Two.mp3"))

        let world = try await Self.world(text)
        try await world.send("cmd/preset_next", "")
        await world.advance(.seconds(5))
        #expect(world.held("state")?.contains(#""preset":"Three""#) == true)
        await world.end()
    }

    @Test("a device that is removed leaves neither a preset nor a timer, on disk neither")
    func removed() async throws {
        let world = try await Self.world("{}")
        try await world.send("cmd/preset", "Two")
        try await world.send("cmd/sleep", "30")
        await world.advance(.seconds(5))
        let id = world.devices[0].description.id
        #expect(await world.look { $0.commands.memory.presets[id]?.name == "Two" && $0.commands.memory.sleeps[id] != nil })
        try await world.request("device/remove", world.slug())
        await world.advance(.seconds(2))
        #expect(await world.look { $0.commands.memory.presets[id] == nil && $0.commands.memory.sleeps[id] == nil })
        #expect(try await !Self.end(world).contains(#""name":"Two""#))
    }
}

import BridgeCore
import CastSender
import Testing

@testable import Bridge

@Suite("The relay of applications' messages")
struct ChannelRelayTests {
    @Test("opens allowed namespaces only, and at most 16 of them")
    func wanted() throws {
        let allowed = NamespacePolicy([try #require(GlobPattern("urn:x-cast:org.example.*"))])
        #expect(allowed.channels(of: ["urn:x-cast:org.example.a", "urn:x-cast:com.google.cast.media"]) == ["urn:x-cast:org.example.a"])
        let many = (10..<27).map { "urn:x-cast:org.example.n\($0)" }
        #expect(allowed.channels(of: many.reversed()) == many.dropLast())
        #expect(NamespacePolicy().channels(of: many).isEmpty)
    }

    private static let echo = "urn:x-cast:org.example.echo"

    /// A world in which `5A1D0001` speaks an allowed namespace.
    private func house() async throws -> BridgeWorld {
        let patterns = ["urn:x-cast:org.example.*", "urn:x-cast:com.example.listed"]
        return try await BridgeWorld.settled { $0.commands.namespaces = NamespacePolicy(patterns.compactMap { GlobPattern($0) }) }
    }

    private func states(_ world: BridgeWorld) -> [String: String] {
        var states: [String: String] = [:]
        for topic in world.broker.tree.keys where topic.contains("/ns/") { states[topic] = world.broker.text(topic) }
        return states
    }

    @Test("a namespace's state is connected while its application runs and the link is up, over links and runs")
    func states() async throws {
        let world = try await self.house()
        let (device, echo, listed) = (
            world.devices[0], world.topic("ns/\(Self.echo)/state"), world.topic("ns/urn:x-cast:com.example.listed/state")
        )
        #expect(self.states(world) == [listed: "disconnected"], "one of a pattern has no topic before it was spoken")
        try await world.send("cmd/launch", "5A1D0001")
        await world.advance(.seconds(3))
        #expect(self.states(world) == [echo: "connected", listed: "disconnected"])
        // The link breaks, and the application runs on.
        try await world.act { device.dropLinks(after: "SET_VOLUME") }
        try await world.send("set/volume", "20")
        await world.advance(.milliseconds(200))
        try await world.act { device.dropLinks(after: nil) }
        await world.advance(.seconds(30))
        #expect(world.broker.entries(echo).map(\.text) == ["connected", "disconnected", "connected"])
        #expect(!world.broker.entries(world.topic("availability")).contains { $0.text == "offline" })
        try await world.act { try device.perform(.quit) }
        await world.advance(.seconds(3))
        #expect(self.states(world)[echo] == "disconnected")
        try await world.send("cmd/launch", "5A1D0001")
        await world.advance(.seconds(3))
        #expect(self.states(world)[echo] == "connected")
        try await world.act { device.set(.off) }
        await world.advance(.seconds(1))
        #expect(world.held("availability") == "online", "the link is lost, and the device not yet given up")
        #expect(self.states(world)[echo] == "disconnected")
        await world.advance(.seconds(10))
        #expect(await world.treeIsAsWanted())
        await world.end()
    }

    @Test("the states move with the slug and go with the device")
    func movesWithSlug() async throws {
        let world = try await self.house()
        try await world.send("cmd/launch", "5A1D0001")
        await world.advance(.seconds(3))
        try await world.request("device/rename", #"{"device":"sim-001","slug":"den"}"#)
        await world.advance(.seconds(5))
        #expect(self.states(world)["cast2mqtt/den/ns/\(Self.echo)/state"] == "connected")
        #expect(self.states(world).keys.allSatisfy { $0.hasPrefix("cast2mqtt/den/") })
        #expect(await world.treeIsAsWanted())
        try await world.request("device/remove", #"{"device":"den"}"#)
        await world.advance(.seconds(5))
        #expect(self.states(world).isEmpty)
        await world.end()
    }
}

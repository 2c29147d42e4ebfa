import BridgeCore
import CastReceiverSimulator
import NIOCore
import Testing

@testable import Bridge

@Suite("Speaker groups on the broker", .timeLimit(.minutes(10)))
struct GroupTests {
    /// The place of a device among those of the world.
    private func index(_ id: String, _ world: BridgeWorld) throws -> Int { try #require(world.devices.firstIndex { $0.id == id }) }

    /// A house with one group, and the places of the group and its members in it.
    private func house(
        configure: (inout BridgeSettings) -> Void = { _ in }
    ) async throws -> (BridgeWorld, group: Int, members: [Int]) {
        let world = try await BridgeWorld.settled(devices: 4, groups: 1, configure: configure)
        let group = try #require(world.devices.firstIndex { $0.description.isGroup })
        let members = try world.devices[group].description.members.map { try self.index($0.id, world) }
        return (world, group, members)
    }

    @Test("members show what their group plays, without an event of their own; others don't")
    func playing() async throws {
        let (world, group, members) = try await self.house()
        #expect(world.held("group", group)?.contains("\"role\":\"leader\"") == true)
        for member in members {
            #expect(world.held("group", member)?.contains("\"slug\":\"\(world.slug(group))\"") == true)
            #expect(world.held("info", member)?.contains("\"groups\":[\"\(world.slug(group))\"]") == true)
            #expect(world.held("status/busy", member) == "OFF")
        }
        #expect(world.broker.text("cast2mqtt/bridge/devices")?.contains("\"groups\":[\"\(world.slug(group))\"]") == true)
        world.broker.clearJournal()
        try await world.play("http://h/party", duration: 600, group)
        for index in [group] + members {
            #expect(world.held("status/player", index) == "playing")
            #expect(world.held("status/title", index) == "http://h/party")
            #expect(world.held("status/busy", index) == "ON")
        }
        for member in members { #expect(world.broker.entries(world.topic("event", member)).isEmpty) }
        #expect(world.broker.entries(world.topic("event", group)).contains { $0.text.contains("media_started") })
        for index in world.devices.indices where index != group && !members.contains(index) {
            #expect(world.held("status/busy", index) == "OFF")
        }
        // The members tick the position that the group reports.
        await world.advance(.seconds(12))
        #expect(world.broker.entries(world.topic("status/position", members[0])).contains { !$0.isRetained })
        let device = world.devices[group]
        try await world.act { try device.perform(.stopMedia) }
        await world.advance(.seconds(3))
        for member in members { #expect(world.held("status/busy", member) == "OFF") }
        #expect(await world.treeIsAsWanted())
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("a member that plays alone does not make the group play")
    func alone() async throws {
        let (world, group, members) = try await self.house()
        try await world.play("http://h/alone", duration: 600, members[0])
        #expect(world.held("status/player", members[0]) == "playing")
        #expect(world.held("status/player", group) != "playing")
        #expect(world.held("status/busy", group) == "OFF")
        #expect(world.held("status/busy", members[1]) == "OFF")
        await world.end()
    }

    private func player(_ index: Int, _ world: BridgeWorld) -> String? { world.devices[index].truth("player")?.text }

    @Test("a group command to a device that is known to be no group is answered at once")
    func noGroup() async throws {
        let (world, group, members) = try await self.house()
        let other = try #require(world.devices.indices.first { $0 != group && !members.contains($0) })
        let device = world.devices[other]
        // Discovery describes it.
        await world.look { bridge in
            guard var known = bridge.fleet.device(device.id)?.state.device else { return }
            known.capabilities = [.audioOut]
            bridge.fleet.handle(.changed(known))
        }
        // It does not answer questions about groups.
        try await world.act { try device.perform(.ignore(type: "GET_STATUS", true)) }
        try await world.send("cmd/group_volume", #"{"id":"v","volume":30}"#, other)
        await world.advance(.milliseconds(500))
        #expect(world.answers("v").count == 1)
        #expect(world.answers("v").first?.contains(#""code":"not_supported""#) == true)
        await world.end()
    }

    @Test("the group executes commands of a member about the group's media, and the answer names the group")
    func commands() async throws {
        let (world, group, members) = try await self.house()
        try await world.play("http://h/party", duration: 600, group)
        var count = 0
        func ask(_ command: String, _ index: Int) async throws -> String {
            count += 1
            try await world.send("cmd", #"{"id":"c\#(count)",\#(command)}"#, index)
            await world.advance(.seconds(2))
            let answers = world.answers("c\(count)")
            #expect(answers.count == 1)
            #expect(answers.first?.contains(#""device":"\#(world.slug(index))""#) == true)
            return answers.first ?? ""
        }
        let named = #""group":"\#(world.slug(group))""#
        for (command, state) in [("pause", "PAUSED"), ("play", "PLAYING"), ("play_pause", "PAUSED"), ("play_pause", "PLAYING")] {
            let answer = try await ask(#""cmd":"\#(command)""#, members[1])
            #expect(answer.contains(#""code":"done""#) && answer.contains(named), "\(command): \(answer)")
            #expect(self.player(group, world) == state)
        }
        // Members of a command that concern the device stay with it, although others in the same command go to the group.
        let before = world.devices[group].truth("volume")?.double
        let answer = try await ask(#""cmd":"set","args":{"volume":11,"position":300}"#, members[1])
        #expect(answer.contains(named))
        #expect(world.held("status/volume", members[1]) == "11")
        #expect(world.devices[group].truth("volume")?.double == before)
        #expect((world.devices[group].truth("position")?.double ?? 0) >= 300)
        #expect(try await !ask(#""cmd":"set","args":{"volume":12}"#, members[1]).contains(named))
        #expect(try await ask(#""cmd":"transfer","args":{"to":"\#(world.slug(group))"}"#, members[1]).contains("bad_payload"))
        #expect(try await ask(#""cmd":"stop""#, members[0]).contains(named))
        #expect(["IDLE", "NONE", nil].contains(self.player(group, world)))
        let nothing = try await ask(#""cmd":"play""#, members[0])
        #expect(nothing.contains("no_session") && !nothing.contains(named))
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("commands of a member that plays its own media are about that")
    func ownCommands() async throws {
        let (world, group, members) = try await self.house()
        try await world.play("http://h/party", duration: 600, group)
        try await world.play("http://h/alone", duration: 600, members[0])
        try await world.send("cmd/pause", "", members[0])
        await world.advance(.seconds(2))
        #expect(self.player(members[0], world) == "PAUSED")
        #expect(self.player(group, world) == "PLAYING")
        await world.end()
    }

    @Test("a command to all reaches a group once, not again through each of its members")
    func fanOut() async throws {
        let (world, group, members) = try await self.house { $0.commands.isFanOutEnabled = true }
        try await world.play("http://h/party", duration: 600, group)
        let before = world.devices[group].received("PAUSE")
        let broker = world.broker
        try await world.act { broker.publish("cast2mqtt/all/cmd/pause", "") }
        await world.advance(.seconds(3))
        #expect(world.devices[group].received("PAUSE") == before + 1)
        let answer = world.broker.entries("cast2mqtt/bridge/response/command").last?.text ?? ""
        for member in members { #expect(answer.contains(#""\#(world.slug(member))":{"code":"no_session""#), "\(answer)") }
        await world.end()
    }

    @Test("joining and leaving members are reported, and appear in the documents of all affected devices")
    func joining() async throws {
        let (world, group, members) = try await self.house()
        let other = try #require(world.devices.indices.first { $0 != group && !members.contains($0) })
        world.broker.clearJournal()
        let (device, newcomer) = (world.devices[group], world.devices[other].description)
        try await world.act {
            try device.perform(.join(GroupMember(id: newcomer.id, name: newcomer.friendlyName, volume: Volume(level: 0.3, isMuted: false))))
        }
        await world.advance(.seconds(3))
        let reported = world.broker.entries("cast2mqtt/bridge/event").filter { $0.text.contains("group_changed") }
        #expect(reported.count == 1)
        #expect(reported.first?.text.contains("\"joined\":[\"\(newcomer.id)\"],\"left\":[]") == true)
        #expect(world.held("group", other)?.contains("\"role\":\"member\"") == true)
        #expect(world.held("group", group)?.contains("\"slug\":\"\(world.slug(other))\"") == true)
        let leaver = world.devices[members[0]].id
        try await world.act { try device.perform(.leave(leaver)) }
        await world.advance(.seconds(3))
        #expect(world.held("group", members[0])?.contains("\"role\":\"none\"") == true)
        #expect(await world.treeIsAsWanted())
        await world.end()
    }
}

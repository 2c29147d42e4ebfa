import BridgeCore
import CastSender
import NIOCore
import Testing

@testable import Bridge

@Suite("Devices that can run none of the required applications", .timeLimit(.minutes(10)))
struct ExcludedDeviceTests {
    /// Needs a display, which speakers lack.
    private static let pictureFrame = "5A1D0002"

    private func excluded(_ world: BridgeWorld) -> Int? {
        world.broker.text("cast2mqtt/bridge/health").flatMap { text in
            text.range(of: #""excluded":"#).flatMap { Int(String(text[$0.upperBound...].prefix { $0.isNumber })) }
        }
    }

    private func canRun(_ world: BridgeWorld, _ index: Int) -> Bool { world.devices[index].description.model.hasDisplay }

    /// The availability of a device; `nil` when it has no topics.
    private func availability(_ world: BridgeWorld, _ index: Int) async -> String? {
        let id = world.devices[index].id
        guard let slug = await world.look({ $0.fleet.slug(of: id) }) else { return nil }
        let topics = world.broker.tree.keys.filter { $0.hasPrefix("cast2mqtt/\(slug)/") }
        return topics.isEmpty ? nil : world.broker.text("cast2mqtt/\(slug)/availability")
    }

    private func hasTopics(_ world: BridgeWorld, _ index: Int) async -> Bool { await self.availability(world, index) == "online" }

    @Test(
        "new devices that can't have no topics, no line in the list and are counted", arguments: [true, false])
    func new(requiresApplications: Bool) async throws {
        let world = try BridgeWorld(devices: 8, isKnown: false) {
            $0.cast.requiredApplications = requiresApplications ? [Self.pictureFrame, "FFFFFFFF"] : []
        }
        try await world.start()
        await world.find()
        await world.advance(.seconds(70))
        let able = world.devices.indices.filter { self.canRun(world, $0) || !requiresApplications }
        #expect(!requiresApplications || !able.isEmpty && able.count < world.devices.count, "there are some of each")
        for index in world.devices.indices {
            #expect(await self.hasTopics(world, index) == able.contains(index), "\(world.devices[index].description.model)")
            let list = world.broker.text("cast2mqtt/bridge/devices") ?? ""
            #expect(list.contains(world.devices[index].id) == able.contains(index))
        }
        #expect(self.excluded(world) == world.devices.count - able.count)
        #expect(await world.look { $0.fleet.unverifiedCount } == 0, "an excluded device takes no place of those that are tried")
        #expect(world.bridgeEvents("device_added").count == able.count)
        #expect(await world.treeIsAsWanted())
        await world.end()
    }

    @Test("a known device that can't any more loses its topics, stays out over a restart, and returns with its slug when it can again")
    func known() async throws {
        let world = try BridgeWorld(devices: 8) { $0.cast.requiredApplications = [Self.pictureFrame] }
        try await world.start()
        await world.advance(.seconds(30))
        let unable = world.devices.indices.filter { !self.canRun(world, $0) }
        for index in world.devices.indices { #expect(await self.hasTopics(world, index) == !unable.contains(index)) }
        #expect(await world.treeIsAsWanted())
        let file = world.stateFile
        #expect(StateFile.read(file).file.devices.count == world.devices.count, "each keeps its slug")
        await world.end()

        let later = try BridgeWorld(devices: 8, stateFile: file) { $0.cast.requiredApplications = [Self.pictureFrame] }
        try await later.start()
        await later.advance(.seconds(70))
        for index in unable {
            #expect(later.broker.entries(later.topic("availability", index)).isEmpty, "never published")
        }
        #expect(self.excluded(later) == unable.count)
        await later.end()

        let open = try BridgeWorld(devices: 8, stateFile: file)
        try await open.start()
        await open.advance(.seconds(30))
        #expect(open.areAllAvailable)
        await open.end()
    }

    @Test("a new device that doesn't answer is asked again over its next link; one with topics that doesn't answer keeps them")
    func askedAgain() async throws {
        let world = try BridgeWorld(devices: 1, isKnown: false) { $0.cast.requiredApplications = ["CC1AD845"] }
        let device = world.devices[0]
        try await world.act { try device.perform(.ignore(type: "GET_APP_AVAILABILITY", true)) }
        try await world.start()
        await world.find()
        await world.advance(.seconds(70))
        #expect(await self.availability(world, 0) == nil && self.excluded(world) == 1)
        try await world.act {
            try device.perform(.ignore(type: "GET_APP_AVAILABILITY", false))
            device.set(.off)
            device.set(.on)
        }
        await world.advance(.seconds(70))
        #expect(await self.hasTopics(world, 0) && self.excluded(world) == 0)
        #expect(await world.treeIsAsWanted())
        try await world.act {
            try device.perform(.ignore(type: "GET_APP_AVAILABILITY", true))
            device.set(.off)
            device.set(.on)
        }
        await world.advance(.seconds(70))
        #expect(await self.hasTopics(world, 0) && self.excluded(world) == 0)
        await world.end()
    }

    @Test("a rename of a device that is left out before its topics had moved is answered")
    func renamed() async throws {
        let world = try BridgeWorld(devices: 8) { $0.cast.requiredApplications = [Self.pictureFrame] }
        let index = try #require(world.devices.indices.first { !self.canRun(world, $0) })
        let device = world.devices[index]
        try await world.act { device.set(.off) }
        try await world.start()
        await world.advance(.seconds(20))
        world.broker.set { $0.acknowledges = false }
        try await world.request("device/rename", #"{"device":"\#(world.slug(index))","slug":"den"}"#)
        await world.advance(.seconds(1))
        #expect(world.answers(to: "device/rename").isEmpty)
        try await world.act { device.set(.on) }
        await world.look { $0.fleet.handle(.sighted(device.id)) }
        await world.advance(.seconds(5))
        #expect(await world.look { $0.fleet.isExcluded(device.id) || $0.fleet.isUndecided(device.id) })
        #expect(world.answers(to: "device/rename").map { $0.contains(#""code":"unknown_device""#) } == [true])
        try await world.act { world.broker.acknowledgeAll() }
        await world.advance(.seconds(5))
        #expect(world.answers(to: "device/rename").count == 1)
        await world.end()
    }

    @Test("the answer to device/add waits for what the device can run")
    func added() async throws {
        let world = try BridgeWorld(devices: 8, isKnown: false) { $0.cast.requiredApplications = [Self.pictureFrame] }
        try await world.start()
        await world.advance(.seconds(5))
        for index in world.devices.indices {
            let address = world.devices[index].description.address
            try await world.request("device/add", #"{"ip":"\#(address)"}"#)
            await world.advance(.seconds(20))
            let answer = try #require(world.answers(to: "device/add").last)
            #expect(world.answers(to: "device/add").count == index + 1)
            #expect(answer.contains(#""code":"\#(self.canRun(world, index) ? "done" : "not_supported")""#), "\(answer)")
            #expect(answer.contains("can run none") == !self.canRun(world, index))
        }
        // The answer follows the decision, not a later look at it.
        let added = world.broker.entries("cast2mqtt/bridge/event").filter { $0.text.contains(#""type":"device_added""#) }
        let answers = world.broker.entries("cast2mqtt/bridge/response/device/add").filter { $0.text.contains(#""code":"done""#) }
        #expect(!added.isEmpty && added.count == answers.count)
        for (event, answer) in zip(added, answers) { #expect(answer.at - event.at < .seconds(1)) }
        await world.end()
    }

    @Test("the answer to device/add waits no longer than 15 s for a device that never reports its state")
    func undecided() async throws {
        let world = try BridgeWorld(devices: 1, isKnown: false) { $0.cast.requiredApplications = [Self.pictureFrame] }
        try await world.act { try world.devices[0].perform(.ignore(type: "GET_STATUS", true)) }
        try await world.start()
        await world.advance(.seconds(5))
        try await world.request("device/add", #"{"ip":"\#(world.devices[0].description.address)"}"#)
        await world.advance(.seconds(14))
        #expect(world.answers(to: "device/add").isEmpty)
        await world.advance(.seconds(4))
        #expect(world.answers(to: "device/add").count == 1)
        let answer = try #require(world.answers(to: "device/add").last)
        #expect(answer.contains(#""code":"timeout""#) && answer.contains("discovery.applications"), "\(answer)")
        #expect(await world.look { $0.fleet.unverifiedCount } == 1, "it is still tried")
        await world.end()
    }
}

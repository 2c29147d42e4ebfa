import CastModels
import CastProtocol
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

@Suite struct GroupTests {
    private static func member(_ id: String, level: Double? = 0.5, name: String? = "Speaker") -> MultizoneDevice {
        MultizoneDevice(
            id: id, friendlyName: name, capabilities: [.audioOut], volume: level.map { DeviceVolume(level: $0, isMuted: false) })
    }

    private static func status(_ ids: [String]) -> MultizoneMessage {
        .status(MultizoneStatus(devices: ids.map { Self.member($0) }, isMultichannel: false))
    }

    private static let table: [([MultizoneMessage], [GroupChange], [String])] = [
        ([status(["a", "b"])], [], ["a", "b"]),
        ([status(["a"]), status(["a", "b"])], [.memberJoined(member("b"))], ["a", "b"]),
        ([status(["a", "b"]), status(["b"])], [.memberLeft("a")], ["b"]),
        ([status(["a"]), .deviceAdded(member("b"))], [.memberJoined(member("b"))], ["a", "b"]),
        ([status(["a"]), .deviceAdded(member("a"))], [], ["a"]),
        ([status(["a"]), .deviceUpdated(member("a", level: 0.7))], [.memberChanged(member("a", level: 0.7))], ["a"]),
        ([status(["a"]), .deviceUpdated(member("a", level: nil, name: nil))], [], ["a"]),
        ([status(["a"]), .deviceUpdated(member("b"))], [.memberJoined(member("b"))], ["a", "b"]),
        ([status(["a", "b"]), .deviceRemoved("a"), .deviceRemoved("a")], [.memberLeft("a")], ["b"]),
        ([.deviceUpdated(member("a"))], [], []),
        ([.deviceAdded(member("a")), status(["a", "b"])], [.memberJoined(member("a")), .memberJoined(member("b"))], ["a", "b"]),
        ([status(["a"]), .playbackSessionUpdated], [.playbackMoved], ["a"]),
        ([status(["a"]), .castingGroups([]), .unknown(type: "X")], [], ["a"]),
    ]

    @Test("members are those added, less those removed, and all replaced by a whole status", arguments: 0..<table.count)
    func members(row: Int) {
        let (messages, expected, ids) = Self.table[row]
        var group = GroupMembers()
        var changes: [GroupChange] = []
        for message in messages { changes += group.apply(message) }
        #expect(changes == expected)
        #expect(group.status?.devices.map(\.id) ?? [] == ids)
    }

    @Test("a group has a bound")
    func bound() {
        var group = GroupMembers()
        for index in 0..<1000 { _ = group.apply(.deviceAdded(Self.member("m\(index)"))) }
        #expect(group.status?.devices.count == GroupMembers.limit)
        _ = group.apply(Self.status((0..<1000).map { "m\($0)" }))
        #expect(group.status?.devices.count == GroupMembers.limit)
    }

    @Test("observers of the members get them, their changes and volumes")
    func session() async throws {
        let receiver = FakeReceiver {
            $0.script = { entry in
                guard entry.namespace == CastNamespace.multizone else { return nil }
                let id = entry.body["requestId"]?.intValue ?? 0
                switch entry.type {
                case "GET_STATUS":
                    return [
                        (
                            "",
                            #"{"type":"MULTIZONE_STATUS","requestId":\#(id),"status":{"isMultichannel":true,"devices":[{"deviceId":"M-1","name":"Left","volume":{"level":0.2,"muted":false}}],"playbackSession":{"streamTransferSupported":true}}}"#
                        )
                    ]
                case "GET_CASTING_GROUPS":
                    return [("", #"{"type":"CASTING_GROUPS","requestId":\#(id),"groups":[{"deviceId":"g1","name":"All"}]}"#)]
                case "SET_DEVICE_VOLUME":
                    return [
                        (
                            "",
                            #"{"type":"DEVICE_UPDATED","requestId":\#(id),"device":{"deviceId":"M-1","volume":{"level":0.9,"muted":false}}}"#
                        )
                    ]
                default: return [("", #"{"type":"INVALID_REQUEST","requestId":\#(id),"reason":"INVALID_COMMAND"}"#)]
                }
            }
        }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let session = try await world.session()
        #expect(!receiver.types("multizone").contains("GET_STATUS"), "without an observer")
        var states = await session.multizoneStatuses.makeAsyncIterator()
        var events = await session.events.makeAsyncIterator()
        #expect(await states.next() == .some(nil))
        await world.virtual.advance(.milliseconds(50))
        let status = await states.next() ?? nil
        #expect(status?.devices.map(\.id) == ["m1"])
        #expect(status?.isMultichannel == true)
        #expect(status?.playbackSession?.streamTransferSupported == true)

        let set = await world.virtual.call {
            await result { () async throws(CastError) in try await session.setMemberVolume(level: 0.9, of: "M-1") }
        }
        #expect(throws: Never.self) { try set?.value.get() }
        #expect(receiver.journal.last?.body["deviceId"] == "M-1", "in the spelling of the group")
        guard case .event(.multizoneStatus(let first))? = await events.next(),
            case .event(.multizoneStatus(let second))? = await events.next(),
            case .event(.groupChanged(.memberChanged(let changed)))? = await events.next()
        else {
            Issue.record("the members and the change should be reported")
            return
        }
        #expect(first == status)
        #expect(second.devices.first?.volume?.level == 0.9)
        #expect(changed.volume?.level == 0.9 && changed.friendlyName == "Left")
        let groups = await world.virtual.call { await result { () async throws(CastError) in try await session.requestCastingGroups() } }
        #expect(try groups?.value.get() == [CastingGroup(id: "g1", friendlyName: "All")])
        let refused = await world.virtual.call {
            await result { () async throws(CastError) in try await session.setMemberMuted(true, of: "m1") }
        }
        #expect(LaunchTests.code(try #require(refused).value) == .unsupportedFeature)
        let nonsense = await world.virtual.call {
            await result { () async throws(CastError) in try await session.setMemberVolume(level: 2, of: "m1") }
        }
        if case .failure(let error)? = nonsense?.value { #expect(error.argument == "level") } else { Issue.record("it should be refused") }
        _ = await world.end(task)
    }

    @Test("a member's own link always obeys, without a session", arguments: [true, false])
    func memberLink(isReachable: Bool) async throws {
        let receiver = FakeReceiver { $0.id = "m1" }
        let world = ManagerWorld()
        if isReachable { world.connector.route("10.0.0.7", to: .receiver(receiver)) }
        let task = await world.run()
        let member = ManagerWorld.device("m1", host: "10.0.0.7")
        let end = await world.call { manager throws(CastError) in try await manager.setDeviceVolume(level: 0.25, of: member) }
        if isReachable {
            #expect(throws: Never.self) { try end?.get() }
            #expect(receiver.set { $0.level } == 0.25)
            try await world.settle(.seconds(1)) { receiver.openConnections == 0 }
            #expect(receiver.openConnections == 0)
        } else {
            guard case .failure(let error)? = end else {
                Issue.record("it should fail")
                return
            }
            #expect(error.code == .networkError)
        }
        #expect(await world.reported.take() == [])
        task.cancel()
        await world.virtual.advance(.seconds(1))
        await task.value
    }

    @Test(
        "what a device is follows from its announcement",
        arguments: [
            ([.audioOut, .multizoneGroup], "Google Cast Group", Device.Kind.group), ([.audioOut, .multichannelGroup], "Nest", .stereoPair),
            ([.audioOut, .dynamicGroup], "x", .group), ([.audioOut], "Google Home Mini", .audio),
            ([.videoOut, .audioOut], "Chromecast", .cast),
        ] as [(DeviceCapabilities, String, Device.Kind)])
    func kinds(capabilities: DeviceCapabilities, model: String, kind: Device.Kind) {
        let device = Device(id: "1", friendlyName: "x", modelName: model, capabilities: capabilities)
        #expect(device.kind == kind)
        #expect(device.isDynamicGroup == capabilities.contains(.dynamicGroup))
        #expect(!device.isStereoPairMember)
    }
}

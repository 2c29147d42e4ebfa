import Testing

@testable import CastReceiverSimulator

@Suite struct MultizoneTests {
    static let multizone = "urn:x-cast:com.google.cast.multizone"
    static let members = [
        GroupMember(id: String(repeating: "a", count: 32), name: "A", volume: Volume(level: 0.2)),
        GroupMember(id: String(repeating: "b", count: 32), name: "B", volume: Volume(level: 0.6)),
    ]
    static let hyphened = "BBBBBBBB-bbbb-BBBB-bbbb-bbbbbbbbbbbb"

    static func probe(_ model: DeviceModel = .group, habits: Set<Habit> = []) -> Probe {
        var settings = ReceiverSettings()
        settings.habits = habits
        return Probe(model, settings: settings, members: Self.members)
    }

    @Test(
        "the volume of one member is set by either request and any spelling of its id",
        arguments: [("SET_VOLUME", String(repeating: "b", count: 32)), ("SET_DEVICE_VOLUME", hyphened)])
    func memberVolume(type: String, id: String) {
        var probe = Self.probe()
        let answers = probe.ask(
            ["type": .string(type), "deviceId": .string(id), "volume": ["level": 0.8]], Self.multizone)
        #expect(answers.map(\.type) == ["MULTIZONE_STATUS"])
        #expect(probe.others.contains(.setMemberVolume(id: Self.members[1].id, change: VolumeChange(level: 0.8))))
        #expect(probe.broadcasts("DEVICE_UPDATED").first?.json["device"]?["name"] == "B")
        #expect(abs((probe.broadcasts("RECEIVER_STATUS").first?.status?["volume"]?["level"]?.double ?? 0) - 0.5) < 0.001)
        for request in [
            ["type": .string(type), "deviceId": "nobody", "volume": ["level": 0.8]], ["type": .string(type), "deviceId": .string(id)],
        ] as [JSON] {
            #expect(probe.ask(request, Self.multizone).map(\.type) == ["INVALID_REQUEST"])
        }
    }

    @Test("members join and leave on the fly, and all senders learn of it")
    func joinAndLeave() throws {
        var probe = Self.probe()
        let new = GroupMember(id: String(repeating: "c", count: 32), name: "C", volume: Volume(level: 0.1))
        probe.take(try probe.model.perform(.join(new), at: probe.now))
        #expect(probe.broadcasts("DEVICE_ADDED").first?.json["device"]?["name"] == "C")
        #expect(throws: SimulatorError.self) { try probe.model.perform(.join(new), at: probe.now) }
        #expect(abs((probe.state["volume"]?.double ?? 0) - 0.3) < 0.001)
        probe.take(try probe.model.perform(.leave(Self.members[0].id), at: probe.now))
        #expect(probe.broadcasts("DEVICE_REMOVED").first?.json["deviceId"] == "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa")
        let reported = probe.ask(["type": "GET_STATUS"], Self.multizone).first?.status
        #expect(reported?["devices"]?.elements?.map { $0["name"]?.text } == ["B", "C"])
        probe.take(try probe.model.perform(.leave(new.id), at: probe.now))
        #expect(throws: SimulatorError.self) { try probe.model.perform(.leave(Self.members[1].id), at: probe.now) }
        var device = Probe()
        #expect(throws: SimulatorError.self) { try device.model.perform(.join(new), at: .zero) }
    }

    @Test("a stereo pair reports that it is one", arguments: [(DeviceModel.group, false), (.stereoPair, true)])
    func stereoPair(model: DeviceModel, isPair: Bool) {
        var probe = Self.probe(model)
        #expect(probe.ask(["type": "GET_STATUS"], Self.multizone).first?.status?["isMultichannel"] == .bool(isPair))
        #expect(probe.model.description.capabilities & 0x80 == (isPair ? 0x80 : 0))
    }

    @Test("a device names the groups that it belongs to")
    func castingGroups() {
        var probe = Probe()
        probe.model.groups = [GroupReference(name: "Downstairs", uuid: "u", leader: nil, port: 1)]
        let answer = probe.ask(["type": "GET_CASTING_GROUPS"], Self.multizone).first
        #expect(answer?.json["status"]?["groups"] == [["deviceId": "u", "name": "Downstairs"]])
        #expect(probe.ask(["type": "WHISTLE"], Self.multizone).map { $0.json["reason"]?.text } == ["INVALID_COMMAND"])
    }

    @Test("eureka_info distinguishes pairs and temporary groups from speaker groups")
    func eureka() {
        var probe = Probe()
        probe.model.groups = [
            GroupReference(name: "A", uuid: "a", leader: nil, port: 1),
            GroupReference(name: "B", uuid: "b", leader: nil, port: 2, isMultichannel: true),
            GroupReference(name: "C", uuid: "c", leader: "127.0.0.1:3", port: 3, isDynamic: true),
        ]
        let reported = probe.model.eurekaInformation(parameters: ["multizone"], at: .zero)["multizone"]
        #expect(reported?["groups"]?.elements?.map { $0["multichannel_group"] } == [false, true])
        #expect(reported?["dynamic_groups"] == [["name": "C", "uuid": "c", "elected_leader": "127.0.0.1:3", "multichannel_group": false]])
    }

    @Test("where members show placeholders, a group notifies them when it starts and stops playing", arguments: [true, false])
    func placeholders(shows: Bool) {
        var group = Self.probe(habits: shows ? [.groupPlaceholders] : [])
        group.launch()
        _ = group.ask(["type": "STOP"])
        let reported = group.others.filter { if case .occupyMembers = $0 { true } else { false } }
        #expect(reported == (shows ? [true, false].map { .occupyMembers(ids: Self.members.map(\.id), $0) } : []))
    }

    @Test("a member of a playing group shows a placeholder until the group ceases, or is taken out by a launch", arguments: [true, false])
    func placeholder(isLeader: Bool) {
        var probe = Probe()
        probe.play()
        probe.take(probe.model.occupied(asLeader: isLeader, at: probe.now))
        #expect(probe.state["app_id"]?.text == (isLeader ? "MultizoneLeader" : "MultizoneFollower"))
        let namespaces = probe.broadcasts("RECEIVER_STATUS").last?.status?["applications"]?.elements?.first?["namespaces"]?.elements
        #expect(namespaces?.contains(["name": .string(Probe.media)]) == false)
        var released = probe
        released.take(released.model.occupied(asLeader: nil, at: released.now))
        #expect(released.state["app_id"] == nil)
        probe.launch()
        #expect(probe.state["app_id"] == "CC1AD845")
        probe.take(probe.model.occupied(asLeader: nil, at: probe.now))
        #expect(probe.state["app_id"] == "CC1AD845")
    }
}

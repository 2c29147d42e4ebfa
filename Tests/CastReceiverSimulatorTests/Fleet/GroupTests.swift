import TestSupport
import Testing

@testable import CastReceiverSimulator

@Suite struct GroupTests {
    @Test("a temporary group comes and goes, is listed, and takes the volume of its members along")
    func dynamicGroup() async throws {
        try await TestFleet.with(TestFleet.configuration(devices: 4)) { fleet in
            let made = await fleet.answer(line: #"{"do":"group","device":"sim-002","members":["sim-004"],"name":"Now"}"#)
            #expect(made["device"] == "dynamic-001")
            let state = try await fleet.control("dynamic-001", .state)
            #expect(state["address"] == (try await fleet.control("sim-002", .state))["address"])
            #expect((state["port"]?.int ?? 0) > 0)
            try await fleet.control("sim-004", .remote(.volume(VolumeChange(level: 1))))
            try await fleet.control("sim-002", .remote(.volume(VolumeChange(level: 0.5))))
            try await eventually("the group has the average") {
                abs((try await fleet.control("dynamic-001", .state)["volume"]?.double ?? 0) - 0.75) < 0.001
            }
            let joined = await fleet.answer(line: #"{"do":"join","device":"dynamic-001","member":"sim-001"}"#)
            #expect(joined["ok"] == true)
            let sender = try await RawSender.connect(fleet, "dynamic-001")
            try await sender.handshake()
            let reported = try await sender.ask(["type": "GET_STATUS", "requestId": 5], MultizoneTests.multizone)
            #expect(reported["status"]?["devices"]?.elements?.count == 3)
            let dissolved = await fleet.answer(line: #"{"do":"dissolve","device":"dynamic-001"}"#)
            #expect(dissolved["ok"] == true)
            try await sender.expectEnd()
            let list = await fleet.answer(line: #"{"do":"list"}"#)
            #expect(list["devices"]?.elements?.count == 4)
            #expect(await fleet.answer(line: #"{"do":"dissolve","device":"sim-001"}"#)["error"] == "wrong_state")
            #expect(await fleet.answer(line: #"{"do":"group","device":"sim-001","members":["sim-001"]}"#)["error"] == "invalid_request")
        }
    }

    @Test("a group whose leader is switched off is led by another member; the last one takes it down")
    func election() async throws {
        let configuration = TestFleet.configuration(devices: 5, groups: 1) { $0.electsLeaders = true }
        try await TestFleet.with(configuration) { fleet in
            let group = try #require(fleet.plan.devices.last)
            let names = group.members.compactMap { member in fleet.plan.devices.first { $0.id == member.id }?.controlName }
            let second = try await fleet.control(names[1], .state)["address"]
            try await fleet.control("group-001", .remote(.load(RemoteItem(url: "http://a/b"))))
            try await fleet.control(names[0], .stop(goodbye: false))
            let moved = try await fleet.control("group-001", .state)
            #expect(moved["address"] == second && moved["power"] == "on" && moved["app_id"] == nil)
            try await fleet.control(names[1], .stop(goodbye: true))
            #expect(try await fleet.control("group-001", .state)["power"] == "off")
            try await fleet.control(names[0], .start)
            let restarted = try await fleet.control("group-001", .state)
            #expect(restarted["power"] == "on" && restarted["address"]?.text == group.address)
        }
    }

    @Test("members of a playing group show its placeholders on their own connections")
    func placeholders() async throws {
        let configuration = TestFleet.configuration(devices: 5, groups: 1) { $0.settings.habits = [.groupPlaceholders] }
        try await TestFleet.with(configuration) { fleet in
            let group = try #require(fleet.plan.devices.last)
            let names = group.members.compactMap { member in fleet.plan.devices.first { $0.id == member.id }?.controlName }
            try await fleet.control("group-001", .remote(.load(RemoteItem(url: "http://a/b"))))
            for (name, application) in zip(names, ["MultizoneLeader", "MultizoneFollower"]) {
                try await eventually("\(name) shows \(application)") {
                    try await fleet.control(name, .state)["app_id"]?.text == application
                }
            }
            try await fleet.control("group-001", .remote(.quit))
            try await eventually("the leader is free again") { try await fleet.control(names[0], .state)["app_id"] == nil }
        }
    }

    @Test("a stereo pair in a playing group shows a placeholder, and so do its halves")
    func pairInGroup() async throws {
        let configuration = TestFleet.configuration(devices: 10, groups: 1) {
            $0.stereoPairs = 1
            $0.settings.habits = [.groupPlaceholders]
        }
        try await TestFleet.with(configuration) { fleet in
            let pair = try #require(fleet.plan.devices.first { $0.model.isMultichannel })
            let halves = pair.members.compactMap { half in fleet.plan.devices.first { $0.id == half.id }?.controlName }
            let group = try #require(fleet.plan.devices.first { $0.isGroup && !$0.model.isMultichannel })
            try await fleet.control("group-001", .join(pair.controlName))
            for member in group.members {
                let name = try #require(fleet.plan.devices.first { $0.id == member.id }?.controlName)
                if halves.contains(name) { _ = try? await fleet.control("group-001", .leave(name)) }
            }
            try await fleet.control("group-001", .remote(.load(RemoteItem(url: "http://a/b"))))
            let names = [pair.controlName] + halves
            try await eventually("pair and halves follow") {
                try await Self.applications(of: names, in: fleet).allSatisfy { $0.hasPrefix("Multizone") }
            }
            try await fleet.control("group-001", .remote(.quit))
            try await eventually("they are free again") {
                try await Self.applications(of: names, in: fleet).allSatisfy { !$0.hasPrefix("Multizone") }
            }
        }
    }

    private static func applications(of names: [String], in fleet: SimulatedFleet) async throws -> [String] {
        var shown: [String] = []
        for name in names { shown.append(try await fleet.control(name, .state)["app_id"]?.text ?? "") }
        return shown
    }

    @Test("a device that joins a playing group shows a placeholder where members do, and ends no application", arguments: [true, false])
    func joinWhilePlaying(shows: Bool) async throws {
        let configuration = TestFleet.configuration(devices: 10, groups: 1) { if shows { $0.settings.habits = [.groupPlaceholders] } }
        try await TestFleet.with(configuration) { fleet in
            let group = try #require(fleet.plan.devices.last)
            let names = group.members.compactMap { member in fleet.plan.devices.first { $0.id == member.id }?.controlName }
            let joiner = try #require(
                fleet.plan.devices.first { !$0.isGroup && !$0.model.hasIdleScreen && !names.contains($0.controlName) }?.controlName)
            try await fleet.control("group-001", .remote(.load(RemoteItem(url: "http://a/b"))))
            if shows {
                try await eventually("members are occupied") {
                    try await Self.applications(of: names, in: fleet).allSatisfy { $0.hasPrefix("Multizone") }
                }
            }
            // One member goes its own way; it stays there.
            try await fleet.control(names[1], .remote(.load(RemoteItem(url: "http://a/own"))))
            try await fleet.control("group-001", .join(joiner))
            if shows {
                try await eventually("the joiner follows") {
                    try await Self.applications(of: [joiner], in: fleet) == ["MultizoneFollower"]
                }
                try await fleet.control("group-001", .leave(joiner))
                try await eventually("the leaver is free") { try await Self.applications(of: [joiner], in: fleet) == [""] }
            }
            // The members have received the join when the group has received a later change of theirs.
            try await fleet.control("group-001", .remote(.volume(VolumeChange(level: 1, isMuted: true))))
            try await eventually("all are mute") { try await fleet.control(names[1], .state)["muted"] == true }
            #expect(try await Self.applications(of: [names[1]], in: fleet) == ["CC1AD845"])
        }
    }

    @Test(
        "members of a playing group are free again however its playing ends",
        arguments: ["stop", "reboot", "dissolve", "election"])
    func released(ending: String) async throws {
        let configuration = TestFleet.configuration(devices: 5) {
            $0.settings.habits = [.groupPlaceholders]
            $0.electsLeaders = ending == "election"
        }
        try await TestFleet.with(configuration) { fleet in
            let names = Array(fleet.plan.devices.filter { !$0.model.hasIdleScreen }.map(\.controlName).prefix(3))
            try #require(names.count == 3)
            let made = await fleet.answer(
                line: #"{"do":"group","device":"\#(names[0])","members":["\#(names[1])","\#(names[2])"],"name":"Now"}"#)
            let group = try #require(made["device"]?.text)
            try await fleet.control(group, .remote(.load(RemoteItem(url: "http://a/b"))))
            try await eventually("members are occupied") {
                try await Self.applications(of: names, in: fleet).allSatisfy { $0.hasPrefix("Multizone") }
            }
            switch ending {
            case "stop": try await fleet.control(group, .stop(goodbye: false))
            case "reboot": try await fleet.control(group, .reboot(.milliseconds(1)))
            case "dissolve": #expect(await fleet.answer(line: #"{"do":"dissolve","device":"\#(group)"}"#)["ok"] == true)
            default: try await fleet.control(names[0], .stop(goodbye: false))
            }
            try await eventually("all are free", within: .seconds(20)) {
                try await Self.applications(of: names, in: fleet).allSatisfy(\.isEmpty)
            }
        }
    }

    @Test("elections at the same time as stops leave no group without its leader, and starts bring all of them back")
    func electionsMeetStops() async throws {
        let configuration = TestFleet.configuration(devices: 8, groups: 3) { $0.electsLeaders = true }
        try await TestFleet.with(configuration) { fleet in
            for round in 0..<10 {
                _ = await fleet.answer(line: #"{"device":"*","do":"stop"}"#)
                var states = try await Self.states(of: fleet)
                #expect(states.allSatisfy { $0["power"] == "off" }, "round \(round): \(states)")
                _ = await fleet.answer(line: #"{"device":"*","do":"start"}"#)
                states = try await Self.states(of: fleet)
                #expect(states.allSatisfy { $0["power"] == "on" }, "round \(round): \(states)")
            }
        }
    }

    private static func states(of fleet: SimulatedFleet) async throws -> [JSON] {
        let answer = await fleet.answer(line: #"{"device":"*","do":"state"}"#)
        return try #require(answer["states"]?.elements)
    }

    @Test("a temporary group needs a leader that is on")
    func leaderOff() async throws {
        try await TestFleet.with(TestFleet.configuration(devices: 2)) { fleet in
            try await fleet.control("sim-001", .stop(goodbye: false))
            let refused = await fleet.answer(line: #"{"do":"group","device":"sim-001","members":["sim-002"],"name":"Now"}"#)
            #expect(refused["error"] == "wrong_state")
            #expect(await fleet.answer(line: #"{"do":"list"}"#)["devices"]?.elements?.count == 2)
        }
    }

    @Test("stereo pairs are made of speakers, each of one pair, and marked on both sides")
    func stereoPairs() throws {
        let plan = try FleetPlan(devices: 10, groups: 1, stereoPairs: 2, addressBase: "127.0.1.1", port: 8009, seed: 3)
        let pairs = plan.devices.filter(\.model.isMultichannel)
        #expect(pairs.map(\.controlName) == ["pair-001", "pair-002"])
        let halves = pairs.flatMap(\.members).map(\.id)
        #expect(Set(halves).count == 4)
        #expect(plan.devices.filter { $0.capabilities & 0x100 != 0 }.map(\.id).sorted() == halves.sorted())
        #expect(throws: SimulatorError.self) {
            try FleetPlan(devices: 4, groups: 0, stereoPairs: 2, addressBase: "127.0.1.1", port: 8009, seed: 3)
        }
    }
}

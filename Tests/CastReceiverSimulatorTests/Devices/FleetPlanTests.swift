import Testing

@testable import CastReceiverSimulator

@Suite struct FleetPlanTests {
    @Test("the same seed gives the same fleet, another seed other ids, and more devices change none of the first")
    func seeds() throws {
        let plan = try FleetPlan(devices: 10, groups: 2, addressBase: "127.0.1.1", port: 8009, seed: 7)
        #expect(try FleetPlan(devices: 10, groups: 2, addressBase: "127.0.1.1", port: 8009, seed: 7) == plan)
        #expect(
            try FleetPlan(devices: 20, groups: 0, addressBase: "127.0.1.1", port: 8009, seed: 7).devices.prefix(10)
                == plan.devices.prefix(10))
        let other = try FleetPlan(devices: 10, groups: 2, addressBase: "127.0.1.1", port: 8009, seed: 8)
        #expect(Set(plan.devices.map(\.id)).isDisjoint(with: other.devices.map(\.id)))
    }

    @Test("ids, names, endpoints and instance names of a large fleet are all different and well-formed")
    func uniqueness() throws {
        let plan = try FleetPlan(devices: 600, groups: 30, addressBase: "127.0.1.1", port: 8009, seed: 1)
        let devices = plan.devices
        #expect(Set(devices.map(\.id)).count == 630)
        #expect(Set(devices.map(\.friendlyName)).count == 630)
        #expect(Set(devices.map { "\($0.address):\($0.port)" }).count == 630)
        #expect(devices.allSatisfy { $0.id.count == 32 && $0.instanceName.utf8.count <= 63 && $0.uuid.count == 36 })
        #expect(devices.prefix(600).allSatisfy { $0.port == 8009 && !$0.address.hasSuffix(".0") && !$0.address.hasSuffix(".255") })
        #expect(devices[0].controlName == "sim-001")
        #expect(devices[1].address == "127.0.1.2")
        #expect(devices[600].controlName == "group-001")
    }

    @Test("a group has its leader's address, a high port of its own and members of the fleet")
    func groups() throws {
        let plan = try FleetPlan(devices: 6, groups: 2, addressBase: "127.0.1.1", port: 8009, seed: 1)
        for group in plan.devices.suffix(2) {
            let leader = try #require(plan.devices.first { $0.id == group.members.first?.id })
            #expect(group.address == leader.address)
            #expect(group.port >= 32_000 && group.port != 8009)
            #expect(group.members.count >= 2)
            #expect(group.model.capabilities & 0x20 != 0)
        }
    }

    @Test(
        "impossible fleets are refused",
        arguments: [
            (-1, 0, "127.0.1.1"), (1, -1, "127.0.1.1"), (0, 1, "127.0.1.1"), (2_001, 0, "127.0.1.1"), (1, 0, "localhost"),
            (1, 0, "127.0.0"), (1, 0, "127.0.0.256"), (3, 0, "255.255.255.254"),
        ])
    func refusals(devices: Int, groups: Int, base: String) {
        #expect(throws: SimulatorError.self) { try FleetPlan(devices: devices, groups: groups, addressBase: base, port: 8009, seed: 1) }
    }
}

import LogKeys

/// Changes groups while the fleet runs.
extension SimulatedFleet {
    /// The entries of the answer to `list`.
    var summaries: [JSON] {
        get async {
            var summaries: [JSON] = []
            for device in self.devices {
                let (description, endpoint) = (device.description, await device.endpoint)
                summaries.append([
                    "device": .string(description.controlName), "id": .string(description.id), "name": .string(description.friendlyName),
                    "model": .string(description.model.name), "address": .string(endpoint.address), "port": .integer(endpoint.port),
                    "group": .bool(description.isGroup),
                ])
            }
            return summaries
        }
    }

    func move(_ device: SimulatedDevice, _ relocation: ControlVerb.Relocation) async throws(SimulatorError) {
        var relocation = relocation
        if let leader = relocation.leader { relocation.address = await (try self.device(leader)).endpoint.address }
        var host: String?
        if device.description.isGroup, let address = relocation.address {
            host = device.description.uuid
            for other in self.devices where !other.description.isGroup {
                if await other.endpoint.address == address { host = other.description.uuid }
            }
        }
        try await device.move(address: relocation.address, port: relocation.port, hostUUID: host)
        await self.introduceGroups()
    }

    func join(_ group: SimulatedDevice, _ name: String) async throws(SimulatorError) {
        try await group.join(try await self.member(name), at: try self.device(name))
        await self.introduceGroups()
    }

    private func member(_ name: String) async throws(SimulatorError) -> GroupMember {
        let device = try self.device(name)
        guard device.description.canBeMember else { throw SimulatorError(.invalidRequest, "\(name) is a group") }
        return GroupMember(id: device.description.id, name: device.description.friendlyName, volume: await device.volume)
    }

    /// Creates a temporary group, like "play on more speakers".
    ///
    /// - Returns: the control name of the group.
    func makeGroup(leader: String, members: [String], name: String) async throws(SimulatorError) -> String {
        guard self.devices.count < FleetPlan.maximumCount * 2 else { throw SimulatorError(.wrongState, "too many devices") }
        var entries: [GroupMember] = []
        for member in [leader] + members { entries.append(try await self.member(member)) }
        guard Set(entries.map(\.id)).count == entries.count else { throw SimulatorError(.invalidRequest, "a device is named twice") }
        let leading = try self.device(leader)
        return try await self.groupTurns.take { () throws(SimulatorError) in
            try await self.makeGroup(leader: leading, entries: entries, name: name)
        }
    }

    private func makeGroup(leader: SimulatedDevice, entries: [GroupMember], name: String) async throws(SimulatorError) -> String {
        guard await leader.power == .on else { throw SimulatorError(.wrongState, "\(leader.description.controlName) is off") }
        let endpoint = await leader.endpoint
        let description = FleetPlan.describe(
            prefix: "dynamic", index: self.nextGroupIndex(), name: name, model: .dynamicGroup, address: endpoint.address, port: 0,
            members: entries, seed: self.configuration.seed)
        let group = try self.addDevice(description)
        do throws(SimulatorError) {
            try await group.start()
            await self.introduceGroups()
            try await group.announce()
        } catch {
            self.removeDevice(group)
            throw error
        }
        return description.controlName
    }

    func dissolve(_ name: String) async throws(SimulatorError) {
        let group = try self.device(name)
        guard group.description.model.isDynamic else { throw SimulatorError(.wrongState, "\(name) is no temporary group") }
        await self.groupTurns.take {
            try? await group.stop(goodbye: true)
            self.removeDevice(group)
        }
        await self.introduceGroups()
    }

    /// Switches a device; a group waits until no other one is being switched.
    func switching(
        _ device: SimulatedDevice, _ body: nonisolated(nonsending) () async throws(SimulatorError) -> Void
    ) async throws(SimulatorError) {
        if device.description.isGroup { try await self.groupTurns.take(body) } else { try await body() }
    }

    // MARK: Elections

    /// Makes the groups of a device that was switched off elect another leader, if the fleet does so; their media ends.
    func leaderLeft(_ device: SimulatedDevice) async {
        guard self.configuration.electsLeaders, !device.description.isGroup else { return }
        await self.groupTurns.take {
            for group in self.devices where group.description.isGroup {
                if await group.endpoint.hostUUID == device.description.uuid { await self.elect(for: group) }
            }
        }
    }

    /// Gives groups that had no member left to lead them to the device that is on again.
    func leaderReturned(_ device: SimulatedDevice) async {
        guard self.configuration.electsLeaders, !device.description.isGroup else { return }
        await self.groupTurns.take {
            for group in self.devices where group.description.isGroup {
                guard await device.power == .on, await group.power == .off, await group.memberIDs.contains(device.description.id) else {
                    continue
                }
                await self.lead(group, by: device)
                await self.elect(for: group)
            }
        }
    }

    /// Elects until the leader is on: a chosen device may be switched off before the group has started there.
    private func elect(for group: SimulatedDevice) async {
        while await group.power == .on, await !self.hasLeader(group) {
            try? await group.stop(goodbye: false)
            guard let leader = await self.poweredMember(of: group) else { return }
            await self.lead(group, by: leader)
        }
    }

    /// Returns whether the group has a leader. A group that was moved to an address of no device leads itself.
    private func hasLeader(_ group: SimulatedDevice) async -> Bool {
        let host = await group.endpoint.hostUUID
        guard let leader = self.devices.first(where: { $0.description.uuid == host }) else { return true }
        return await leader.power == .on
    }

    private func poweredMember(of group: SimulatedDevice) async -> SimulatedDevice? {
        let ids = await group.memberIDs
        for id in ids {
            if let member = self.devices.first(where: { $0.description.id == id }), await member.power == .on { return member }
        }
        return nil
    }

    private func lead(_ group: SimulatedDevice, by leader: SimulatedDevice) async {
        do throws(SimulatorError) {
            await group.place(at: await leader.endpoint.address, hostUUID: leader.description.uuid)
            try await group.start()
            try await group.announce()
            await self.introduceGroups()
        } catch {
            self.logger.warning(
                "group has no leader", metadata: [.device: "\(group.description.controlName)", .error: "\(error)"])
        }
    }
}

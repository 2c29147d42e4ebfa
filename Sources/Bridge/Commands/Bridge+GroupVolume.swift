import BridgeCore
import CastSender

/// The volume of a group: its members one by one, so that they keep their ratio.
extension Bridge {
    func setGroupVolume(_ change: VolumeChange, of key: DeviceAgent.Key, over session: CastSession) async -> CommandResult {
        let status: MultizoneStatus
        do throws(CastError) {
            status = try await session.requestMultizoneStatus()
        } catch {
            guard error.code == .timeout || error.code == .invalidRequest || error.code == .unsupportedFeature else {
                return CommandResult(error)
            }
            return CommandResult(.notSupported, message: "The device is no group: it tells no members.")
        }
        guard let agent = self.agent(key) else { return CommandResult(.deviceOffline) }
        guard !status.devices.isEmpty else { return CommandResult(.notSupported, message: "The group tells no members.") }
        let members = status.devices.map { GroupBalance.Member(id: $0.id, level: $0.volume?.level) }
        let levels = agent.balance.levels(after: change, members: members)
        var told: [JSONValue] = []
        var failure: CommandResult?
        for member in members {
            guard let level = levels[member.id] else { continue }
            let result = await self.setVolume(level, ofMember: member.id, of: session)
            if result.isError {
                agent.balance.failed(member.id)
                failure = failure ?? result
            }
            let slug = self.slugs.slug(of: member.id)
            told.append([
                "id": .string(member.id), "slug": slug.map { .string($0) } ?? .null, "percent": .integer(Int64((level * 100).rounded())),
                "code": .string(result.code.rawValue),
            ])
        }
        let data: JSONObject = ["members": .array(told)]
        guard let failure else { return .done(data) }
        return CommandResult(failure.code, message: "Not every member took its volume; see data.", data: data)
    }

    /// A member's own link always obeys; through the group where there is none.
    private func setVolume(_ level: Double, ofMember id: Device.ID, of group: CastSession) async -> CommandResult {
        do throws(CastError) {
            if let member = self.agents[id].flatMap({ self.session(of: $0) }) {
                try await member.setDeviceVolume(level: level)
            } else {
                try await group.setMemberVolume(level: level, of: id)
            }
            return .done()
        } catch {
            return CommandResult(error)
        }
    }
}

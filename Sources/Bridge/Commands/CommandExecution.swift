import BridgeCore
import CastMediaCheck
import CastSender

/// Executes the commands that involve several devices or none, and passes all others to `CommandRunner`.
final class CommandExecution {
    let context: BridgeContext
    /// `nil` after the bridge has ended; a command may still be running then.
    private weak var fleet: DeviceFleet?
    private let checks: MediaChecks
    let announcements: AnnouncementPlayer
    let memory: PlayMemory
    private(set) lazy var pages = KeptPages(self.context, memory: self.memory, execution: self)
    private(set) lazy var sleeps = SleepTimers(self.context, memory: self.memory, execution: self)
    /// The relative volumes of the members of each group.
    private var balances: [Device.ID: GroupBalance] = [:]

    init(_ context: BridgeContext, fleet: DeviceFleet, checks: MediaChecks, memory: PlayMemory) {
        (self.checks, self.context, self.fleet, self.memory) = (checks, context, fleet, memory)
        self.announcements = AnnouncementPlayer(context, fleet: fleet)
    }

    func dismiss(_ device: DeviceAgent) {
        self.balances[device.id] = nil
        self.sleeps.dismiss(device.id)
        self.memory.dismiss(device.id)
        self.pages.keep(nil, on: device.id)
    }

    func device(_ key: DeviceAgent.Key) -> DeviceAgent? { self.fleet?.device(key) }

    func reduce(_ event: DeviceEvent, of key: DeviceAgent.Key) {
        if let device = self.fleet?.device(key) { self.fleet?.reduce(event, of: device) }
    }

    /// Executes a command as if a person had sent it to the device, beside its queue.
    nonisolated(nonsending) func act(_ command: DeviceCommand, on key: DeviceAgent.Key) async -> CommandResult {
        guard let device = self.fleet?.device(key) else { return CommandResult(.deviceOffline) }
        let group = command.isAboutMedia ? device.state.groupPlayback.flatMap { self.fleet?.device($0.id)?.key } : nil
        return await self.run(
            command.addressed(toGroup: device.state.hasMembersVolume), of: key, over: device.session, by: group, customData: nil)
    }

    /// Returns why `command` cannot start, as far as the bridge knows; `nil` when it can.
    func refusal(of command: DeviceCommand, for device: DeviceAgent) -> CommandResult? {
        if command.isOnlyForGroups, device.state.isKnownToBeNoGroup {
            return CommandResult(.notSupported, message: "The device is no group.")
        }
        guard case .transfer(let name) = command else { return nil }
        guard let target = self.fleet?.device(named: name) else {
            return CommandResult(.unknownDevice, message: "to: no device has this slug or id.")
        }
        guard target.id != device.id, target.id != device.state.groupPlayback?.id else {
            return CommandResult(.badPayload, message: "to: it is the device that plays already.")
        }
        return nil
    }

    /// Executes a command and returns its result.
    /// - Parameters:
    ///   - session: the device's own session when the command began; `nil` when the device was not connected.
    ///   - group: the group that executes the command in place of the device; `nil` for the device itself.
    ///   - customData: data for the application.
    nonisolated(nonsending) func run(
        _ command: DeviceCommand, of key: DeviceAgent.Key, over session: CastSession?, by group: DeviceAgent.Key?,
        customData: JSONValue?
    ) async -> CommandResult {
        if case .announce(let announcement) = command { return await self.announcements.run(announcement, on: key) }
        if command.endsKeptPage { self.pages.keep(nil, on: key.device) }
        guard let session else { return CommandResult(.deviceOffline, message: "The device is not connected.") }
        var runner = CommandRunner(session: session, player: session, customData: customData)
        runner.maximumVolume = self.maximumOwnVolume(of: key.device)
        guard let group else { return await self.run(command, of: key, runner) }
        guard let agent = self.fleet?.device(group), let player = agent.session else {
            return CommandResult(.deviceOffline, message: "The group that plays on the device is not connected.")
        }
        // A dynamic group may have no topics, and then no slug to report.
        let slug = agent.isPublished(by: self.context.mapper) ? JSONValue.string(agent.state.slug) : .null
        runner.player = player
        var result = await self.run(command, of: group, runner)
        result.data["group"] = slug
        return result
    }

    private nonisolated(nonsending) func run(
        _ command: DeviceCommand, of key: DeviceAgent.Key, _ runner: CommandRunner
    ) async -> CommandResult {
        if let refusal = self.strictRefusal(of: command, for: key) { return refusal }
        if case .set(let changes) = command, changes.contains(where: \.isOfOwnVolume),
            self.fleet?.device(key)?.state.receiver?.volume?.isChangeable == false
        {
            var result = CommandResult.fixedVolume
            // Of several values, those that the device could take were not set.
            result.isInapplicable = changes.areOfVolume
            return result
        }
        switch command {
        case .groupVolume(let change): return await self.setGroupVolume(change, of: key, over: runner.session)
        case .set(let changes) where changes.membersVolume != nil:
            let volume = await self.setGroupVolume(changes.membersVolume ?? RequestedVolume(), of: key, over: runner.session)
            guard !volume.isError else { return volume }
            let others = changes.filter { if case .membersVolume = $0 { false } else { true } }
            var result = await runner.run(.set(others), isUnderWay: true)
            for member in volume.data.members { result.data[member.key] = member.value }
            return result
        // The device reports its own volume, and nothing indicates that it is a group.
        case .set(let changes) where changes.hasGroupDeviceVolume:
            return CommandResult(.notSupported, message: "The device is no group.")
        case .transfer(let name): return await self.transfer(over: runner.player, to: name)
        case .check(let media): return await self.check(media, of: key, player: runner.player)
        case .save(let name, let forgets): return await self.save(name, forgets: forgets, of: key, runner)
        case .recall(let name): return await self.recall(name, on: key, runner)
        case .show(let page, let keeps):
            let result = await runner.run(command)
            if !result.isError { self.pages.keep(keeps ? page : nil, on: key.device) }
            return result
        case .sleep(let time): return await self.sleeps.set(time, of: key)
        case .load, .queue:
            let resolution = MediaResolution(self.context, local: await runner.session.localAddress)
            do throws(CommandRejection) {
                return await runner.run(try await command.resolved(resolution.media))
            } catch {
                return CommandResult(error)
            }
        default: return await runner.run(command)
        }
    }

    private func maximumVolume(of device: Device.ID) -> Double { self.fleet?.device(device)?.options.maximumVolume ?? 1 }

    /// The loudest that a device may be; for a group's own volume also the loudest at which no member is too loud, whether its leader
    /// keeps their ratio or makes all equally loud.
    private func maximumOwnVolume(of device: Device.ID) -> Double {
        let limit = self.maximumVolume(of: device)
        guard let members = self.fleet?.groups.members(of: device), !members.isEmpty else { return limit }
        let level = self.fleet?.device(device)?.state.receiver?.volume?.level ?? 0
        return members.reduce(limit) { limit, member in
            let present = self.fleet?.device(member)?.state.receiver?.volume?.level ?? 0
            return min(limit, self.maximumVolume(of: member) / max(1, level > 0 ? present / level : 1))
        }
    }

    /// Returns the refusal of a command under `commands.strict`. Some applications accept `next` and `previous` without announcing them, so
    /// they are refused only there.
    private func strictRefusal(of command: DeviceCommand, for key: DeviceAgent.Key) -> CommandResult? {
        guard self.context.settings.commands.isStrict, let media = self.fleet?.device(key)?.state.media.reported else { return nil }
        let queue = QueueOverview(media)
        switch command {
        case .next where !queue.hasNext, .previous where !queue.hasPrevious:
            return CommandResult(.notSupported, message: "The device doesn't announce that it could; commands.strict is set.")
        default: return nil
        }
    }

    // MARK: Check

    /// - Parameter media: the medium to check; `nil` checks the loaded one.
    private nonisolated(nonsending) func check(
        _ media: MediaInformation?, of key: DeviceAgent.Key, player: CastSession
    ) async -> CommandResult {
        var chosen = media
        if chosen == nil { chosen = await player.mediaStatus?.media }
        guard let chosen else { return CommandResult(.noSession, message: "Nothing is loaded, and no url is given.") }
        guard MediaCheck.canCheck(chosen) else {
            return CommandResult(.notSupported, message: "What is loaded has no http or https address to check.")
        }
        let capabilities = self.fleet?.device(key)?.state.device.capabilities
        guard let report = await self.checks.run(chosen, for: capabilities) else {
            return CommandResult(.rateLimited, message: "\(MediaChecks.maximumCount) checks run already.")
        }
        return .done(report.json)
    }

    // MARK: Transfer

    private nonisolated(nonsending) func transfer(over source: CastSession, to name: String) async -> CommandResult {
        guard let target = self.fleet?.device(named: name), let session = target.session, target.state.isAvailable
        else { return CommandResult(.deviceOffline, message: "to: the device to move to is not connected.") }
        do throws(CastError) {
            let transfer = try await source.transfer(to: session)
            return .done(Self.data(of: transfer, to: target.state.slug))
        } catch {
            return CommandResult(error)
        }
    }

    private static func data(of transfer: StreamTransfer, to slug: String) -> JSONObject {
        var data: JSONObject = [
            "to": .string(slug), "method": transfer.method == .storedSession ? "stored_session" : "loaded_anew",
            "source_stopped": .bool(transfer.sourceError == nil),
        ]
        if let queue = transfer.queue {
            data["queue"] = [
                "taken": .integer(Int64(queue.takenItemCount)), "length": queue.itemCount.map { .integer(Int64($0)) } ?? .null,
            ]
        }
        return data
    }

    // MARK: Volume of a group

    /// Sets the volume of a group through its members, one by one, so that they keep their ratio.
    private nonisolated(nonsending) func setGroupVolume(
        _ change: RequestedVolume, of key: DeviceAgent.Key, over session: CastSession
    ) async -> CommandResult {
        let status: MultizoneStatus
        do throws(CastError) {
            status = try await session.requestMultizoneStatus()
        } catch {
            guard error.code == .timeout || error.code == .invalidRequest || error.code == .unsupportedFeature else {
                return CommandResult(error)
            }
            return CommandResult(.notSupported, message: "The device is not a group and has no members.")
        }
        guard let agent = self.fleet?.device(key) else { return CommandResult(.deviceOffline) }
        guard !status.devices.isEmpty else { return CommandResult(.notSupported, message: "The group does not report its members.") }
        let members = status.devices.map {
            GroupBalance.Member(id: $0.id, level: $0.volume?.level, limit: self.maximumVolume(of: $0.id))
        }
        let step = agent.state.receiver?.volume?.stepInterval
        let levels = self.balances[key.device, default: GroupBalance()].levels(
            after: change, step: step, limit: self.maximumVolume(of: key.device), members: members)
        var outcomes: [JSONValue] = []
        var failure: CommandResult?
        for member in members {
            guard let level = levels[member.id] else { continue }
            let result = await self.setVolume(level, ofMember: member.id, of: session)
            if result.isError {
                self.balances[key.device]?.failed(member.id)
                failure = failure ?? result
            }
            outcomes.append([
                "id": .string(member.id), "slug": self.fleet?.slug(of: member.id).map { .string($0) } ?? .null,
                "percent": .integer(Int64((level * 100).rounded())), "code": .string(result.code.rawValue),
            ])
        }
        let data: JSONObject = ["members": .array(outcomes)]
        guard let failure else { return .done(data) }
        return CommandResult(failure.code, message: "Not every member took its volume; see data.", data: data)
    }

    /// Sets the volume of a member. The member's own link always works; the group's is used when the bridge has no link to the member.
    private nonisolated(nonsending) func setVolume(
        _ level: Double, ofMember id: Device.ID, of group: CastSession
    ) async -> CommandResult {
        do throws(CastError) {
            if let member = self.fleet?.device(id)?.session {
                // Members follow one another, so one that does not answer must not take the whole time.
                try await member.setDeviceVolume(level: level, within: .seconds(8))
            } else {
                try await group.setMemberVolume(level: level, of: id)
            }
            return .done()
        } catch {
            return CommandResult(error)
        }
    }
}

import BridgeCore
import CastSender
import NIOCore

// Requests about single devices: `device/add`, `device/rename`, `device/options` and `device/remove`.
extension BridgeRequests {
    /// The time limit for a device that is being added to report its id.
    static let probeLimit = TimeAmount.seconds(15)

    /// Returns the known device that a request names. If there is none, answers the request and returns `nil`.
    private func known(_ name: String, _ envelope: CommandEnvelope) -> KnownDevice? {
        if let known = self.fleet.names.knownDevice(named: name) { return known }
        self.answer(envelope, CommandResult(.unknownDevice, message: "No device has this slug, id or alias."))
        return nil
    }

    /// Returns the active device that a request names. If there is none, answers the request and returns `nil`.
    private func device(_ name: String, _ envelope: CommandEnvelope) -> DeviceAgent? {
        guard let known = self.known(name, envelope) else { return nil }
        if let device = self.fleet.device(known.id) { return device }
        self.answer(envelope, CommandResult(.unknownDevice, message: "The device was removed, or the configuration leaves it out."))
        return nil
    }

    // MARK: Add

    func addDevice(at endpoint: DeviceEndpoint, _ envelope: CommandEnvelope) {
        if self.hold(envelope, about: .probe(endpoint)) { self.probe(endpoint) }
    }

    func notProbed(_ endpoint: DeviceEndpoint, _ error: CastError) {
        guard !error.code.isAuthenticationFailure else { return self.finish(.probe(endpoint), CommandResult(error)) }
        self.finish(
            .probe(endpoint),
            CommandResult(
                .timeout, message: "No Cast device at \(endpoint) reported its id: \(error).",
                hint: "Check address, port and power; list a device that does not report its id in discovery.known_hosts."))
    }

    func probed(_ endpoint: DeviceEndpoint, _ device: Device) {
        guard !self.fleet.isUndecided(device.id) else {
            return self.finish(
                .probe(endpoint),
                CommandResult(
                    .timeout, message: "The device did not answer in time which of discovery.applications it can run.",
                    data: ["id": .string(device.id)], hint: "The bridge keeps asking; bridge/devices lists the device once it is taken in.")
            )
        }
        let isWanted = self.context.settings.cast.discovery.criteria.matches(device)
        guard isWanted, let agent = self.fleet.device(device.id) else {
            let reason =
                !isWanted
                ? "discovery.include, discovery.exclude or discovery.capabilities leaves it out."
                : self.fleet.isExcluded(device.id)
                    ? "It can run none of discovery.applications, or did not answer." : "The device is being removed."
            return self.finish(.probe(endpoint), CommandResult(.notSupported, message: reason, data: ["id": .string(device.id)]))
        }
        let data: JSONObject = ["id": .string(device.id), "slug": .string(agent.state.slug), "name": .string(device.friendlyName)]
        self.finish(.probe(endpoint), of: device.id, .done(data))
    }

    // MARK: Rename

    func renameDevice(_ name: String, to slug: String?, _ envelope: CommandEnvelope) {
        // Checked before anything changes: a new slug whose topics do not follow would leave the device unreachable under either.
        guard let agent = self.device(name, envelope), !self.refusesMore(envelope) else { return }
        let former = agent.state.slug
        let new: String
        do throws(SlugRegistry.Refusal) {
            new = try self.fleet.names.choose(slug, for: agent.state.device)
        } catch {
            return self.answer(envelope, Self.result(of: error))
        }
        let data: JSONObject = ["id": .string(agent.id), "previous": .string(former)]
        guard new != former else {
            // The topics may still be moving to it.
            guard !self.plans.isMoving(agent.id) else {
                _ = self.hold(envelope, about: .rename(agent.id), data: data)
                return
            }
            return self.answer(envelope, .done(["id": .string(agent.id), "previous": .string(former), "slug": .string(new)]))
        }
        self.finish(
            .rename(agent.id), CommandResult(.superseded, message: "Another slug was chosen before the topics had moved."))
        guard self.hold(envelope, about: .rename(agent.id), data: data) else { return }
        self.fleet.renaming.move(agent, to: new)
    }

    private static func result(of refusal: SlugRegistry.Refusal) -> CommandResult {
        switch refusal {
        case .slugsAreIDs: CommandResult(.notSupported, message: "With topics.identity: id, slugs are ids.")
        case .taken(let id): CommandResult(.badPayload, message: "The slug means another device: \(id).")
        }
    }

    // MARK: Options and removal

    func changeDevice(_ name: String, _ changes: DevicePreferenceChanges, _ envelope: CommandEnvelope) {
        guard let agent = self.device(name, envelope) else { return }
        if case .set(let aliases) = changes.aliases {
            for alias in aliases {
                guard let other = self.fleet.names.deviceID(named: alias), other != agent.id else { continue }
                return self.answer(
                    envelope, CommandResult(.badPayload, message: "The alias \"\(alias)\" means another device: \(other)."))
            }
        }
        let isChanged = self.fleet.renaming.change(changes, of: agent)
        let data: JSONObject = [
            "id": .string(agent.id), "slug": .string(agent.state.slug), "options": .object(self.fleet.names.preferences(of: agent).json),
        ]
        if isChanged { self.bridge.publish(BridgeEvent(.configChanged, data: data)) }
        guard isChanged else { return self.answer(envelope, .done(data)) }
        self.keep([CommandAnswer(to: envelope, .done(data), now: self.context.time)], of: agent.id)
    }

    func removeDevice(_ name: String, _ kind: KnownDevice.Removal, _ envelope: CommandEnvelope) {
        guard let known = self.known(name, envelope) else { return }
        let data: JSONObject = ["id": .string(known.id), "slug": .string(known.slug), "forget": .bool(kind == .forgetting)]
        guard self.hold(envelope, about: .removal(known.id), data: data) else { return }
        self.fleet.removals.remove(known.id, kind)
    }
}

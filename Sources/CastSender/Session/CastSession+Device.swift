import CastModels
import CastProtocol
import NIOCore

/// Controls the device itself: its volume, and which applications it can run. Its state is in `receiverStatus`.
extension CastSession {
    /// Sets the device's own volume (receiver namespace, SET_VOLUME). The device's next status reports the result.
    ///
    /// - Parameters:
    ///   - level: 0 to 1.
    ///   - limit: the time limit; `nil` uses that of all requests of users.
    /// - Throws: `invalidRequest` for a level out of range, `unsupportedFeature` when the device's volume is fixed, `replaced` when a newer
    ///   request or another sender set another level meanwhile, `notApplied` when the device answered and keeps another level.
    public func setDeviceVolume(level: Double, within limit: Duration? = nil) async throws(CastError) {
        guard (0...1).contains(level) else { throw .invalidArgument("level", "0 to 1, not \(level)") }
        try self.requireVolumeControl()
        let wanted = WantedLevel(level: level, former: self.machine.receiver?.volume?.level)
        try await self.ask(
            .setVolume(level: level), until: .deviceLevel(wanted), replacing: .deviceLevel, within: limit.map { TimeAmount($0) })
    }

    /// Raises or lowers the volume by the device's recommended step, or by 0.05 if it reports none.
    ///
    /// - Parameter steps: negative lowers the volume; the level stays within 0 to 1.
    /// - Throws: `invalidState` when the device never reported its level; otherwise the errors of `setDeviceVolume(level:)`.
    public func changeDeviceVolume(bySteps steps: Int) async throws(CastError) {
        try self.requireConnection()
        guard let volume = self.machine.receiver?.volume, let level = volume.level(afterSteps: steps) else {
            throw CastError(.invalidState, detail: "the device does not report a volume to start from")
        }
        try await self.setDeviceVolume(level: level)
    }

    /// Mutes or unmutes the device; the level is kept.
    ///
    /// - Throws: `unsupportedFeature` when the device's volume is fixed, `replaced` by a newer request, `notApplied` when the device
    ///   answered and did not do it.
    public func setDeviceMuted(_ isMuted: Bool) async throws(CastError) {
        try self.requireVolumeControl()
        try await self.ask(.setMuted(isMuted), until: .deviceMuted(isMuted), replacing: .deviceMuted)
    }

    /// Asks which of these applications the device can run (receiver namespace, GET_APP_AVAILABILITY).
    ///
    /// - Parameter applicationIDs: at least one.
    /// - Returns: the answers by id; ids without an answer are missing.
    public func applicationAvailability(_ applicationIDs: [String]) async throws(CastError) -> [String: ApplicationAvailability] {
        guard !applicationIDs.isEmpty else { throw .invalidArgument("applicationIDs", "none is given") }
        let content = try await self.ask(
            .getAppAvailability(applicationIDs: applicationIDs), within: self.configuration.requestTimeout)
        guard case .receiver(.appAvailability(let words)) = content else {
            throw CastError(.invalidResponse, detail: "the device answered with something else")
        }
        return words.mapValues(ApplicationAvailability.init(rawValue:))
    }

    private func requireVolumeControl() throws(CastError) {
        guard self.machine.receiver?.volume?.isChangeable ?? true else {
            throw CastError(.unsupportedFeature, detail: "the device's volume is fixed")
        }
    }
}

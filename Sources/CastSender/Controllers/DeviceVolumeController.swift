import CastModels

/// The device's volume for sliders and keys (SDK: `GCKUIDeviceVolumeController`).
///
/// All controllers of a session share one state, so that every slider shows the same. While a user drags a slider, it shows the requested
/// value until the device confirms it, or until 2 s after the last request.
public struct DeviceVolumeController: Sendable {
    /// The state of a slider.
    public struct State: Sendable, Hashable {
        /// The level, 0 to 1; 0 when the device has reported none.
        public var level: Double
        /// The change of the level by one step, 0 to 1.
        public var step: Double
        public var isMuted: Bool
        public var connection: ConnectionState
        /// Whether the volume can be changed: the session is connected and the device's volume is not fixed.
        public var isEnabled: Bool

        /// - Parameters:
        ///   - level: the level to show in place of the device's.
        ///   - isMuted: the mute state to show in place of the device's.
        init(_ volume: DeviceVolume?, _ connection: ConnectionState, level: Double? = nil, isMuted: Bool? = nil) {
            // Devices keep levels as float32, and report 0.2 as 0.20000000298.
            self.level = ((level ?? volume?.level.map { min(max($0, 0), 1) } ?? 0) * 1000).rounded() / 1000
            self.connection = connection
            self.step = volume?.stepInterval ?? DeviceVolume.defaultStepInterval
            self.isMuted = isMuted ?? volume?.isMuted ?? false
            self.isEnabled = connection == .connected && volume?.level != nil && volume?.isChangeable == true
        }
    }

    let session: CastSession

    /// The state and its changes, newest wins. Ends with the session, after a state that is not enabled.
    public var states: StateSequence<State> { get async { await self.session.states(of: \.volumes).sequence } }

    /// The current state.
    public var state: State {
        get async { await self.session.states(of: \.volumes).newest ?? State(nil, .suspended) }
    }

    /// Sets the level. Call it for each movement of a slider; when requests overlap, the newest replaces the others.
    ///
    /// - Parameter level: 0 to 1.
    /// - Throws: the errors of `CastSession.setDeviceVolume(level:)`; `replaced` when a newer call replaced this one.
    nonisolated(nonsending) public func setLevel(_ level: Double) async throws(CastError) {
        try CastError.check(level, in: 0...1, "level")
        try await self.session.controlLevel(level)
    }

    /// Changes the level relative to the shown one, so that each press of a key counts.
    ///
    /// - Parameter steps: negative lowers the volume; the level stays within 0 to 1.
    /// - Throws: `invalidState` while the device has reported no level; otherwise as `setLevel`.
    nonisolated(nonsending) public func changeLevel(bySteps steps: Int) async throws(CastError) {
        try await self.session.controlLevel(bySteps: steps)
    }

    /// Mutes the device if it is shown as not muted, else unmutes it, so that each press of a key counts.
    nonisolated(nonsending) public func toggleMuted() async throws(CastError) { try await self.session.toggleMuted() }

    /// Mutes or unmutes the device; the level is kept.
    nonisolated(nonsending) public func setMuted(_ isMuted: Bool) async throws(CastError) {
        try await self.session.controlMuted(isMuted)
    }
}

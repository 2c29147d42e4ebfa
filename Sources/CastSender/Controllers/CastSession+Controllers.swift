import CastModels
import EventLoopTiming
import NIOCore

/// The shared state of the controllers of one session: the values that users asked for, and the states derived from them and from the
/// device. Created at first use; belongs to the session's event loop.
final class SessionControllers {
    /// Levels and rates that differ by less are treated as equal, because devices round them.
    static let tolerance = 0.01
    /// Positions that differ by less are treated as equal, in seconds.
    static let positionTolerance = 2.0

    fileprivate(set) var level = PendingValue<Double>()
    fileprivate(set) var muted = PendingValue<Bool>()
    fileprivate(set) var rate = PendingValue<Double>()
    fileprivate(set) var playing = PendingValue<Bool>()
    fileprivate(set) var position = PendingValue<Double>()
    fileprivate(set) var streamLevel = PendingValue<Double>()
    fileprivate(set) var streamMuted = PendingValue<Bool>()
    let volumes: StateSource<DeviceVolumeController.State>
    let rates: StateSource<PlaybackRateController.State>
    let media: StateSource<MediaController.State>
    /// Fires when the first unconfirmed value expires.
    let deadline: Deadline

    init(deadline: Deadline) {
        self.deadline = deadline
        self.volumes = StateSource(DeviceVolumeController.State(nil, .suspended))
        self.rates = StateSource(PlaybackRateController.State(nil, .suspended))
        self.media = StateSource(MediaController.State(nil, .suspended))
    }

    /// Derives the states from the device's reports.
    /// - Returns: when to derive them again.
    func update(_ volume: DeviceVolume?, _ status: MediaStatus?, _ connection: ConnectionState, at now: MonotonicTime) -> MonotonicTime? {
        self.level.settle(at: now) { Self.isNear(volume?.level, $0) }
        self.muted.settle(at: now) { $0 == volume?.isMuted }
        self.rate.settle(at: now) { Self.isNear(status?.playbackRate, $0) }
        self.streamLevel.settle(at: now) { Self.isNear(status?.streamVolume?.level, $0) }
        self.streamMuted.settle(at: now) { $0 == status?.streamVolume?.isMuted }
        self.playing.settle(at: now) { isPlaying in
            switch status?.extendedPlayerState {
            case .playing, .buffering, .loading: isPlaying
            case .paused: !isPlaying
            case .idle, .unknown, nil: true
            }
        }
        self.position.settle(at: now) { wanted in
            status?.approximateStreamPosition(at: now).map { abs($0 - wanted) < Self.positionTolerance } ?? true
        }
        self.volumes.setIfChanged(
            .init(volume, connection, level: self.level.value(at: now), isMuted: self.muted.value(at: now)))
        self.rates.setIfChanged(.init(status, connection, rate: self.rate.value(at: now)))
        var shown = MediaController.State(
            status, connection, isPlaying: self.playing.value(at: now), position: self.position.value(at: now))
        if let level = self.streamLevel.value(at: now) { shown.streamVolume?.level = level }
        if let isMuted = self.streamMuted.value(at: now) { shown.streamVolume?.isMuted = isMuted }
        self.media.setIfChanged(shown)
        let deadlines = [
            self.level.deadline, self.muted.deadline, self.rate.deadline, self.playing.deadline, self.position.deadline,
            self.streamLevel.deadline, self.streamMuted.deadline,
        ]
        return deadlines.compactMap { $0 }.min()
    }

    private static func isNear(_ reported: Double?, _ wanted: Double) -> Bool {
        reported.map { abs($0 - wanted) < self.tolerance } ?? false
    }

    func finish() {
        self.deadline.cancel()
        self.volumes.finish()
        self.rates.finish()
        self.media.finish()
    }
}

extension CastSession {
    /// The volume of the device, for sliders and keys.
    public nonisolated var deviceVolumeController: DeviceVolumeController { DeviceVolumeController(session: self) }

    /// The playback rate, for a menu or a slider.
    public nonisolated var playbackRateController: PlaybackRateController { PlaybackRateController(session: self) }

    /// The playback state and controls, for the buttons of a player.
    public nonisolated var mediaController: MediaController { MediaController(session: self) }

    /// Returns the states of a controller, also after the session's end.
    func states<State>(of controller: KeyPath<SessionControllers, StateSource<State>> & Sendable) -> StateSource<State> {
        self.controllers[keyPath: controller]
    }

    func controlLevel(_ level: Double) async throws(CastError) {
        try await self.asking(\.level, level) { session throws(CastError) in try await session.setDeviceVolume(level: level) }
    }

    func controlLevel(bySteps steps: Int) async throws(CastError) {
        let volume: DeviceVolume? = self.receiverStatus?.volume
        let isKnown = volume?.level != nil || self.controllers.level.value(at: MonotonicTime(self.eventLoop.now)) != nil
        // A step from an unknown level could select the maximum volume. A session without a connection reports its own error.
        guard isKnown || !self.isConnected else { throw CastError(.invalidState, detail: "the device has reported no level") }
        let state = self.controllers.volumes.newest ?? .init(nil, .suspended)
        try await self.controlLevel(min(max(state.level + Double(steps) * state.step, 0), 1))
    }

    func controlMuted(_ isMuted: Bool) async throws(CastError) {
        try await self.asking(\.muted, isMuted) { session throws(CastError) in try await session.setDeviceMuted(isMuted) }
    }

    func toggleMuted() async throws(CastError) { try await self.controlMuted(!(self.controllers.volumes.newest?.isMuted ?? false)) }

    func controlPlaying(_ isPlaying: Bool) async throws(CastError) {
        let client = self.remoteMediaClient
        try await self.asking(\.playing, isPlaying) { _ throws(CastError) in
            if isPlaying { try await client.play() } else { try await client.pause() }
        }
    }

    func controlStreamLevel(_ level: Double) async throws(CastError) {
        let client = self.remoteMediaClient
        try await self.asking(\.streamLevel, level) { _ throws(CastError) in try await client.setStreamVolume(level) }
    }

    func controlStreamMuted(_ isMuted: Bool) async throws(CastError) {
        let client = self.remoteMediaClient
        try await self.asking(\.streamMuted, isMuted) { _ throws(CastError) in try await client.setStreamMuted(isMuted) }
    }

    func controlRate(_ rate: Double) async throws(CastError) {
        try await self.asking(\.rate, rate) { session throws(CastError) in try await session.remoteMediaClient.setPlaybackRate(rate) }
    }

    func controlPosition(_ target: SeekTarget) async throws(CastError) {
        try target.validate()
        let now = MonotonicTime(self.eventLoop.now)
        guard let status = self.shownMediaStatus else { throw CastError(.noMediaSession, detail: "nothing is loaded") }
        var position = try target.position(in: status, at: now)
        // A repeated press continues from the target of the previous press.
        if case .relative(let seconds) = target, let pending = self.controllers.position.value(at: now) {
            position = try SeekTarget.position(pending + seconds).position(in: status, at: now)
        }
        let wanted = position
        try await self.asking(\.position, wanted) { session throws(CastError) in
            try await session.remoteMediaClient.seek(to: .position(wanted))
        }
    }

    func controlMainButton() async throws(CastError) {
        let client = self.remoteMediaClient
        let state = self.controllers.media.newest ?? .init(nil, .suspended)
        switch state.mainButton {
        case .none: throw CastError(.noMediaSession, detail: "nothing is loaded")
        case .play: try await self.controlPlaying(true)
        case .pause: try await self.controlPlaying(false)
        case .stop: try await client.stop()
        }
    }

    /// Shows a value until the device confirms it, and sends the request.
    private func asking<Value>(
        _ path: ReferenceWritableKeyPath<SessionControllers, PendingValue<Value>>, _ value: Value,
        _ request: (isolated CastSession) async throws(CastError) -> Void
    ) async throws(CastError) {
        let controls = self.controllers
        let number = controls[keyPath: path].begin(value, at: MonotonicTime(self.eventLoop.now))
        self.updateControllers()
        do throws(CastError) {
            try await request(self)
            controls[keyPath: path].ended(number, isRefused: false)
            self.updateControllers()
        } catch {
            controls[keyPath: path].ended(number, isRefused: true)
            self.updateControllers()
            throw error
        }
    }
}

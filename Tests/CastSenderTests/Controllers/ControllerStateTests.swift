import CastModels
import Testing

@testable import CastSender

@Suite struct ControllerStateTests {
    private static func status(
        _ state: PlayerState, commands: MediaCommands = [.pause, .seek], rate: Double? = nil, isLive: Bool = false
    ) -> MediaStatus {
        var status = MediaStatus(mediaSessionID: 1, playerState: state, receivedAt: MonotonicTime(nanoseconds: 0))
        status.supportedMediaCommands = commands
        status.playbackRate = rate
        status.media = MediaInformation(contentID: "x", contentType: "video/mp4", streamType: isLive ? .live : .buffered)
        return status
    }

    @Test("the volume is enabled when the device reports one that can be changed, and one's own value wins")
    func volume() {
        typealias State = DeviceVolumeController.State
        let volume = DeviceVolume(level: 0.4, isMuted: true, controlType: .attenuation, stepInterval: 0.1)
        let state = State(volume, isConnected: true)
        #expect(state.level == 0.4 && state.step == 0.1 && state.isMuted && state.isEnabled)
        let pending = State(volume, isConnected: true, level: 0.7, isMuted: false)
        #expect(pending.level == 0.7 && !pending.isMuted)
        #expect(!State(volume, isConnected: false).isEnabled)
        #expect(!State(nil, isConnected: true).isEnabled)
        #expect(!State(DeviceVolume(level: 1, controlType: .fixed), isConnected: true).isEnabled)
        #expect(State(DeviceVolume(level: 1.5), isConnected: true).level == 1)
        #expect(State(nil, isConnected: true).step == DeviceVolume.defaultStepInterval)
    }

    @Test("rates are offered where the application takes them")
    func rate() {
        typealias State = PlaybackRateController.State
        let state = State(Self.status(.playing, commands: [.playbackRate], rate: 1.25), isConnected: true)
        #expect(state.rate == 1.25 && state.isEnabled && state.allowedRates.first == 0.5 && state.allowedRates.last == 2)
        #expect(State(Self.status(.playing, commands: [.playbackRate], rate: 1.25), isConnected: true, rate: 2).rate == 2)
        #expect(State(Self.status(.paused, commands: [.playbackRate], rate: 0), isConnected: true).rate == 1)
        for idle in [
            State(Self.status(.playing, commands: []), isConnected: true), State(nil, isConnected: true, rate: 2),
            State(Self.status(.idle, commands: [.playbackRate], rate: 2), isConnected: true),
            State(Self.status(.playing, commands: [.playbackRate]), isConnected: false),
        ] {
            #expect(idle == State(nil, isConnected: true))
            #expect(idle.rate == 1 && !idle.isEnabled && idle.allowedRates == [1])
        }
    }

    @Test(
        "the main button plays or pauses, and stops a live stream that can't be paused",
        arguments: [
            (.playing, [.pause], false, nil, .pause), (.buffering, [.pause], false, nil, .pause), (.paused, [.pause], false, nil, .play),
            (.playing, [], true, nil, .stop), (.playing, [.pause], true, nil, .pause), (.paused, [], true, nil, .play),
            (.idle, [.pause], false, nil, .none), (.playing, [.pause], false, false, .play), (.paused, [.pause], false, true, .pause),
        ] as [(PlayerState, MediaCommands, Bool, Bool?, MediaController.MainButton)])
    func mainButton(player: PlayerState, commands: MediaCommands, isLive: Bool, pending: Bool?, button: MediaController.MainButton) {
        let status = Self.status(player, commands: commands, isLive: isLive)
        #expect(MediaController.State(status, isConnected: true, isPlaying: pending).mainButton == button)
        #expect(MediaController.State(status, isConnected: false, isPlaying: pending).mainButton == .none)
    }

    @Test("buttons follow the commands that the application offers")
    func buttons() {
        var status = Self.status(.buffering, commands: [.seek, .queueNext])
        status.media?.tracks = [MediaTrack(trackID: 3, type: .text)]
        status.activeTrackIDs = [3]
        let state = MediaController.State(status, isConnected: true, position: 12)
        #expect(state.isEnabled && state.isBuffering && state.canSeek && state.canSkipToNext && !state.canSkipToPrevious)
        #expect(state.tracks.map(\.trackID) == [3] && state.activeTrackIDs == [3] && state.pendingPosition == 12)
        let none = MediaController.State(nil, isConnected: true, position: 12)
        #expect(!none.isEnabled && !none.canSeek && none.pendingPosition == nil && none.tracks.isEmpty)
    }
}

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
        let state = State(volume, .connected)
        #expect(state.level == 0.4 && state.step == 0.1 && state.isMuted && state.isEnabled)
        let pending = State(volume, .connected, level: 0.7, isMuted: false)
        #expect(pending.level == 0.7 && !pending.isMuted)
        #expect(!State(volume, .suspended).isEnabled)
        #expect(!State(nil, .connected).isEnabled)
        #expect(!State(DeviceVolume(level: 1, controlType: .fixed), .connected).isEnabled)
        #expect(State(DeviceVolume(level: 1.5), .connected).level == 1)
        #expect(State(nil, .connected).step == DeviceVolume.defaultStepInterval)
    }

    @Test("rates are offered where the application takes them")
    func rate() {
        typealias State = PlaybackRateController.State
        let state = State(Self.status(.playing, commands: [.playbackRate], rate: 1.25), .connected)
        #expect(state.rate == 1.25 && state.isEnabled && state.allowedRates.first == 0.5 && state.allowedRates.last == 2)
        #expect(State(Self.status(.playing, commands: [.playbackRate], rate: 1.25), .connected, rate: 2).rate == 2)
        #expect(State(Self.status(.paused, commands: [.playbackRate], rate: 0), .connected).rate == 1)
        for idle in [
            State(Self.status(.playing, commands: []), .connected), State(nil, .connected, rate: 2),
            State(Self.status(.idle, commands: [.playbackRate], rate: 2), .connected),
            State(Self.status(.playing, commands: [.playbackRate]), .suspended),
        ] {
            #expect(!idle.isEnabled && idle.allowedRates == [1])
        }
    }

    @Test(
        "the main button plays or pauses, and stops a live stream that can't be paused",
        arguments: [
            (.playing, [.pause], false, nil, .pause), (.buffering, [.pause], false, nil, .pause), (.paused, [.pause], false, nil, .play),
            (.playing, [], true, nil, .stop), (.playing, [.pause], true, nil, .pause), (.paused, [], true, nil, .play),
            (.idle, [.pause], false, nil, .none), (.playing, [.pause], false, false, .play), (.paused, [.pause], false, true, .pause),
            (.loading, [], false, nil, .pause), (.playing, [], true, false, .play), (.paused, [], true, true, .stop),
        ] as [(PlayerState, MediaCommands, Bool, Bool?, MediaController.MainButton)])
    func mainButton(player: PlayerState, commands: MediaCommands, isLive: Bool, pending: Bool?, button: MediaController.MainButton) {
        let status = Self.status(player, commands: commands, isLive: isLive)
        #expect(MediaController.State(status, .connected, isPlaying: pending).mainButton == button)
        let suspended = MediaController.State(status, .suspended, isPlaying: pending)
        #expect(suspended.mainButton == button && !suspended.isEnabled)
    }

    @Test("times follow the clock between two statuses, for a film and for a live stream")
    func times() {
        var film = Self.status(.playing)
        film.currentTime = 100
        film.media?.duration = 600
        film.media?.metadata = .generic(title: "Film", subtitle: "Part 1")
        let now = MonotonicTime(nanoseconds: 20_000_000_000)
        let state = MediaController.State(film, .connected)
        #expect(state.position(at: now) == 120 && state.remaining(at: now) == 480 && state.range(at: now) == 0...600)
        #expect(state.title == "Film" && state.subtitle == "Part 1" && state.duration == 600)
        #expect(MediaController.State(film, .connected, position: 50).remaining(at: now) == 550)
        var live = Self.status(.playing, isLive: true)
        (live.currentTime, live.liveSeekableRange) = (3000, LiveSeekableRange(start: 0, end: 3600, isMovingWindow: true, isLiveDone: false))
        let behind = MediaController.State(live, .connected)
        #expect(behind.range(at: now) == 20...3620 && behind.duration == nil && behind.remaining(at: now) == nil)
        #expect(!behind.isAtLiveEdge(at: now))
        live.currentTime = 3595
        #expect(MediaController.State(live, .connected).isAtLiveEdge(at: now))
    }

    @Test("one level is one state, however the device rounds it")
    func rounding() {
        typealias State = DeviceVolumeController.State
        #expect(State(DeviceVolume(level: 0.200_000_002_98), .connected) == State(DeviceVolume(level: 0.2), .connected))
    }

    @Test("buttons follow the commands that the application offers")
    func buttons() {
        var status = Self.status(.buffering, commands: [.seek, .queueNext])
        status.media?.tracks = [MediaTrack(trackID: 3, type: .text)]
        status.activeTrackIDs = [3]
        let state = MediaController.State(status, .connected, position: 12)
        #expect(state.isEnabled && state.isBuffering && state.canSeek && state.canSkipToNext && !state.canSkipToPrevious)
        #expect(state.tracks.map(\.trackID) == [3] && state.activeTrackIDs == [3] && state.pendingPosition == 12)
        status.items = (1...3).map { (id: Int) in
            MediaQueueItem(itemID: id, media: MediaInformation(contentID: "x", contentType: "audio/mpeg"))
        }
        status.currentItemID = 2
        let queue = MediaController.State(status, .connected)
        #expect(queue.canSkipToNext && queue.canSkipToPrevious, "the queue shows it, whatever the commands say")
        #expect(!MediaController.State(status, .suspended).canSkipToNext)
        let none = MediaController.State(nil, .connected, position: 12)
        #expect(!none.isEnabled && !none.canSeek && none.pendingPosition == nil && none.tracks.isEmpty)
    }
}

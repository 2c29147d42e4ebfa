import CastModels

@testable import BridgeCore

/// States of one device, for documents: each word of `player`, and unexpected texts.
struct States {
    private(set) var state: DeviceState
    private var seconds = 0.0
    private let mapper = TopicMapper(tree: Fixture.tree, options: .init(instance: "home"))

    private init() {
        let device = Device(
            id: Fixture.id, friendlyName: "Living Room", modelName: "Chromecast", capabilities: [.videoOut, .audioOut],
            endpoints: [DeviceEndpoint(host: "192.168.1.31")])
        self.state = DeviceState(device: device, slug: "living-room", at: Self.now(0))
    }

    private static func now(_ seconds: Double) -> Now {
        Now(
            monotonic: MonotonicTime(nanoseconds: Int64(seconds * 1e9)),
            wall: Timestamp(milliseconds: 1_795_269_802_400).adding(seconds: seconds))
    }

    mutating func reduce(_ event: DeviceEvent) {
        self.seconds += 1
        _ = self.state.reduce(event, at: Self.now(self.seconds), options: DeviceOptions())
    }

    /// Every retained message of the device, by topic.
    var documents: [String: String] {
        var documents: [String: String] = [:]
        for message in self.mapper.messages(for: self.state) {
            documents[message.topic] = String(decoding: message.payload(at: Self.now(self.seconds).wall), as: UTF8.self)
        }
        return documents
    }

    // MARK: Situations

    static func unknown() -> Self {
        var device = Self()
        device.seconds += 30
        device.reduce(.timer)
        return device
    }

    static func off() -> Self {
        var device = Self()
        device.reduce(.ready(ReceiverStatus(isActiveInput: false, isStandBy: true), nil))
        return device
    }

    /// The idle screen, with a volume.
    static func idle(_ application: ReceiverApplication? = nil) -> Self {
        var device = Self()
        let volume = DeviceVolume(level: 0.34, isMuted: false, controlType: .attenuation, stepInterval: 0.02)
        device.reduce(.ready(ReceiverStatus(application: application, volume: volume), nil))
        return device
    }

    mutating func play(
        application name: String, tracks: [String]? = nil, _ playerState: PlayerState = .playing, title: String = "Harbour Lights",
        media change: (inout MediaStatus) -> Void = { _ in }
    ) {
        let application = ReceiverApplication(
            applicationID: "CC1AD845", name: name, sessionID: "s1", transportID: "t1", namespaces: ["urn:x-cast:com.google.cast.media"])
        var media = MediaInformation(
            contentID: "http://192.168.1.5/harbour.mp3", contentType: "audio/mpeg", streamType: .buffered, duration: 241.5,
            metadata: MediaMetadata(
                type: .musicTrack, images: [MediaImage(url: "http://192.168.1.5/harbour.jpg")],
                fields: ["title": .string(title), "artist": .string(title), "albumName": .string(title)]))
        media.tracks = (tracks ?? []).enumerated().map { MediaTrack(trackID: $0 + 1, type: .text, name: $1) }
        var status = MediaStatus(mediaSessionID: 7, playerState: playerState, receivedAt: Self.now(self.seconds).monotonic)
        status.currentTime = 63.2
        status.playbackRate = 1
        status.media = media
        status.supportedMediaCommands = [.pause, .seek]
        change(&status)
        self.reduce(
            .ready(ReceiverStatus(application: application, volume: DeviceVolume(level: 1, isMuted: true), isActiveInput: true), status))
    }

    private static func playing(
        _ playerState: PlayerState, title: String = "Harbour Lights", application: String = "Default Media Receiver",
        tracks: [String]? = nil, media change: (inout MediaStatus) -> Void = { _ in }
    ) -> Self {
        var device = Self.idle()
        device.play(application: application, tracks: tracks, playerState, title: title, media: change)
        return device
    }

    /// A device in every state of the player, playing everything, with every name.
    static var all: [(name: String, states: States)] {
        let dashboard = ReceiverApplication(applicationID: "84912283", name: "DashCast", sessionID: "d1", transportID: "d1")
        let player = ReceiverApplication(
            applicationID: "CC1AD845", name: "Default Media Receiver", sessionID: "s1", transportID: "t1",
            namespaces: ["urn:x-cast:com.google.cast.media"])
        var loading = Self.idle(player)
        loading.reduce(.loadRequested)
        var advertisement = Self.playing(.playing)
        advertisement.play(application: "YouTube") { status in
            status.adBreakStatus = AdBreakStatus(breakID: "b", breakClipID: "c")
        }
        let situations: [(String, States)] = [
            ("unknown", .unknown()), ("off", .off()), ("on", .idle(dashboard)), ("idle", .idle(player)), ("loading", loading),
            ("buffering", .playing(.buffering)), ("playing", .playing(.playing)), ("paused", .playing(.paused)),
            ("advertisement", advertisement),
            ("subtitles", .playing(.playing, tracks: ["English", "Deutsch"]) { $0.activeTrackIDs = [2] }),
            ("queue", .playing(.playing) { $0.repeatMode = .allAndShuffle }),
            (
                "live",
                .playing(.playing) {
                    $0.media?.streamType = .live; $0.media?.duration = -1
                }
            ),
            (
                "start",
                .playing(.playing) {
                    $0.currentTime = 0; $0.media?.duration = 0
                }
            ),
        ]
        return situations
            + Fixture.hostileTexts.map {
                ("“\($0.prefix(20))”", .playing(.playing, title: $0, application: $0, tracks: [$0]) { $0.activeTrackIDs = [1] })
            }
    }
}

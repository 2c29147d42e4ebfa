import CastModels

@testable import BridgeCore

/// A device in virtual time, with the messages it would have on the broker.
struct StateFixture {
    /// 2026-11-21T14:03:22.400Z, at second 1000 of the monotonic clock.
    static let start = Timestamp(milliseconds: 1_795_269_802_400)
    static let startSeconds = 1000.0

    var options = DeviceOptions()
    var mapper = TopicMapper(
        tree: TopicTree(base: "cast2mqtt"),
        options: .init(
            instance: "home", applications: OfferedApplications(["Default Media Receiver", "YouTube"], ids: ["YouTube": "233637DE"])))
    var state: DeviceState
    /// Seconds since the start of the test.
    var seconds = 0.0
    /// Every output since the last `takeOutputs`.
    var outputs: [DeviceOutput] = []

    init(_ device: Device = StateFixture.livingRoom, slug: String = "living-room", options: DeviceOptions = DeviceOptions()) {
        self.options = options
        self.state = DeviceState(device: device, slug: slug, at: Self.now(0), options: options)
    }

    static let livingRoom = Device(
        id: "4f1c9a0e7b2d4c3aa5d86e1f0b9c2d34", friendlyName: "Living Room", modelName: "Chromecast",
        capabilities: [.videoOut, .audioOut, .dynamicGrouping],
        endpoints: [DeviceEndpoint(host: "192.168.1.31"), DeviceEndpoint(host: "fe80::1%eth0")], identity: .verified)

    static let group = Device(
        id: "9b8c7d6e5f4a4b3c8d2e1f0a9b8c7d6e", friendlyName: "Whole House", modelName: "Google Cast Group",
        capabilities: [.audioOut, .multizoneGroup], endpoints: [DeviceEndpoint(host: "192.168.1.31", port: 32187)])

    static func now(_ seconds: Double) -> Now { Now(monotonic: self.monotonic(seconds), wall: self.start.adding(seconds: seconds)) }

    static func monotonic(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(((self.startSeconds + seconds) * 1e9).rounded()))
    }

    var now: Now { Self.now(self.seconds) }

    /// Lets `event` happen after `seconds` more, in which timers fire. A media status of now becomes one of then.
    @discardableResult
    mutating func after(_ seconds: Double, _ event: DeviceEvent) -> [DeviceOutput] {
        let made = self.now.monotonic
        self.wait(seconds)
        var event = event
        if case .mediaStatus(.some(var status)) = event, status.receivedAt == made {
            status.receivedAt = self.now.monotonic
            event = .mediaStatus(status)
        }
        let outputs = self.state.reduce(event, at: self.now, options: self.options)
        self.outputs += outputs
        return outputs
    }

    /// Lets time pass with every timer the state asks for, until `seconds` later.
    mutating func wait(_ seconds: Double) {
        let end = self.seconds + seconds
        while let deadline = self.state.nextDeadline, deadline <= Self.monotonic(end) {
            self.seconds = max(self.seconds, deadline.seconds(since: Self.monotonic(0)))
            self.outputs += self.state.reduce(.timer, at: self.now, options: self.options)
        }
        self.seconds = end
    }

    @discardableResult
    mutating func after(_ event: DeviceEvent) -> [DeviceOutput] { self.after(0, event) }

    /// Connected, the Default Media Receiver open.
    mutating func connect(_ receiver: ReceiverStatus = StateFixture.receiver(), media: MediaStatus? = nil) {
        self.after(.connecting)
        self.after(
            .identified(DeviceDetails(manufacturer: "Google Inc.", firmware: "1.56.281627", endpoint: DeviceEndpoint(host: "192.168.1.31")))
        )
        self.after(.ready(receiver, media))
        self.outputs = []
    }

    mutating func takeOutputs() -> [DeviceOutput] {
        defer { self.outputs = [] }
        return self.outputs
    }

    /// The events since the last time, in order.
    mutating func takeEvents() -> [PublishedEvent] {
        self.takeOutputs().compactMap { output in if case .event(let event) = output { event } else { nil } }
    }

    /// The payload on one of the device's topics.
    func payload(_ name: String) -> String {
        let topic = self.mapper.tree.device(self.state.slug, name)
        guard let message = self.mapper.messages(for: self.state).first(where: { $0.topic == topic }) else { return "(not published)" }
        return String(decoding: message.payload, as: UTF8.self)
    }

    static func receiver(
        _ application: ReceiverApplication? = StateFixture.defaultMediaReceiver, standby: Bool? = false, activeInput: Bool? = true,
        volume: DeviceVolume? = DeviceVolume(level: 0.3400000035762787, isMuted: false, controlType: .attenuation, stepInterval: 0.02)
    ) -> ReceiverStatus {
        ReceiverStatus(application: application, volume: volume, isActiveInput: activeInput, isStandBy: standby)
    }

    static let defaultMediaReceiver = ReceiverApplication(
        applicationID: "CC1AD845", name: "Default Media Receiver", statusText: "Casting", type: "WEB", sessionID: "4f0c",
        transportID: "web-5",
        namespaces: ["urn:x-cast:com.google.cast.media"])
    static let backdrop = ReceiverApplication(
        applicationID: "E8C28D3C", name: "Backdrop", isIdleScreen: true, sessionID: "b1", transportID: "b1",
        namespaces: ["urn:x-cast:com.google.cast.sse"])
    static let dashboard = ReceiverApplication(
        applicationID: "84912283", name: "DashCast", sessionID: "d1", transportID: "d1", namespaces: ["urn:x-cast:com.madmod.dashcast"])

    /// A status as of now.
    func status(
        _ playerState: PlayerState, session: Int = 7, time: Double? = 63.2, media: MediaInformation? = StateFixture.song, item: Int? = nil,
        change: (inout MediaStatus) -> Void = { _ in }
    ) -> MediaStatus {
        var status = MediaStatus(mediaSessionID: session, playerState: playerState, receivedAt: self.now.monotonic)
        status.currentTime = time
        status.media = media
        status.currentItemID = item
        status.playbackRate = 1
        status.supportedMediaCommands = [.pause, .seek, .streamVolume, .streamMute]
        change(&status)
        return status
    }

    /// Idle for this reason, as the merging leaves it: no items, no item ids.
    func idle(_ reason: IdleReason?, session: Int = 7, loading item: Int? = nil) -> MediaStatus {
        self.status(.idle, session: session, time: 0) { status in
            status.idleReason = reason
            status.loadingItemID = item
        }
    }

    static let song = StateFixture.song(1)

    static func song(_ number: Int) -> MediaInformation {
        MediaInformation(
            contentID: number == 1 ? "http://192.168.1.5/harbour.mp3" : "http://192.168.1.5/song-\(number).mp3", contentType: "audio/mpeg",
            streamType: .buffered, duration: 241.5,
            metadata: MediaMetadata(
                type: .musicTrack, images: [MediaImage(url: "http://192.168.1.5/harbour.jpg", width: 640, height: 640)],
                fields: [
                    "title": .string(number == 1 ? "Harbour Lights" : "Song \(number)"), "artist": "Example Trio",
                    "albumName": "Night Ferry",
                ]))
    }

    /// Items `1...count`, the one with the number `current` playing.
    static func queue(_ count: Int, current: Int, _ mode: RepeatMode = .off) -> (inout MediaStatus) -> Void {
        { status in
            status.items = (1...count).map { MediaQueueItem(itemID: $0, media: self.song($0)) }
            status.currentItemID = current
            status.media = self.song(current)
            status.repeatMode = mode
        }
    }
}

extension StatusOptions {
    init(_ change: (inout Self) -> Void) {
        self.init()
        change(&self)
    }
}

extension EventFacts {
    subscript(key: String) -> JSONValue? { self.members.last { $0.0.description == key }?.1 }
}

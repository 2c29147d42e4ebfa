import BridgeCore
import CastModels
import CastProtocol

/// Fuzzes what a device sends, from the JSON text of a message to the documents on MQTT. Each line of the input is one message; its first
/// letter selects the namespace.
enum PayloadTarget: FuzzTarget {
    static let name = "payload"

    /// Valid messages of every namespace that is read.
    static let messages: [(String, String)] = [
        (CastNamespace.connection, #"{"type":"CLOSE","reasonCode":5}"#),
        (CastNamespace.heartbeat, #"{"type":"PONG"}"#),
        (
            CastNamespace.receiver,
            #"{"type":"RECEIVER_STATUS","requestId":1,"status":{"applications":[{"appId":"CC1AD845","sessionId":"s","transportId":"t","displayName":"Player","statusText":"","isIdleScreen":false,"namespaces":[{"name":"urn:x-cast:com.google.cast.media"}]}],"volume":{"level":0.5,"muted":false,"controlType":"attenuation","stepInterval":0.05},"isStandBy":false,"isActiveInput":true}}"#
        ),
        (CastNamespace.receiver, #"{"type":"LAUNCH_ERROR","requestId":2,"reason":"NOT_FOUND"}"#),
        (
            CastNamespace.media,
            #"{"type":"MEDIA_STATUS","requestId":3,"status":[{"mediaSessionId":1,"playerState":"PLAYING","currentTime":12.5,"playbackRate":1,"supportedMediaCommands":12303,"volume":{"level":1,"muted":false},"media":{"contentId":"http://h/a.mp4","contentType":"video/mp4","streamType":"BUFFERED","duration":600.1,"metadata":{"metadataType":1,"title":"T","images":[{"url":"http://h/i.png","width":1,"height":2}],"releaseDate":"2020-01-01"},"tracks":[{"trackId":1,"type":"TEXT","language":"en","name":"E","subtype":"SUBTITLES"}],"breaks":[{"id":"b","position":10,"breakClipIds":["c"]}],"breakClips":[{"id":"c","duration":5}]},"currentItemId":1,"loadingItemId":2,"preloadedItemId":3,"repeatMode":"REPEAT_OFF","items":[{"itemId":1,"media":{"contentId":"x"},"autoplay":true,"startTime":0,"preloadTime":5}],"liveSeekableRange":{"start":0,"end":10,"isMovingWindow":true,"isLiveDone":false},"videoInfo":{"width":1920,"height":1080,"hdrType":"hdr"},"breakStatus":{"breakId":"b","breakClipId":"c","currentBreakTime":1,"currentBreakClipTime":1,"whenSkippable":5},"activeTrackIds":[1],"extendedStatus":{"playerState":"LOADING","media":{"contentId":"y"}},"queueData":{"shuffle":false,"repeatMode":"REPEAT_ALL"}}]}"#
        ),
        (CastNamespace.media, #"{"type":"MEDIA_STATUS","status":[{"mediaSessionId":1,"playerState":"IDLE","idleReason":"FINISHED"}]}"#),
        (CastNamespace.media, #"{"type":"MEDIA_STATUS","status":[{"mediaSessionId":1,"playerState":"PLAYING","currentTime":5}]}"#),
        (CastNamespace.media, #"{"type":"LOAD_FAILED","requestId":4,"itemId":1,"detailedErrorCode":104}"#),
        (CastNamespace.media, #"{"type":"QUEUE_ITEM_IDS","requestId":5,"itemIds":[1,2,3]}"#),
        (
            CastNamespace.multizone,
            #"{"type":"MULTIZONE_STATUS","status":{"devices":[{"deviceId":"d","name":"n","capabilities":4,"volume":{"level":0.1,"muted":true}}]}}"#
        ),
        (
            CastNamespace.discovery,
            #"{"controllerMetadata":{},"deviceId":"d","deviceModel":"m","deviceName":"n","requestId":9,"type":"DEVICE_INFO"}"#
        ),
        (
            CastNamespace.setup,
            #"{"request_id":7,"response_code":200,"type":"eureka_info","data":{"name":"n","device_info":{"ssdp_udn":"d"}}}"#
        ),
    ]

    private static let namespaces = [
        CastNamespace.connection, CastNamespace.heartbeat, CastNamespace.receiver, CastNamespace.media, CastNamespace.multizone,
        CastNamespace.discovery, CastNamespace.setup,
    ]

    static var seeds: [[UInt8]] {
        let lines = Self.messages.map { [UInt8(ascii: "a") + UInt8(Self.namespaces.firstIndex(of: $0.0) ?? 0)] + Array($0.1.utf8) }
        return lines + [Array(lines.joined(separator: [10]))]
    }

    static let words = [
        "BUFFERING", "PAUSED", "LOADING", "LIVE", "NONE", "INTERRUPTED", "CANCELLED", "ERROR", "REPEAT_SINGLE", "REPEAT_ALL_AND_SHUFFLE",
        "QUEUE_ITEMS", "QUEUE_CHANGE", "SESSION_STATE", "LAUNCH_STATUS", "INVALID_PLAYER_STATE", "GET_APP_AVAILABILITY", "DEVICE_ADDED",
        "customData",
        "null", "true", "-1", "1e308", "artist", "albumName", "season", "songName", "studio", "seriesTitle",
    ]

    /// Returns the input with one message changed.
    static func changed(_ input: [UInt8], by random: inout MutationRandom) -> [UInt8]? {
        var lines = input.split(separator: 10, omittingEmptySubsequences: false)
        guard let index = lines.indices.randomElement(using: &random), let letter = lines[index].first,
            let changed = JSONMutation.changed(Array(lines[index].dropFirst()), words: Self.words, by: &random)
        else { return nil }
        lines[index] = [letter] + changed
        return Array(lines.joined(separator: [10]))
    }

    static func run(_ input: [UInt8]) {
        var device = FuzzedDevice()
        var memory = PayloadMemory()
        for line in input.split(separator: 10).prefix(64) {
            guard let letter = line.first else { continue }
            let namespace = Self.namespaces[Int(letter &- UInt8(ascii: "a")) % Self.namespaces.count]
            let text = String(decoding: line.dropFirst(), as: UTF8.self)
            let payload = Self.read(text, namespace, &memory)
            Self.compare(payload, text, namespace)
            if let payload { device.receive(payload.content) }
        }
    }
}

extension PayloadTarget {
    private static func read(_ text: String, _ namespace: String, _ memory: inout PayloadMemory) -> ReceivedPayload? {
        let message = CastMessage(sourceID: "t", destinationID: "*", namespace: namespace, payload: .text(text))
        return (try? CastMessagePiece(decoding: message.encoded())).flatMap { try? ReceivedPayload($0, &memory) }
    }

    /// Requires that the payload, which was read in place, equals the one that is read from the text of its JSON tree.
    private static func compare(_ payload: ReceivedPayload?, _ text: String, _ namespace: String) {
        guard case .object(let tree)? = try? JSONParser.parse(text) else {
            return require(payload == nil, "what is no JSON object is read")
        }
        require(payload != nil, "a JSON object is not read")
        let written = JSONWriter.string(of: .object(tree))
        var memory = PayloadMemory()
        // A whole number that was written with a point is read as an integer from that text, so custom data may differ.
        guard (try? JSONParser.parse(written)) == .object(tree) else { return }
        require(self.read(written, namespace, &memory) == payload, "in place and as a tree it is another payload")
    }
}

/// The state of a device as the bridge keeps it. Requires valid documents after every message.
private struct FuzzedDevice {
    private var merger = MediaStatusMerger()
    private var state: DeviceState
    private var seconds = 0.0
    private let options = DeviceOptions()
    private static let mapper = TopicMapper(tree: TopicTree(base: "cast2mqtt"), options: .init(instance: "home"))

    init() {
        let device = Device(id: "0123456789abcdef0123456789abcdef", friendlyName: "TV", modelName: "m", identity: .verified)
        self.state = DeviceState(device: device, slug: "tv", at: Self.now(0), options: DeviceOptions())
    }

    private static func now(_ seconds: Double) -> Now {
        Now(
            monotonic: MonotonicTime(nanoseconds: Int64(seconds * 1e9)),
            wall: Timestamp(milliseconds: 1_700_000_000_000).adding(seconds: seconds))
    }

    mutating func receive(_ content: ReceivedPayload.Content) {
        self.seconds += 0.7
        let now = Self.now(self.seconds)
        switch content {
        case .receiver(.status(let status)):
            self.reduce(self.state.isAvailable ? .receiverStatus(status) : .ready(status, nil), now)
        case .media(.status(let updates)):
            _ = self.merger.merge(updates, sessionID: "s", receivedAt: now.monotonic)
            self.reduce(.mediaStatus(self.merger.status), now)
            if let status = self.merger.status { planted(status.playerState == .playing && status.mediaSessionID > 999) }
        default: return
        }
        if let deadline = self.state.nextDeadline, deadline <= now.monotonic { self.reduce(.timer, now) }
        for message in Self.mapper.messages(for: self.state) {
            let payload = message.payload(at: now.wall)
            switch message.content {
            case .document, .json: require((try? JSONParser.parse(payload)) != nil, "a document is no JSON")
            case .text: require(String(validating: payload, as: UTF8.self) != nil, "a plain value is no UTF-8")
            case .empty: require(payload.isEmpty, "an empty message is not empty")
            case .message, .binary: require(false, "what an application said is among the documents")
            }
        }
    }

    private mutating func reduce(_ event: DeviceEvent, _ now: Now) { _ = self.state.reduce(event, at: now, options: self.options) }
}

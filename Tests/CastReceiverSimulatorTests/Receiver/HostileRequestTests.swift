import Testing

@testable import CastReceiverSimulator

/// Requests that no sender should make: the receiver answers or drops them, and goes on.
@Suite struct HostileRequestTests {
    private static let numbers: [JSON] = [
        0, -1, 1, 2, 1.5, -0.0, .integer(.max), .integer(.min), 1e300, -1e300, 1e18, 1e-300, "1", .null, true, [], [:],
        [.integer(.max), 1e300],
        "2147483648",
    ]
    private static let names = [
        "mediaSessionId", "currentTime", "relativeTime", "resumeState", "playbackRate", "relativePlaybackRate", "volume", "activeTrackIds",
        "textTrackStyle", "language", "enableTextTracks", "items", "itemIds", "itemId", "insertBefore", "currentItemId", "currentItemIndex",
        "jump", "repeatMode", "shuffle", "nextCount", "prevCount", "startIndex", "queueData", "media", "autoplay", "sessionState",
        "options",
        "sessionId", "appId", "deviceId", "customData",
    ]

    /// A film with everything that a film can have.
    private static func film(_ random: inout SeededRandom) -> JSON {
        func some() -> JSON { self.numbers.randomElement(using: &random) ?? 0 }
        func length() -> JSON { [1e300, 5, 100, 1e18, -3, 0.001].randomElement(using: &random) ?? 5 }
        let live = Bool.random(using: &random)
        return [
            "contentId": .string(
                live
                    ? ["http://a/l?live_window=1e300&live_ends=1e300", "http://a/l?live_window=5&live_ends=0"].randomElement(using: &random)
                        ?? ""
                    : ["http://a/b?error_at=1e300", "http://a/b?duration=1e300", "http://a/b?error_code=1e300&error_at=2"].randomElement(
                        using: &random) ?? ""),
            "streamType": .string(live ? "LIVE" : "BUFFERED"), "contentType": "video/mp4", "duration": length(),
            "tracks": [["trackId": some(), "type": "TEXT", "language": some()], some()],
            "breakClips": [["id": "x", "duration": length(), "whenSkippable": some()], some()],
            "breaks": [
                ["id": "b", "position": some(), "breakClipIds": ["x", some()]], ["id": "c", "position": length(), "breakClipIds": ["x"]],
            ],
        ]
    }

    /// Every sent message is JSON with a type, in a frame that every sender accepts.
    private static func isSound(_ sent: Probe.Sent) -> Bool {
        JSONTextReader.read(sent.text)?.isObject == true && !sent.type.isEmpty && sent.text.utf8.count <= 65_000
    }

    @Test("thousands of requests with values of any kind and size do no harm", arguments: 1...4 as ClosedRange<UInt64>)
    func requests(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var probe = Probe(seed: seed)
        probe.launch(seed % 2 == 0 ? ReceiverApp.defaultMediaReceiver.id : ReceiverApp.orchardRadio.id)
        let types = SessionRequest.allCases.map(\.rawValue) + ["LOAD", "QUEUE_LOAD", "GET_STATUS", "RESUME_SESSION"]
        for step in 0..<700 {
            if probe.state["app_id"]?.text?.hasPrefix("5A") != true, probe.state["app_id"] != "CC1AD845" { probe.launch() }
            let type = types.randomElement(using: &random) ?? "LOAD"
            var request: JSON = ["type": .string(step % 9 == 0 ? "LOAD" : type)]
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                request[Self.names.randomElement(using: &random) ?? ""] = Self.numbers.randomElement(using: &random) ?? 0
            }
            if step % 3 == 0 { request["media"] = Self.film(&random) }
            if step % 4 == 0 {
                request["items"] = .array(
                    (0..<3).map { _ in ["media": Self.film(&random), "startTime": 1e300, "playbackDuration": -1e300, "preloadTime": 1e300] }
                )
            }
            if Bool.random(using: &random) { request["mediaSessionId"] = .integer(probe.session) }
            _ = probe.askMedia(request, within: .milliseconds(Int.random(in: 1...2_000, using: &random)))
            #expect(probe.sent.allSatisfy(Self.isSound), "\(request)")
        }
        probe.pass(.seconds(60))
        #expect(probe.wronglyAnswered == [:])
        // It still does what it is asked to.
        probe.pass(.seconds(1))
        let answers = probe.askMedia(Probe.load("http://a/sane?duration=10"), within: .seconds(2))
        #expect(answers.contains { $0.type == "MEDIA_STATUS" })
    }

    @Test("requests to the platform and the group with values of any kind do no harm", arguments: 1...4 as ClosedRange<UInt64>)
    func platform(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var probe = MultizoneTests.probe()
        for _ in 0..<1_500 {
            let type = ["LAUNCH", "STOP", "SET_VOLUME", "GET_APP_AVAILABILITY", "GET_STATUS", "SET_DEVICE_VOLUME"].randomElement(
                using: &random)
            var request: JSON = ["type": .string(type ?? "")]
            for _ in 0..<3 {
                request[Self.names.randomElement(using: &random) ?? ""] = Self.numbers.randomElement(using: &random) ?? 0
            }
            request["volume"] = ["level": Self.numbers.randomElement(using: &random) ?? 0]
            let namespace = Bool.random(using: &random) ? Probe.receiver : MultizoneTests.multizone
            _ = probe.ask(request, namespace, within: .milliseconds(100))
            #expect(probe.sent.allSatisfy(Self.isSound), "\(request)")
        }
        probe.pass(.seconds(10))
        #expect(probe.wronglyAnswered == [:])
        #expect((0...1).contains(probe.state["volume"]?.double ?? -1))
        #expect(probe.ask(["type": "GET_STATUS"]).map(\.type) == ["RECEIVER_STATUS"])
    }
}

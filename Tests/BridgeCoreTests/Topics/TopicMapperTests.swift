import CastModels
import Testing

@testable import BridgeCore

@Suite("Documents of a device")
struct TopicMapperTests {
    private static func text(_ message: OutgoingMessage) -> String { String(decoding: message.payload, as: UTF8.self) }

    /// Every key with its path, in order; elements of lists count as one.
    private static func keys(_ value: JSONValue, below path: String = "") -> [String] {
        switch value {
        case .object(let object): object.members.flatMap { [path + $0.key] + self.keys($0.value, below: path + $0.key + ".") }
        case .array, .null, .bool, .integer, .number, .string: []
        }
    }

    @Test("the documents are these, byte for byte", arguments: ExpectedDocuments.all.indices)
    func documents(_ index: Int) {
        let (scenario, document, payload) = ExpectedDocuments.all[index]
        #expect(scenario.fixture.payload(document) == payload, "\(document) when \(scenario)")
    }

    @Test("there is a plain value for each field, an empty one for what is missing", arguments: ExpectedDocuments.plain.indices)
    func plain(_ index: Int) {
        let (scenario, values) = ExpectedDocuments.plain[index]
        let fixture = scenario.fixture
        let messages = fixture.mapper.messages(for: fixture.state, documents: .plain)
        #expect(messages.count == 18)
        var published: [String: String] = [:]
        for message in messages {
            let name = message.topic.replacing("cast2mqtt/\(fixture.state.slug)/status/", with: "")
            #expect(message.content == (message.payload.isEmpty ? .empty : .text))
            if !message.payload.isEmpty { published[name] = Self.text(message) }
        }
        #expect(published == values)
    }

    @Test("every document has the same keys in every situation", arguments: ["state", "media", "app", "queue", "tracks", "group", "info"])
    func sameKeys(_ document: String) throws {
        var all: Set<[String]> = []
        for scenario in Scenario.allCases {
            let value = try JSONParser.parse(scenario.fixture.payload(document))
            // Custom data of applications has no fixed shape, and a live range is an object or `null`.
            all.insert(Self.keys(value).filter { !$0.hasPrefix("metadata.") && !$0.hasPrefix("live_range.") })
        }
        #expect(all.count == 1)
        #expect(all.first?.first == "schema")
    }

    @Test("each topic has its quality of service, retention and kind")
    func properties() {
        let fixture = Scenario.music.fixture
        for message in fixture.mapper.messages(for: fixture.state) {
            let name = message.topic.replacing("cast2mqtt/living-room/", with: "")
            #expect(message.retain)
            #expect(message.expirySeconds == nil)
            #expect(message.qos == (name.hasPrefix("status/") ? 0 : 1))
            switch name {
            case "info", "state", "media", "app", "queue", "tracks", "group":
                #expect(message.content == .document(schema: 1))
                #expect(Self.text(message).hasPrefix(#"{"schema":1,"#))
                #expect(message.timestampOffset == #"{"schema":1,"#.utf8.count)
            case "availability":
                #expect(message.content == .text)
                #expect(message.timestampOffset == nil)
            default: #expect(message.timestampOffset == nil)
            }
        }
        #expect(fixture.mapper.messages(for: fixture.state).count == 26)
    }

    @Test("the names of retained topics are those that are published")
    func retainedNames() {
        for scenario in Scenario.allCases {
            var fixture = scenario.fixture
            let prefix = "cast2mqtt/\(fixture.state.slug)/"
            let full = TopicMapper(
                tree: fixture.mapper.tree,
                options: .init(
                    instance: "home", status: StatusOptions { $0.split = .full }, includesMediaPlayer: true, includesArtworkImage: true)
            )
            fixture.after(.artworkImage(.none))
            #expect(full.messages(for: fixture.state).map(\.topic) == TopicMapper.retainedNames.map { prefix + $0 })
            let basic = Set(fixture.mapper.messages(for: fixture.state).map(\.topic))
            #expect(basic.isSubset(of: TopicMapper.retainedNames.map { prefix + $0 }))
        }
    }

    @Test(
        "the state of a media player with fewer words is published only where it is configured",
        arguments: DevicePlayerState.allCases.map {
            ($0, [.off, .unknown].contains($0) ? "off" : [.idle, .on].contains($0) ? "idle" : $0 == .paused ? "paused" : "playing")
        })
    func mediaPlayer(player: DevicePlayerState, word: String) {
        var fixture = Scenario.music.fixture
        #expect(fixture.payload("status/media_player") == "(not published)")
        fixture.mapper = TopicMapper(tree: fixture.mapper.tree, options: .init(instance: "home", includesMediaPlayer: true))
        switch player {
        case .off: fixture.after(.receiverStatus(StateFixture.receiver(standby: true)))
        case .idle: fixture.after(.mediaStatus(nil))
        case .on: fixture.after(.receiverStatus(StateFixture.receiver(StateFixture.dashboard)))
        case .loading: fixture.after(.mediaStatus(fixture.status(.loading)))
        case .buffering: fixture.after(.mediaStatus(fixture.status(.buffering)))
        case .playing: fixture.after(.mediaStatus(fixture.status(.playing)))
        case .paused: fixture.after(.mediaStatus(fixture.status(.paused)))
        case .unknown: fixture.after(.linkLost)
        }
        fixture.wait(10)
        #expect(fixture.state.player == player)
        #expect(fixture.payload("status/media_player") == word)
        #expect(TopicMapper.retainedNames.contains("status/media_player"), "it is cleared when it is not configured any more")
    }

    @Test("split: full mirrors every scalar of media")
    func full() throws {
        var fixture = Scenario.television.fixture
        fixture.mapper = TopicMapper(
            tree: fixture.mapper.tree, options: .init(instance: "home", status: StatusOptions { $0.split = .full }))
        let expected = [
            "session": "7", "kind": "tv_show", "series": "Example Series", "season": "2", "episode": "5", "content_type": "video/mp4",
            "live": "OFF", "position_at": "2026-11-21T14:03:22.400Z", "ends_at": "2026-11-21T14:46:20.700Z", "rate": "1",
            "image": "http://192.168.1.5/s2e5.jpg", "item": "43", "stream": "buffered", "metadata_type": "2", "stream_volume": "1",
            "stream_muted": "OFF", "video_width": "3840", "video_height": "2160", "video_hdr": "hdr10", "supported_commands": "15",
            "album_artist": "", "track": "", "disc": "", "subtitle": "", "content_url": "http://192.168.1.5/s2e5.m3u8",
            "entity": "https://example.org/s2e5",
        ]
        #expect(Set(expected.keys) == Set(TopicMapper.mediaValueNames))
        for (name, value) in expected { #expect(fixture.payload("status/\(name)") == value, "\(name)") }

        // Whatever stands alone in `media` has its plain value; the device stands in the topic.
        let media = try JSONParser.parse(fixture.payload("media")).objectValue
        for member in media?.members ?? [] where !["schema", "ts", "device", "custom_data", "live_range"].contains(member.key) {
            switch member.value {
            case .array, .object: continue
            case .null, .bool, .integer, .number, .string:
                #expect(fixture.payload("status/\(member.key)") != "(not published)", "\(member.key)")
            }
        }
        fixture.after(10, .mediaStatus(fixture.idle(.cancelled)))
        for name in TopicMapper.mediaValueNames { #expect(fixture.payload("status/\(name)") == "", "\(name)") }
    }

    @Test("without a picture and an icon the placeholder is used")
    func placeholder() {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing) { $0.media?.metadata?.images = [] })
        #expect(fixture.payload("status/artwork") == "")
        let options = TopicMapper.Options(
            instance: "home", status: StatusOptions { $0.artworkPlaceholder = "https://pictures.example/cast.png" })
        fixture.mapper = TopicMapper(tree: fixture.mapper.tree, options: options)
        #expect(fixture.payload("status/artwork") == "https://pictures.example/cast.png")
        fixture.after(1, .mediaStatus(fixture.status(.playing)))
        #expect(fixture.payload("status/artwork") == "http://192.168.1.5/harbour.jpg")
    }

    @Test("no topic names a MAC address, unless it is shared", arguments: [false, true])
    func hardwareAddress(isShared: Bool) {
        var fixture = StateFixture()
        fixture.connect()
        fixture.after(1, .identified(DeviceDetails(macAddress: "AA:BB:CC:DD:EE:FF")))
        let options = TopicMapper.Options(instance: "home", sharesMACAddress: isShared)
        fixture.mapper = TopicMapper(tree: fixture.mapper.tree, options: options)
        let named = fixture.mapper.messages(for: fixture.state).filter {
            String(decoding: $0.payload, as: UTF8.self).lowercased().contains("aa:bb:cc")
        }
        let list = String(decoding: fixture.mapper.devicesPayload([fixture.state], now: nil), as: UTF8.self)
        #expect(named.map(\.topic) == (isShared ? [fixture.mapper.tree.device(fixture.state.slug, "info")] : []))
        #expect(list.contains(isShared ? "\"mac\":\"aa:bb:cc:dd:ee:ff\"" : "\"mac\":null"))
    }

    @Test("groups made on the fly have no topics, halves of pairs are not listed, unless wanted")
    func leftOut() {
        func fixture(_ capabilities: DeviceCapabilities) -> StateFixture {
            var fixture = StateFixture(Device(id: "cccc", friendlyName: "X", capabilities: capabilities), slug: "x")
            fixture.connect()
            return fixture
        }
        let (dynamic, half) = (fixture([.audioOut, .dynamicGroup]), fixture([.audioOut, .multichannelMember]))
        let pair = fixture([.audioOut, .multichannelGroup])
        let mapper = dynamic.mapper
        #expect(mapper.messages(for: dynamic.state).isEmpty && !mapper.lists(dynamic.state.device))
        #expect(!mapper.messages(for: half.state).isEmpty && !mapper.lists(half.state.device))
        #expect(mapper.lists(pair.state.device))
        #expect(mapper.devicesPayload([dynamic.state, half.state], now: nil) == Array("[]".utf8))
        let all = TopicMapper(
            tree: mapper.tree,
            options: .init(
                instance: "home",
                status: StatusOptions {
                    $0.includesDynamicGroups = true; $0.listsStereoHalves = true
                })
        )
        #expect(!all.messages(for: dynamic.state).isEmpty && all.lists(dynamic.state.device) && all.lists(half.state.device))
    }

    @Test("topics of an earlier run are not cleared before something is known")
    func remainingTopics() {
        var fixture = Scenario.idle.fixture
        #expect(fixture.mapper.remainingTopics(fixture.state) == .cleared)
        #expect(fixture.mapper.remainingTopics(StateFixture().state) == .keptBelow("cast2mqtt/living-room/"))
        fixture.mapper = TopicMapper(tree: fixture.mapper.tree, options: .init(instance: "home", includesArtworkImage: true))
        #expect(fixture.mapper.remainingTopics(fixture.state) == .keptBelow("cast2mqtt/\(fixture.state.slug)/artwork/image"))
        fixture.after(.artworkImage(.none))
        #expect(fixture.mapper.remainingTopics(fixture.state) == .cleared)
    }

    @Test("the picture is published as it is, once it is known, where it is wanted")
    func artworkImage() {
        var fixture = Scenario.music.fixture
        func message() -> OutgoingMessage? {
            fixture.mapper.messages(for: fixture.state).first { $0.topic.hasSuffix("/artwork/image") }
        }
        let picture = Array("http://h/?X-Plex-Token=planted&a=b@c%20".utf8)
        _ = fixture.after(.artworkImage(.picture(picture)))
        #expect(message() == nil)
        fixture.mapper = TopicMapper(
            tree: fixture.mapper.tree,
            options: .init(instance: "home", includesArtworkImage: true, redaction: SecretRedaction(isEnabled: true, additional: [])))
        #expect(message()?.payload == picture, "bytes are not searched for secrets")
        #expect(message()?.content == .binary && message()?.retain == true && message()?.qos == 1)
        _ = fixture.after(.artworkImage(.none))
        #expect(message()?.payload == [])
        _ = fixture.after(.artworkImage(.unknown))
        #expect(message() == nil)
    }

    @Test("the picture to fetch is the medium's, else the application's icon, with its secrets")
    func artworkAddress() {
        #expect(Scenario.idle.fixture.mapper.artworkAddress(of: Scenario.idle.fixture.state) == nil)
        let music = Scenario.music.fixture
        #expect(music.mapper.artworkAddress(of: music.state) == music.payload("status/artwork"))
    }

    @Test("the time goes in behind the schema")
    func timestamp() {
        let fixture = Scenario.idle.fixture
        let message = fixture.mapper.messages(for: fixture.state, documents: .state)[0]
        let sent = String(decoding: message.payload(at: StateFixture.start), as: UTF8.self)
        #expect(sent.hasPrefix(#"{"schema":1,"ts":"2026-11-21T14:03:22.400Z","player":"idle""#))
    }

    @Test("without plain values there are eight messages, and only the requested ones")
    func split() {
        var fixture = Scenario.music.fixture
        fixture.mapper = TopicMapper(
            tree: TopicTree(base: "a/b"), options: .init(instance: "home", status: StatusOptions { $0.split = .none }))
        #expect(
            fixture.mapper.messages(for: fixture.state).map(\.topic)
                == ["state", "media", "info", "app", "queue", "tracks", "group", "availability"].map { "a/b/living-room/\($0)" })
        #expect(
            fixture.mapper.messages(for: fixture.state, documents: [.state, .plain, .listing]).map(\.topic) == ["a/b/living-room/state"])
        #expect(fixture.mapper.messages(for: fixture.state, documents: .listing) == [])
    }

    @Test("an application that the device cannot run is no more among those that can be started")
    func applications() throws {
        var fixture = Scenario.music.fixture
        #expect(fixture.after(.applicationsReported(unavailable: ["233637DE"])) == [.changed([.info, .app])])
        let info = try #require(fixture.mapper.messages(for: fixture.state, documents: .info).first { $0.topic.hasSuffix("/info") })
        #expect(try JSONParser.parse(info.payload)["applications"] == ["Default Media Receiver"])
    }

    @Test("changes are reported narrowly: a media status leaves facts and application unchanged")
    func narrow() {
        var fixture = Scenario.music.fixture
        var status = fixture.state.media.reported ?? fixture.status(.paused)
        status.playerState = .paused
        let paused = fixture.after(5, .mediaStatus(status))
        #expect(paused.contains(.changed([.state, .media, .playerValues])))
        #expect(fixture.after(.application(ApplicationSession(.watched, id: "4f0c", connection: .strong))) == [.changed(.app)])
        var receiver = StateFixture.receiver()
        receiver.volume?.level = 0.5
        #expect(fixture.after(.receiverStatus(receiver)) == [.changed([.state, .receiverValues])])
    }

    @Test("the next item of a queue costs at most 4 documents, a track from load to finished at most 12")
    func documentsPerItem() {
        var fixture = StateFixture()
        fixture.mapper = TopicMapper(
            tree: TopicTree(base: "b"), options: .init(instance: "home", status: StatusOptions { $0.split = .none }))
        var broker: [String: [UInt8]] = [:]
        var sent = 0
        var pace = DocumentPace()
        func publish(_ documents: DeviceDocuments) {
            for message in fixture.mapper.messages(for: fixture.state, documents: documents)
            where broker.updateValue(message.payload, forKey: message.topic) != message.payload {
                sent += 1
            }
        }
        func run(_ steps: [(Double, DeviceEvent)]) -> Int {
            sent = 0
            for (seconds, event) in steps {
                if let deadline = pace.nextDeadline, deadline <= StateFixture.monotonic(fixture.seconds + seconds) {
                    publish(pace.release(at: deadline))
                }
                fixture.after(seconds, event)
                for case .changed(let documents) in fixture.takeOutputs() {
                    publish(pace.changed(documents, isSettling: fixture.state.player.isSettling, at: fixture.now.monotonic))
                }
            }
            return sent
        }
        fixture.connect(media: fixture.status(.playing, time: 0, change: StateFixture.queue(3, current: 1)))
        publish(.all)
        let next = run([
            (241, .mediaStatus(fixture.idle(.finished, loading: 2))),
            (0.2, .mediaStatus(fixture.status(.buffering, time: 0, change: StateFixture.queue(3, current: 2)))),
            (0.8, .mediaStatus(fixture.status(.playing, time: 0, change: StateFixture.queue(3, current: 2)))),
        ])
        #expect(next == 4)
        fixture.after(.mediaStatus(fixture.idle(.cancelled)))
        publish(.all)
        let documentCount = run([
            (1, .loadRequested), (0.1, .mediaStatus(fixture.status(.buffering, session: 8, time: 0))), (0.1, .loadEnded(failure: nil)),
            (1, .mediaStatus(fixture.status(.playing, session: 8, time: 0))), (241.5, .mediaStatus(fixture.idle(.finished, session: 8))),
            (2, .timer),
        ])
        #expect(documentCount == 6)
    }
}

@Suite("Documents of hostile devices")
struct HostileDeviceTests {
    static let hostileNames = [
        "+/#", "a/b", "\u{0}\u{1}", "\"}\\", "$SYS", "客厅 📺", "\u{202E}moor", String(repeating: "é", count: 5000), "\n\r\t",
    ]

    @Test("names stay in values", arguments: hostileNames)
    func namesAreValues(_ name: String) throws {
        var device = StateFixture.livingRoom
        device.friendlyName = name
        device.modelName = name
        var fixture = StateFixture(device)
        var application = StateFixture.defaultMediaReceiver
        application.name = name
        application.statusText = name
        application.namespaces.append(name)
        fixture.connect(
            StateFixture.receiver(application),
            media: fixture.status(.playing) {
                $0.media?.contentID = name
                $0.media?.metadata?.fields = ["title": .string(name)]
                $0.media?.metadata?.fields.append(name, .string(name))
            })
        for message in fixture.mapper.messages(for: fixture.state) {
            #expect(message.topic.hasPrefix("cast2mqtt/living-room/"))
            #expect(message.topic.utf8.allSatisfy { (0x21..<0x7F).contains($0) && $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "#") })
            #expect(message.payload.count < 65_536)
            if case .document = message.content { _ = try JSONParser.parse(String(decoding: message.payload, as: UTF8.self)) }
        }
        let info = try JSONParser.parse(fixture.payload("info"))
        #expect(info["name"] == .string(name.limited))
    }

    @Test("the artist of the album, the track and the disc are shown with the media")
    func album() throws {
        var fixture = StateFixture()
        fixture.connect(
            media: fixture.status(.playing) {
                $0.media?.metadata?.fields = ["title": "Song", "albumArtist": "Various", "trackNumber": 3, "discNumber": "2"]
            })
        for media in [try JSONParser.parse(fixture.payload("state"))["media"], try JSONParser.parse(fixture.payload("media"))] {
            #expect(media?["album_artist"] == "Various" && media?["track"] == 3 && media?["disc"] == 2)
            #expect(media?["artist"] == "Various" && media?["album"] == .null)
        }
    }

    static let long = String(repeating: "x", count: 60_000)

    /// Parts of a status that can be large, each alone and all together.
    static let bulks: [@Sendable (inout MediaStatus) -> Void] = [
        {
            for key in ["title", "artist", "albumName", "albumArtist", "subtitle", "seriesTitle"] {
                $0.media?.metadata?.fields[key] = .string(long)
            }
        },
        { for number in 0..<1000 { $0.media?.metadata?.fields.append("k\(number)", .string(long)) } },
        { for number in 0..<1000 { $0.media?.metadata?.fields.append("k\(number)", .array([.string(String(long.prefix(3000)))])) } },
        { for _ in 0..<1000 { $0.media?.metadata?.fields.append(long, .bool(true)) } },
        { $0.media?.metadata?.images = Array(repeating: MediaImage(url: long), count: 1000) },
        { $0.media?.adBreaks = Array(repeating: AdBreak(id: "b", clipIDs: Array(repeating: long, count: 1000)), count: 1000) },
        { $0.media?.adBreakClips = Array(repeating: AdBreakClip(id: long), count: 1000) },
        { $0.customData = .string(long) },
        { status in
            var track = MediaTrack(trackID: 1, type: .text)
            track.name = long
            status.activeTrackIDs = [1]
            status.media?.tracks = [track]
            status.media?.contentID = long
            status.media?.contentType = long
        },
        { status in for bulk in bulks.dropLast() { bulk(&status) } },
    ]

    @Test("a document stays below 64 kB whatever a status carries, and stays JSON", arguments: bulks.indices)
    func bounded(_ index: Int) throws {
        var fixture = StateFixture()
        var application = StateFixture.defaultMediaReceiver
        application.name = Self.long
        application.statusText = Self.long
        application.iconURL = "https://" + Self.long
        application.namespaces = Array(repeating: Self.long, count: 1000)
        fixture.mapper = TopicMapper(
            tree: fixture.mapper.tree, options: .init(instance: "home", status: StatusOptions { $0.includesCustomData = true }))
        fixture.connect(StateFixture.receiver(application), media: fixture.status(.playing, change: Self.bulks[index]))
        for message in fixture.mapper.messages(for: fixture.state) {
            #expect(message.payload.count <= 65_536, "\(message.topic)")
            if case .document = message.content { _ = try JSONParser.parse(String(decoding: message.payload, as: UTF8.self)) }
        }
        let artwork = fixture.payload("status/artwork")
        #expect(artwork == "" || artwork == "http://192.168.1.5/harbour.jpg", "an address that was cut is none")
    }

    @Test("numbers out of any range are bounded or unknown")
    func numbers() throws {
        for value in [Double.infinity, -.infinity, .nan, 1e300, -1e300, -1] {
            var fixture = StateFixture()
            fixture.connect(
                StateFixture.receiver(volume: DeviceVolume(level: value, stepInterval: value)),
                media: fixture.status(.playing, time: value) {
                    $0.playbackRate = value
                    $0.media?.duration = value
                    $0.streamVolume = DeviceVolume(level: value)
                    $0.liveSeekableRange = LiveSeekableRange(start: value, end: value, isMovingWindow: true)
                    $0.supportedMediaCommands = MediaCommands(rawValue: .max)
                    $0.adBreakStatus = nil
                })
            fixture.wait(100)
            fixture.after(.mediaStatus(fixture.status(.playing, time: value)))
            for document in ["state", "media"] { _ = try JSONParser.parse(fixture.payload(document)) }
            _ = fixture.mapper.ticks(for: fixture.state, at: fixture.now.monotonic)
            let percent = try JSONParser.parse(fixture.payload("state"))["volume"]?["percent"]
            #expect([.null, 0, 100].contains(percent))
        }
    }

    @Test("what applications attach is published only when asked for, and only when small")
    func customData() {
        var fixture = Scenario.television.fixture
        #expect(fixture.payload("media").hasSuffix(#""custom_data":null}"#))
        fixture.mapper = TopicMapper(
            tree: fixture.mapper.tree, options: .init(instance: "home", status: StatusOptions { $0.includesCustomData = true }))
        #expect(fixture.payload("media").hasSuffix(#""custom_data":{"secret":1}}"#))
        fixture.after(.mediaStatus(fixture.status(.playing) { $0.customData = .string(String(repeating: "x", count: 9000)) }))
        #expect(fixture.payload("media").hasSuffix(#""custom_data":null}"#))
        // Of a clip only little, because a document lists many.
        for (length, isShown) in [(1000, true), (1030, false)] {
            fixture.after(
                .mediaStatus(
                    fixture.status(.playing) {
                        var clip = AdBreakClip(id: "a")
                        clip.customData = .string(String(repeating: "y", count: length))
                        $0.media?.adBreakClips = [clip]
                    }))
            #expect(fixture.payload("media").contains(#""custom_data":"yyy"#) == isShown)
        }
    }

    @Test(
        "a picture that is no web address is no artwork; the icon steps in",
        arguments: ["data:image/png;base64,AAAA", "/cover.jpg", "ftp://a/b"])
    func artwork(_ url: String) {
        var fixture = StateFixture()
        var application = StateFixture.defaultMediaReceiver
        application.iconURL = "HTTPS://icons.example/dmr.png"
        fixture.connect(
            StateFixture.receiver(application), media: fixture.status(.playing) { $0.media?.metadata?.images = [MediaImage(url: url)] })
        #expect(fixture.payload("status/artwork") == "HTTPS://icons.example/dmr.png")
    }
}

@Suite("Metadata keys")
struct MetadataKeyTests {
    @Test(
        "wire keys are written in the style of documents",
        arguments: [
            ("seriesTitle", "series_title"), ("originalAirdate", "original_air_date"), ("posterUrl", "poster_url"),
            ("contentURL", "content_url"),
            ("section_start", "section_start"), ("Über", "Über"), ("X", "x"), ("", ""), ("my_Key", "my_key"),
        ])
    func names(_ key: String, _ name: String) { #expect(MetadataKey.name(of: key) == name) }

    @Test("a text is cut between characters")
    func limited() {
        let text = String(repeating: "é", count: 3000)
        #expect(text.limited.utf8.count <= DocumentLimits.text)
        #expect(text.limited.hasSuffix("é…"))
        #expect("short".limited == "short")
    }
}

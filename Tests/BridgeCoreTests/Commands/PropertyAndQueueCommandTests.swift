import BridgeCore
import CastModels
import Testing

private func set(_ changes: PropertyChange...) -> DeviceCommand { .set(changes) }

private func item(_ url: String, _ type: String = "audio/mpeg") -> MediaQueueItem {
    MediaQueueItem(media: MediaInformation(contentID: url, contentType: type, streamType: .buffered))
}

@Suite("A property of media")
struct PropertyCommandTests {
    @Test(
        "is read from a plain value",
        arguments: [
            ("set/position_percent", "50", set(.position(PositionChange(base: .percent(50))))),
            ("set/position_percent", "12.5%", set(.position(PositionChange(base: .percent(12.5))))),
            ("set/repeat", "off", set(.repeatMode(.off))), ("set/repeat", "One", set(.repeatMode(.single))),
            ("set/repeat", "all", set(.repeatMode(.all))), ("set/repeat", "all_shuffle", set(.repeatMode(.allAndShuffle))),
            ("set/repeat", "single", set(.repeatMode(.single))), ("set/repeat", "REPEAT_ALL", set(.repeatMode(.all))),
            ("set/repeat", "repeat_single", set(.repeatMode(.single))), ("set/repeat", "Repeat_Off", set(.repeatMode(.off))),
            ("set/repeat", "REPEAT_ALL_AND_SHUFFLE", set(.repeatMode(.allAndShuffle))),
            ("set/shuffle", "ON", set(.shuffled(true))), ("set/shuffle", "0", set(.shuffled(false))),
            ("set/rate", "1.5", set(.rate(1.5))), ("set/rate", "0.5", set(.rate(0.5))), ("set/rate", "2", set(.rate(2))),
            ("set/text_track", "Off", set(.textTrack(.off))), ("set/text_track", "3", set(.textTrack(.id(3)))),
            ("set/text_track", "en-US", set(.textTrack(.named("en-US")))),
            ("set/text_track", "English (CC)", set(.textTrack(.named("English (CC)")))),
            ("set/audio_track", "2", set(.audioTrack(.id(2)))), ("set/audio_track", "de", set(.audioTrack(.named("de")))),
            ("set/stream_volume", "0.5", set(.streamVolume(0.5))), ("set/stream_volume", "1", set(.streamVolume(1))),
            ("set/stream_muted", "ON", set(.streamMuted(.to(true)))),
            ("set/stream_muted", "toggle", set(.streamMuted(.toggle))),
            ("set/video_track", "5", set(.videoTrack(.id(5)))), ("set/video_track", "Main", set(.videoTrack(.named("Main")))),
            ("set/active_tracks", "1, 3", set(.activeTracks([1, 3]))), ("set/active_tracks", "2", set(.activeTracks([2]))),
            ("set/active_tracks", "[3,1]", set(.activeTracks([3, 1]))), ("set/active_tracks", "Off", set(.activeTracks([]))),
            ("set/active_tracks", "[]", set(.activeTracks([]))), ("set", #"{"active_tracks":7}"#, set(.activeTracks([7]))),
            ("set", #"{"active_tracks":[1,2],"rate":1}"#, set(.rate(1), .activeTracks([1, 2]))),
            ("set/group_device_volume", "+5", set(.groupDeviceVolume(RequestedVolume(points: 5)))),
            ("set/app", "YouTube", set(.application(.launch(applicationID: "233637DE")))),
            ("set/app", "None", set(.application(.quit))), ("set/app", "OFF", set(.application(.quit))),
        ])
    func plain(tail: String, payload: String, command: DeviceCommand) { #expect(device(tail, payload).device == command) }

    @Test("of text is an object, in our words or those of the wire")
    func style() {
        var style = TextTrackStyle()
        style.foregroundColor = .white
        style.backgroundColor = TextTrackStyle.Color(red: 0, green: 0, blue: 0, alpha: 128)
        style.edgeType = .dropShadow
        style.fontScale = 1.2
        style.fontGenericFamily = .serif
        style.windowType = .roundedCorners
        style.windowRoundedCornerRadius = 8
        style.fontStyle = .boldItalic
        let ours =
            ##"{"foreground_color":"#FFFFFF","background_color":"#00000080","edge_type":"drop_shadow","font_scale":1.2,"##
            + #""font_generic_family":"serif","window_type":"rounded_corners","window_rounded_corner_radius":8,"font_style":"bold_italic"}"#
        let wire =
            ##"{"foregroundColor":"#FFFFFFFF","backgroundColor":"#00000080","edgeType":"DROP_SHADOW","fontScale":1.2,"##
            + #""fontGenericFamily":"SERIF","windowType":"ROUNDED_CORNERS","windowRoundedCornerRadius":8,"fontStyle":"BOLD_ITALIC"}"#
        for text in [ours, wire] {
            #expect(device("set/text_style", text).device == set(.textStyle(style)))
            #expect(device("set", #"{"text_style":\#(text)}"#).device == set(.textStyle(style)))
        }
        let envelope = device("set/text_style", #"{"font_scale":2,"id":"s","timeout":5}"#).envelope
        #expect(envelope?.id == .text("s"))
        #expect(envelope?.timeout == .seconds(5))
    }

    @Test("comes with others in one object")
    func several() {
        let outcome = device(
            "set", #"{"volume":30,"muted":false,"repeat":"all","shuffle":true,"rate":1,"text_track":false,"audio_track":4,"app":"none"}"#)
        #expect(
            outcome.device
                == .set([
                    .volume(.absolute(0.3)), .muted(.to(false)), .application(.quit), .repeatMode(.all), .shuffled(true), .rate(1),
                    .audioTrack(.id(4)), .textTrack(.off),
                ]))
    }

    @Test("is found among the media's tracks by id, name, then language")
    func tracks() {
        let tracks = [
            MediaTrack(trackID: 1, type: .text, name: "English", language: "en"),
            MediaTrack(trackID: 2, type: .text, name: "Deutsch", language: "de-AT"),
            MediaTrack(trackID: 3, type: .audio, name: "English", language: "en"),
            MediaTrack(trackID: 4, type: .text, name: "7", language: "fr"),
        ]
        func id(_ choice: TrackChoice, _ type: MediaTrack.Kind = .text) -> Int? { choice.track(in: tracks, type: type)?.trackID }
        #expect(id(.id(2)) == 2)
        #expect(id(.id(3)) == nil)
        #expect(id(.id(7)) == 4)
        #expect(id(.named("english")) == 1)
        #expect(id(.named("English"), .audio) == 3)
        #expect(id(.named("de")) == 2)
        #expect(id(.named("klingon")) == nil)
        #expect(id(.off) == nil)
    }

    @Test(
        "that is a volume may be a level where the user configures it",
        arguments: [("0.34", 0.34), ("34", 0.34), ("1.0", 1), ("1", 0.01), ("0.5%", 0.005)])
    func unit(payload: String, level: Double) {
        var options = CommandOptions()
        options.volumeScale = .unit
        let parser = CommandParser(topics: topics, options: options)
        for (tail, text) in [
            ("set/volume", payload), ("set", payload.hasSuffix("%") ? #"{"volume":"\#(payload)"}"# : #"{"volume":\#(payload)}"#),
        ] {
            let outcome = parser.parse(IncomingMessage(topic: "cast2mqtt/tv/\(tail)", payload: Array(text.utf8)), now: parserNow)
            #expect(outcome.device == .set([.volume(.absolute(level))]), "\(text)")
        }
    }

    @Test("that is an application may have a name of the user's own")
    func names() throws {
        var options = CommandOptions()
        options.applications = [
            try #require(NamedApplication(name: "My Radio", id: "5a1d0001")),
            try #require(NamedApplication(name: "YouTube", id: "AAAAAAAA")),
        ]
        let parser = CommandParser(topics: topics, options: options)
        func parsed(_ tail: String, _ payload: String) -> DeviceCommand? {
            parser.parse(IncomingMessage(topic: "cast2mqtt/tv/\(tail)", payload: Array(payload.utf8)), now: parserNow).device
        }
        #expect(parsed("cmd/launch", "my radio") == .launch(applicationID: "5A1D0001"))
        #expect(parsed("set/app", "My-Radio") == set(.application(.launch(applicationID: "5A1D0001"))))
        #expect(parsed("cmd/launch", "youtube") == .launch(applicationID: "AAAAAAAA"), "the user's name wins")
        #expect(parsed("cmd/launch", "spotify") == .launch(applicationID: "CC32E753"))
        #expect(NamedApplication(name: "x", id: "frobnicator") == nil)
    }

    @Test(
        "that names no application or language uses those of the configuration, and its own where it gives them",
        arguments: [
            ("launch", "", "5A1D0001", "de-DE"), ("launch", "{}", "5A1D0001", "de-DE"), ("launch", "PRESS", "5A1D0001", "de-DE"),
            ("launch", "YouTube", "233637DE", "de-DE"), ("launch", #"{"language":"fr-FR"}"#, "5A1D0001", "fr-FR"),
            ("load", "http://h/a.mp3", "5A1D0001", "de-DE"), ("load", #"["http://h/a.mp3","audio/mpeg"]"#, "5A1D0001", "de-DE"),
            ("load", #"{"url":"some-id"}"#, "5A1D0001", "de-DE"), ("load", #"["http://h/a.mp3","http://h/b.mp3"]"#, "5A1D0001", "de-DE"),
            ("load", #"{"url":"http://h/a.mp3","enqueue":"add"}"#, "5A1D0001", "de-DE"),
            ("load", #"{"url":"http://h/a.mp3","app":"youtube","launch":{"language":"fr-FR"}}"#, "233637DE", "fr-FR"),
            ("load", #"{"url":"http://h/a.mp3","launch":{"relaunch":false}}"#, "5A1D0001", "de-DE"),
            ("queue_load", "http://h/a.mp3", "5A1D0001", "de-DE"), ("queue_load", #"["http://h/a.mp3"]"#, "5A1D0001", "de-DE"),
            ("queue_load", #"{"items":["http://h/a.mp3"]}"#, "5A1D0001", "de-DE"),
            ("queue_load", #"{"items":["http://h/a.mp3"],"app":"CC1AD845","launch":{"language":"fr-FR"}}"#, "CC1AD845", "fr-FR"),
        ] as [(String, String, String, String)])
    func configuredApplication(verb: String, payload: String, id: String, language: String) throws {
        var options = CommandOptions()
        options.applications = [try #require(NamedApplication(name: "My Radio", id: "5a1d0001"))]
        (options.defaultApplication, options.language) = ("my radio", "de-DE")
        let parser = CommandParser(topics: topics, options: options)
        let message = IncomingMessage(topic: "cast2mqtt/tv/cmd/\(verb)", payload: Array(payload.utf8))
        let command = try #require(parser.parse(message, now: parserNow).device)
        let launch: (id: String?, options: LaunchOptions)? =
            switch command {
            case .launch(let id, let options): (id, options)
            case .load(let load): (load.applicationID, load.launchOptions)
            case .queue(.load(let load)): (load.applicationID, load.launchOptions)
            case .queue(.insert(let insertion)): (insertion.loadsInto, insertion.launchOptions)
            default: nil
            }
        #expect(launch?.id == id && launch?.options == LaunchOptions(languageCode: language))
    }
}

@Suite("A command about the queue")
struct QueueCommandTests {
    @Test(
        "is read from its shortest and its longest form",
        arguments: [
            ("queue_insert", "http://h/a.mp3", .insert(QueueInsertion(items: [item("http://h/a.mp3")]))),
            (
                "queue_insert", #"["http://h/a.mp3",{"url":"http://h/b.mp3"}]"#,
                .insert(QueueInsertion(items: [item("http://h/a.mp3"), item("http://h/b.mp3")]))
            ),
            (
                "queue_insert", #"{"url":"http://h/a.mp3","at":"next"}"#,
                .insert(QueueInsertion(items: [item("http://h/a.mp3")], place: .next))
            ),
            (
                "queue_insert", #"{"items":["http://h/a.mp3","http://h/b.mp3"],"before":43,"play":1,"position":10}"#,
                .insert(
                    QueueInsertion(
                        items: [item("http://h/a.mp3"), item("http://h/b.mp3")], place: .before(itemID: 43), playing: 1, position: 10))
            ),
            (
                "queue_insert", #"{"url":"http://h/a.mp3","play":true}"#,
                .insert(QueueInsertion(items: [item("http://h/a.mp3")], playing: 0))
            ),
            ("queue_remove", "43", .remove(itemIDs: [43])), ("queue_remove", "[43,44]", .remove(itemIDs: [43, 44])),
            ("queue_remove", #"{"item":43}"#, .remove(itemIDs: [43])), ("queue_remove", #"{"items":[43,44]}"#, .remove(itemIDs: [43, 44])),
            ("queue_jump", "43", .jump(itemID: 43, position: nil)), ("queue_jump", "+1", .jumpBy(1)), ("queue_jump", "-2", .jumpBy(-2)),
            ("queue_jump", #"{"item":43,"position":"1:00"}"#, .jump(itemID: 43, position: 60)), ("queue_jump", #"{"by":-1}"#, .jumpBy(-1)),
            ("queue_move", #"{"item":43,"to":0}"#, .move(itemIDs: [43], to: .index(0))),
            ("queue_move", #"{"items":[43,44],"before":45}"#, .move(itemIDs: [43, 44], to: .before(itemID: 45))),
            ("queue_move", #"{"item":43,"at":"end"}"#, .move(itemIDs: [43], to: .end)), ("queue_clear", "", .clear(keepsCurrent: false)),
            ("queue_clear", "PRESS", .clear(keepsCurrent: false)), ("queue_clear", #"{"keep_current":true}"#, .clear(keepsCurrent: true)),
        ] as [(String, String, QueueCommand)])
    func forms(verb: String, payload: String, command: QueueCommand) {
        #expect(device("cmd/\(verb)", payload).device == .queue(command))
        let isJSON = payload.hasPrefix("{") || payload.hasPrefix("[")
        #expect(device("cmd", #"{"cmd":"\#(verb)","args":\#(isJSON ? payload : "\"\(payload)\"")}"#).device == .queue(command))
    }

    @Test("that loads has items, a start, a mode and an application")
    func load() {
        var load = QueueLoad(
            items: [item("http://h/a.mp3"), item("http://h/b.mp4", "video/mp4")], startIndex: 1, applicationID: "5A1D0001")
        load.position = 30
        load.repeatMode = .all
        load.isShuffled = true
        let text = #"{"items":["http://h/a.mp3","http://h/b.mp4"],"start":1,"position":30,"repeat":"all","shuffle":true,"app":"5A1D0001"}"#
        #expect(device("cmd/queue_load", text).device == .queue(.load(load)))
        #expect(device("cmd/queue_load", #"["http://h/a.mp3"]"#).device == .queue(.load(QueueLoad(items: [item("http://h/a.mp3")]))))
        #expect(
            device("cmd/load", #"["http://h/a.mp3","http://h/b.mp3"]"#).device
                == .queue(.load(QueueLoad(items: [item("http://h/a.mp3"), item("http://h/b.mp3")]))))
        #expect(device("cmd/load", #"[{"url":"http://h/a.mp3"}]"#).device == .queue(.load(QueueLoad(items: [item("http://h/a.mp3")]))))
    }

    @Test("that loads may be four times as large as others, in both forms")
    func large() {
        let elements = (0..<1500).map { "\"http://h/\(String(repeating: "x", count: 100))-\($0).mp3\"" }.joined(separator: ",")
        #expect(elements.utf8.count > 150_000)
        for (tail, text) in [("cmd/queue_load", "[\(elements)]"), ("cmd", #"{"cmd":"queue_load","id":7,"args":[\#(elements)]}"#)] {
            guard case .queue(.load(let load))? = device(tail, text).device else {
                Issue.record("\(device(tail, text).code?.rawValue ?? "?") on \(tail)")
                continue
            }
            #expect(load.items.count == 1500)
        }
        #expect(device("cmd/load", "[\(elements)]").code == .tooLarge)
        #expect(device("cmd/queue_insert", "[\(elements)]").code == .tooLarge)
    }

    @Test(
        "that asks for a page is distinguished from one that asks for the document, in both forms",
        arguments: [
            ("{}", nil), (#"{"all":false,"ids":false,"from":null}"#, nil), (#"{"all":true}"#, QueueListing.Page.all),
            (#"{"from":0}"#, QueueListing.Page(from: 0, count: 100)), (#"{"count":7}"#, QueueListing.Page(from: 0, count: 7)),
            (#"{"all":true,"from":5000}"#, QueueListing.Page(from: 5000)),
            (#"{"ids":true,"count":0}"#, QueueListing.Page(count: 0, hasIDs: true)),
            (#"{"from":100000,"count":5000,"ids":true}"#, QueueListing.Page(from: 100_000, count: 5000, hasIDs: true)),
        ] as [(String, QueueListing.Page?)])
    func pages(payload: String, page: QueueListing.Page?) {
        let expected: DeviceCommand = page.map { .getQueue($0) } ?? .get(.queue)
        #expect(device("get/queue", payload).device == expected)
        let members = payload.dropFirst().dropLast()
        #expect(device("get/queue", #"{"id":"q"\#(members.isEmpty ? "" : ",")\#(members)}"#).envelope?.id == .text("q"))
        #expect(device("cmd", #"{"cmd":"get","args":{"doc":"queue"\#(members.isEmpty ? "" : ",")\#(members)}}"#).device == expected)
    }

    @Test("has pages only of the queue")
    func pagesOfOthers() {
        #expect(device("get/queue", "").device == .get(.queue))
        for member in [#""all":true"#, #""from":0"#, #""count":1"#, #""ids":true"#] {
            #expect(device("cmd", #"{"cmd":"get","args":{"doc":"tracks",\#(member)}}"#).code == .badPayload)
            #expect(device("get/tracks", "{\(member)}").code == .badPayload)
        }
    }

    @Test("is in the answer with the members of its document, as far as the page reaches")
    func listing() {
        var status = MediaStatus(mediaSessionID: 1, playerState: .playing, receivedAt: MonotonicTime(nanoseconds: 0))
        status.currentItemID = 8
        status.repeatMode = .all
        status.loadingItemID = 7
        var second = item("http://h/b.mp3")
        second.itemID = 8
        second.media?.duration = 12.5
        (second.autoplay, second.startTime, second.preloadTime, second.activeTrackIDs) = (false, 2.5, 20.5, [2])
        status.preloadedItemID = 9
        var first = item("http://h/a.mp3")
        first.itemID = 7
        let data = QueueListing.data([first, second], of: .all, ids: [7, 8, 9], status: status)
        #expect(
            Set(data.keys) == [
                "repeat", "shuffle", "current_item", "loading_item", "preloaded_item", "index", "length", "complete", "from", "items",
            ])
        #expect(data["index"] == 1)
        #expect(data["complete"] == false)
        #expect(data["repeat"] == "all")
        #expect(
            data["items"]?.arrayValue?.last == [
                "item": 8, "title": nil, "artist": nil, "duration": 12.5, "content_id": "http://h/b.mp3", "image": nil,
                "autoplay": false, "start_time": 2.5, "preload_time": 20.5, "active_tracks": [2],
            ])
        #expect(data["preloaded_item"] == 9)
        #expect(data["loading_item"] == 7)
        #expect(data["from"] == 0)
        // The index is that in the queue, wherever the page begins.
        let page = QueueListing.Page(from: 2, count: 5, hasIDs: true)
        #expect(page.ids(of: [7, 8, 9]) == [9] && QueueListing.Page(from: 3).ids(of: [7, 8, 9]) == [])
        let other = QueueListing.data([], of: page, ids: [7, 8, 9], status: status)
        #expect(other["index"] == 1 && other["length"] == 3 && other["from"] == 2 && other["ids"] == [7, 8, 9] && other["items"] == [])
    }

    @Test("that updates items has the id in each")
    func update() {
        var wanted = item("http://h/a.mp3")
        wanted.itemID = 43
        for text in [
            #"{"item":43,"url":"http://h/a.mp3"}"#, #"[{"item":43,"url":"http://h/a.mp3"}]"#,
            #"{"items":[{"item":43,"url":"http://h/a.mp3"}]}"#,
        ] {
            #expect(device("cmd/queue_update", text).device == .queue(.update([wanted])))
        }
    }

    private static func change(_ body: (inout MediaQueueItem) -> Void) -> MediaQueueItem {
        var item = MediaQueueItem(itemID: 43)
        body(&item)
        return item
    }

    @Test(
        "that updates an item may change one property without its URL",
        arguments: [
            (#""autoplay":false"#, Self.change { $0.autoplay = false }), (#""position":"1:00""#, Self.change { $0.startTime = 60 }),
            (#""start_time":5"#, Self.change { $0.startTime = 5 }), (#""preload_time":20"#, Self.change { $0.preloadTime = 20 }),
            (#""active_tracks":[]"#, Self.change { $0.activeTrackIDs = [] }),
            (#""active_tracks":[2,1]"#, Self.change { $0.activeTrackIDs = [2, 1] }),
            (#""custom_data":{"a":1}"#, Self.change { $0.customData = ["a": 1] }),
        ])
    func property(member: String, wanted: MediaQueueItem) {
        #expect(device("cmd/queue_update", #"{"item":43,\#(member)}"#).device == .queue(.update([wanted])))
    }
}

@Suite("What Home Assistant plays")
struct PlayMediaTests {
    @Test(
        "is loaded as it comes",
        arguments: [
            (#"{"media_content_id":"http://h/a.mp3","media_content_type":"music"}"#, "audio/mpeg"),
            (#"{"media_content_id":"http://h/a.flac","media_content_type":"music"}"#, "audio/flac"),
            (#"{"media_content_id":"http://h/stream","media_content_type":"music","announce":false,"enqueue":"replace"}"#, "audio/mpeg"),
            (#"{"media_content_id":"http://h/v","media_content_type":"video"}"#, "video/mp4"),
            (#"{"media_content_id":"http://h/v.m3u8","media_content_type":"playlist"}"#, "application/x-mpegURL"),
            (#"{"media_content_id":"http://h/v.m3u","media_content_type":"playlist"}"#, "application/x-mpegURL"),
            (#"{"media_content_id":"http://h/i","media_content_type":"image/png"}"#, "image/png"),
            (#"{"media_id":"http://h/a","media_type":"music"}"#, "audio/mpeg"),
            (#"{"media_content_id":"http://h/a.mp3","media_content_type":"url","extra":{}}"#, "audio/mpeg"),
            (#"["http://h/a","episode"]"#, "video/mp4"),
        ])
    func load(payload: String, type: String) {
        guard case .load(let load)? = device("cmd/load", payload).device else {
            Issue.record("\(payload): \(device("cmd/load", payload).message ?? "")")
            return
        }
        #expect(load.request.media?.contentType == type)
        #expect(load.applicationID == "CC1AD845")
    }

    @Test("brings titles, pictures and subtitles in its extra")
    func extra() throws {
        let outcome = device(
            "cmd/load",
            #"{"media_content_id":"http://h/v.mp4","media_content_type":"video","extra":{"title":"Film","thumb":"http://h/t.jpg","stream_type":"LIVE","#
                + #""current_time":12,"autoplay":false,"subtitles":"http://h/s.vtt","subtitles_lang":"de","metadata":{"metadataType":1,"title":"Old"}}}"#
        )
        guard case .load(let load)? = outcome.device else { throw Missing(outcome.message) }
        let media = try #require(load.request.media)
        #expect(media.metadata?.title == "Film")
        #expect(media.metadata?.type == .movie)
        #expect(media.metadata?.images.map(\.url) == ["http://h/t.jpg"])
        #expect(media.streamType == .live)
        #expect(load.request.startTime == 12)
        #expect(load.request.autoplay == false)
        #expect(media.tracks.first?.language == "de")
        #expect(load.request.activeTrackIDs == [1])
    }

    @Test(
        "is inserted into the queue when it asks for that",
        arguments: [("add", QueuePlace.end, Int?.none), ("next", .next, nil), ("play", .next, 0)])
    func enqueue(word: String, place: QueuePlace, playing: Int?) {
        var insertion = QueueInsertion(items: [item("http://h/a.mp3")], place: place, playing: playing)
        insertion.loadsInto = "CC1AD845"
        #expect(
            device("cmd/load", #"{"media_content_id":"http://h/a.mp3","media_content_type":"music","enqueue":"\#(word)"}"#).device
                == .queue(.insert(insertion)))
        (insertion.loadsInto, insertion.application) = ("5A1D0001", "5A1D0001")
        #expect(
            device("cmd/load", #"{"url":"http://h/a.mp3","enqueue":"\#(word)","app":"5A1D0001"}"#).device == .queue(.insert(insertion)))
    }
}

private struct Missing: Error, CustomStringConvertible {
    var description: String
    init(_ text: String?) { self.description = text ?? "nothing" }
}

import BridgeCore
import CastModels
import Testing

@Suite("cmd/load")
struct LoadArgumentsTests {
    private func load(_ payload: some StringProtocol) -> LoadCommand? {
        if case .load(let load) = device("cmd/load", String(payload)).device { load } else { nil }
    }

    @Test(
        "guesses the MIME type from the extension",
        arguments: [
            ("http://h/a.mp3", "audio/mpeg"), ("https://h/a.MP4?token=a.mp3", "video/mp4"),
            ("http://h/a/b.c/film.m3u8#t=5", "application/x-mpegURL"),
            ("http://h/manifest.mpd", "application/dash+xml"), ("http://h/x.ism/Manifest", "application/vnd.ms-sstr+xml"),
            ("http://h/a.jpg", "image/jpeg"),
            ("http://h/a.flac", "audio/flac"), ("http://h:8080/musik/k%C3%BCche.ogg", "audio/ogg"), ("HTTP://h/a.webm", "video/webm"),
        ])
    func guesses(url: String, type: String) throws {
        let load = try #require(self.load(url))
        #expect(load.request.media?.contentID == url)
        #expect(load.request.media?.contentType == type)
        #expect(load.request.media?.streamType == .buffered)
        #expect(load.applicationID == "CC1AD845")
        #expect(load.request.autoplay == nil)
    }

    @Test(
        "takes the type from the sender, a word of Home Assistant included",
        arguments: [
            (#"["http://h/live","audio/aac"]"#, "audio/aac"), (#"["http://h/live.mp3"]"#, "audio/mpeg"),
            (#"{"url":"http://h/live","content_type":"music"}"#, "audio/mpeg"),
            (#"{"url":"http://h/a.flac","content_type":"music"}"#, "audio/flac"),
            (#"{"url":"http://h/x","content_type":"video"}"#, "video/mp4"),
            (#"{"url":"http://h/x","content_type":"video/mp4; codecs=\"avc1\""}"#, "video/mp4; codecs=\"avc1\""),
            (#""http://h/a.mp3""#, "audio/mpeg"),
        ])
    func type(payload: String, type: String) { #expect(self.load(payload)?.request.media?.contentType == type) }

    @Test("takes every argument of the object form")
    func object() throws {
        let load = try #require(
            self.load(
                #"""
                {"url":"http://192.168.1.5/film.mp4","content_type":"video/mp4","stream":"buffered","autoplay":true,"position":120,
                 "metadata":{"type":"movie","title":"Example Film","images":["http://192.168.1.5/film.jpg",{"url":"http://h/b.jpg","width":10,"height":20}]},
                 "tracks":[{"id":1,"type":"text","subtype":"subtitles","language":"en","name":"English","url":"http://192.168.1.5/film.vtt","content_type":"text/vtt"}],
                 "active_tracks":[1],"app":"CC1AD845","custom_data":{"a":[1,null]}}
                """#))
        var track = MediaTrack(trackID: 1, type: .text)
        (track.subtype, track.language, track.name) = (.subtitles, "en", "English")
        (track.contentID, track.contentType) = ("http://192.168.1.5/film.vtt", "text/vtt")
        let metadata = MediaMetadata(
            type: .movie,
            images: [MediaImage(url: "http://192.168.1.5/film.jpg"), MediaImage(url: "http://h/b.jpg", width: 10, height: 20)],
            fields: ["title": "Example Film"])
        var request = MediaLoadRequest(
            media: MediaInformation(
                contentID: "http://192.168.1.5/film.mp4", contentType: "video/mp4", streamType: .buffered, metadata: metadata,
                tracks: [track]),
            autoplay: true, startTime: 120)
        request.activeTrackIDs = [1]
        request.customData = ["a": [1, nil]]
        #expect(load == LoadCommand(request: request, applicationID: "CC1AD845"))
    }

    @Test("maps our metadata words and the wire's to the wire's")
    func metadata() {
        let ours = self.load(
            #"{"url":"http://h/a.mp4","metadata":{"type":"tv_show","series":"S","season":2,"episode":5,"original_air_date":"2024-03-01"}}"#)
        let wire = self.load(
            #"{"url":"http://h/a.mp4","metadata":{"type":2,"seriesTitle":"S","season":2,"episode":5,"originalAirdate":"2024-03-01"}}"#)
        #expect(ours == wire)
        #expect(ours?.request.media?.metadata?.type == .tvShow)
        #expect(ours?.request.media?.metadata?.fields == ["seriesTitle": "S", "season": 2, "episode": 5, "originalAirdate": "2024-03-01"])
        #expect(
            self.load(#"{"url":"http://h/a.mp3","metadata":{"album":"A","track_number":3}}"#)?.request.media?.metadata?.fields == [
                "albumName": "A", "trackNumber": 3,
            ])
    }

    @Test(
        "takes title, subtitle, artist and image beside the URL as short forms of metadata",
        arguments: [
            (#""title":"T","subtitle":"S""#, MediaMetadata(type: .generic, fields: ["title": "T", "subtitle": "S"])),
            // Receivers show the artist of music only.
            (#""title":"T","artist":"A""#, MediaMetadata(type: .musicTrack, fields: ["title": "T", "artist": "A"])),
            (#""image":"http://h/i.jpg""#, MediaMetadata(type: .generic, images: [MediaImage(url: "http://h/i.jpg")])),
            (
                #""title":"T","image":"http://h/i.jpg","metadata":{"type":"movie","studio":"X"}"#,
                MediaMetadata(type: .movie, images: [MediaImage(url: "http://h/i.jpg")], fields: ["studio": "X", "title": "T"])
            ),
        ])
    func shortForms(members: String, metadata: MediaMetadata) {
        let object = #"{"url":"http://h/a.mp3",\#(members)}"#
        #expect(self.load(object)?.request.media?.metadata == metadata)
        for (tail, payload) in [
            ("queue_load", #"{"items":[\#(object)]}"#), ("queue_load", "[\(object)]"), ("queue_insert", object),
            ("load", "[\(object),\(object)]"),
        ] {
            switch device("cmd/\(tail)", payload).device {
            case .queue(.load(let load)): #expect(load.items.first?.media?.metadata == metadata, "\(tail)")
            case .queue(.insert(let insertion)): #expect(insertion.items.first?.media?.metadata == metadata, "\(tail)")
            default: Issue.record("refused: \(tail) \(payload)")
            }
        }
    }

    @Test("takes an id with its address, an entity, segment formats, own metadata and launch options, in queues too")
    func rest() throws {
        let object =
            #"{"content_id":"s2e5","content_url":"http://h/a.m3u8","entity":"https://example.org/s2e5","hls_segment_format":"ts_aac","#
            + #""hls_video_segment_format":"MPEG2_TS","metadata":{"title":"T","custom":{"myKey":{"a":[1]},"other":"x"}}}"#
        var media = MediaInformation(
            contentID: "s2e5", contentURL: "http://h/a.m3u8", contentType: "application/x-mpegURL", streamType: .buffered)
        (media.entity, media.hlsSegmentFormat, media.hlsVideoSegmentFormat) = ("https://example.org/s2e5", .tsAAC, .mpeg2TS)
        media.metadata = MediaMetadata(fields: ["title": "T", "myKey": ["a": [1]], "other": "x"])
        #expect(self.load(object)?.request.media == media)
        let options = LaunchOptions(
            languageCode: "de-DE", relaunchIfRunning: true, credentials: "c", credentialsType: "web", appParams: ["a": 1])
        let launch = #""launch":{"language":"de-DE","relaunch":true,"credentials":"c","credentials_type":"web","params":{"a":1}}"#
        #expect(self.load(object.dropLast() + "," + launch + "}")?.launchOptions == options)
        #expect(self.load("http://h/a.mp3")?.launchOptions == LaunchOptions())
        guard case .queue(.load(let queue))? = device("cmd/queue_load", #"{"items":[\#(object)],\#(launch)}"#).device else {
            Issue.record("refused")
            return
        }
        #expect(queue.items.first?.media == media)
        #expect(queue.launchOptions == options)
    }

    @Test("takes a file, which is found before it is loaded, in queues too")
    func file() throws {
        let load = try #require(self.load(#"{"file":"films/night ferry.mp4","title":"x","position":5}"#))
        let path = try #require(MediaPath("films/night ferry.mp4"))
        #expect(MediaReference(load.request.media) == .file(path) && load.request.media?.contentType == nil)
        #expect(MediaReference(MediaInformation(contentID: "http://h/films/a.mp4", contentType: "video/mp4")) == nil)
    }

    @Test("one file takes its place; a folder becomes a queue, and the start stays at the same item")
    func resolved() async throws {
        let folder = MediaInformation(contentID: "cast2mqtt-file:films"),
            plain = MediaInformation(contentID: "http://h/a.mp3", contentType: "audio/mpeg")
        let found = ["1", "2", "3"].map { MediaInformation(contentID: "http://h/\($0)") }
        func resolve(_ command: DeviceCommand, _ count: Int) async throws -> DeviceCommand {
            try await command.resolved { media in MediaReference(media).map { _ in Array(found.prefix(count)) } }
        }
        let load = LoadCommand(request: MediaLoadRequest(media: folder, autoplay: false))
        guard case .load(let one) = try await resolve(.load(load), 1) else { throw CancellationError() }
        #expect(one.request.media == found[0] && one.request.autoplay == false)
        guard case .queue(.load(let all)) = try await resolve(.load(load), 3) else { throw CancellationError() }
        #expect(all.items.map(\.media) == found && all.items[0].autoplay == false)
        let items = [plain, folder, plain].map { MediaQueueItem(media: $0) }
        guard case .queue(.load(let queue)) = try await resolve(.queue(.load(QueueLoad(items: items, startIndex: 2))), 3) else {
            throw CancellationError()
        }
        #expect(queue.items.count == 5 && queue.startIndex == 4)
        guard case .queue(.insert(let insertion)) = try await resolve(.queue(.insert(QueueInsertion(items: items, playing: 2))), 2) else {
            throw CancellationError()
        }
        #expect(insertion.items.count == 4 && insertion.playing == 3)
    }

    @Test(
        "a playlist and an address of unknown type are looked at, and nothing else",
        arguments: [
            (#""http://h/stream""#, true), (#""http://h/radio.pls""#, true), (#""http://h/a.m3u?x=1""#, true),
            (#""http://h/live.m3u8""#, true),
            (#"{"url":"http://h/live.m3u8","content_type":"application/vnd.apple.mpegurl"}"#, false), (#""http://h/a.mp3""#, false),
            (#"{"url":"http://h/stream","content_type":"audio/mpeg"}"#, false), (#"{"entity":"https://h/x"}"#, false),
            (#"{"url":"http://h/a.mp4","tracks":[{"id":1,"url":"http://h/a.srt"}]}"#, true),
            (#"{"url":"http://h/a.mp4","tracks":[{"id":1,"url":"http://h/a.vtt"}]}"#, false),
        ])
    func looked(payload: String, isReference: Bool) throws {
        let text = payload.hasPrefix("\"") ? String(payload.dropFirst().dropLast()) : payload
        #expect((MediaReference(try #require(self.load(text)).request.media) != nil) == isReference, "\(payload)")
    }

    @Test("takes an entity alone, and an id for an application that resolves it")
    func entity() {
        let entity = self.load(#"{"entity":"https://example.org/1","app":"5E81F6DB"}"#)?.request.media
        #expect(entity?.entity == "https://example.org/1" && entity?.contentID == nil && entity?.contentType == nil)
        #expect(self.load(#"{"content_id":"some-id","app":"5E81F6DB"}"#)?.request.media?.contentID == "some-id")
    }

    @Test(
        "names the nearest argument when it does not know one",
        arguments: [
            ("cmd/load", #"{"url":"http://h/a.mp3","titel":"x"}"#, #"load: unknown argument "titel"; did you mean title?"#),
            (
                "cmd/load", #"{"url":"http://h/a.mp3","contentType":"x"}"#,
                #"load: unknown argument "contentType"; did you mean content_type?"#
            ),
            ("cmd/load", #"{"url":"http://h/a.mp3","x":1}"#, #"load: unknown argument "x"."#),
            (
                "cmd/load", #"{"url":"http://h/a.mp3","metadata":{"serie":"x"}}"#,
                #"metadata: unknown argument "serie"; did you mean series?"#
            ),
            ("set", #"{"volum":3}"#, #"set: unknown argument "volum"; did you mean volume?"#),
            ("cmd/queue_jump", #"{"item":3,"positon":5}"#, #"queue_jump: unknown argument "positon"; did you mean position?"#),
        ])
    func nearest(tail: String, payload: String, message: String) { #expect(device(tail, payload).message == message) }

    @Test("gives other applications their own ids, untyped, and null means not given")
    func otherApplication() {
        let load = self.load(#"{"url":"some-id","app":"5E81F6DB","custom_data":null,"position":null,"metadata":null}"#)
        #expect(load?.applicationID == "5E81F6DB")
        #expect(load?.request.media?.contentID == "some-id")
        #expect(load?.request.media?.contentType == nil)
        #expect(load?.request.customData == nil)
    }

    @Test("takes a clock time as position, live as stream, and a track that is only a URL")
    func details() {
        #expect(self.load(#"{"url":"http://h/a.mp4","position":"1:00:01"}"#)?.request.startTime == 3601)
        #expect(self.load(#"{"url":"http://h/a.m3u8","stream":"LIVE"}"#)?.request.media?.streamType == .live)
        let track = self.load(#"{"url":"http://h/a.mp4","tracks":[{"id":2,"url":"http://h/a.vtt"}]}"#)?.request.media?.tracks.first
        #expect(track?.contentType == "text/vtt")
        #expect(track?.subtype == .subtitles)
        #expect(track?.language == "und")
    }
}

import CastModels
import Testing

@testable import BridgeCore

@Suite("The documents queue and tracks")
struct QueueAndTracksTests {
    /// Items `first...last` of a queue of `count`, in order.
    private func window(_ items: ClosedRange<Int>, of count: Int, session: Int = 7) -> MediaQueueWindow {
        MediaQueueWindow(
            mediaSessionID: session, firstIndex: items.lowerBound - 1, itemCount: count,
            items: items.map { MediaQueueItem(itemID: $0, media: StateFixture.song($0)) })
    }

    private func json(_ fixture: StateFixture, _ name: String) throws -> JSONValue { try JSONParser.parse(fixture.payload(name)) }

    private func playing(_ item: Int = 4) -> StateFixture {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing, change: StateFixture.queue(5, current: item)))
        return fixture
    }

    @Test("without media there is no queue, and nothing is missing")
    func none() {
        let fixture = Scenario.idle.fixture
        #expect(
            fixture.payload("queue")
                == #"{"schema":1,"name":null,"type":null,"container":null,"repeat":null,"shuffle":null,"current_item":null,"loading_item":null,"preloaded_item":null,"index":null,"length":null,"complete":true,"items":[]}"#
        )
    }

    @Test("before the queue is read, only the items of the status are known")
    func fromStatus() throws {
        let queue = try self.json(self.playing(), "queue")
        #expect(queue["index"] == 3)
        #expect(queue["length"] == 5)
        #expect(queue["complete"] == true)
        #expect(queue["items"]?.arrayValue?.map { $0["item"] } == [1, 2, 3, 4, 5])
        #expect(
            queue["items"]?.arrayValue?[1] == [
                "item": 2, "title": "Song 2", "artist": "Example Trio", "duration": 241.5,
                "content_id": "http://192.168.1.5/song-2.mp3", "image": "http://192.168.1.5/harbour.jpg", "autoplay": nil,
                "start_time": nil, "preload_time": nil, "active_tracks": [],
            ])
    }

    @Test("the window has the position in the whole queue, here and in state")
    func whole() throws {
        var fixture = self.playing()
        let outputs = fixture.after(.queue(self.window(1...50, of: 300)))
        #expect(outputs == [.changed([.queue, .state])])
        let queue = try self.json(fixture, "queue")
        #expect(queue["length"] == 300)
        #expect(queue["complete"] == false)
        #expect(queue["items"]?.arrayValue?.count == 50)
        let state = try self.json(fixture, "state")["queue"]
        #expect(state?["length"] == 300)
        #expect(state?["index"] == 3)
        #expect(fixture.after(.queue(self.window(1...50, of: 300))) == [])
    }

    @Test("the item that loads and the one loaded ahead are named as soon as a status does")
    func next() throws {
        var fixture = self.playing()
        fixture.after(
            .mediaStatus(
                fixture.status(.playing) {
                    StateFixture.queue(5, current: 4)(&$0)
                    ($0.loadingItemID, $0.preloadedItemID) = (3, 5)
                }))
        #expect(fixture.takeOutputs().contains { if case .changed(let documents) = $0 { documents.contains(.queue) } else { false } })
        #expect(try self.json(fixture, "queue")["preloaded_item"] == 5)
        #expect(try self.json(fixture, "queue")["loading_item"] == 3)
    }

    @Test("a window of another media session is ignored")
    func foreign() throws {
        var fixture = self.playing()
        #expect(fixture.after(.queue(self.window(1...9, of: 9, session: 6))) == [])
        #expect(try self.json(fixture, "queue")["length"] == 5)
    }

    @Test("the queue stays while an end is held back, and goes with the media")
    func heldBack() throws {
        var fixture = self.playing()
        fixture.after(.queue(self.window(1...5, of: 5)))
        fixture.after(10, .mediaStatus(fixture.idle(.finished)))
        fixture.after(.queue(nil))
        #expect(try self.json(fixture, "queue")["items"]?.arrayValue?.count == 5)
        _ = fixture.takeOutputs()
        fixture.wait(10)
        #expect(fixture.takeOutputs().contains { if case .changed(let documents) = $0 { documents.contains(.queue) } else { false } })
        #expect(try self.json(fixture, "queue")["items"] == [])
        #expect(fixture.state.media.queue == nil)
    }

    @Test("the media of the current item is written in its entry")
    func currentItem() throws {
        var fixture = StateFixture()
        fixture.connect(
            media: fixture.status(.playing, media: StateFixture.song(2), item: 2) {
                $0.items = [MediaQueueItem(itemID: 1), MediaQueueItem(itemID: 2)]
            })
        let items = try self.json(fixture, "queue")["items"]?.arrayValue
        #expect(items?[0]["title"] == .null)
        #expect(items?[1]["title"] == "Song 2")
    }

    @Test("a window is 10 items before and 39 after the current one, within the queue")
    func range() {
        #expect(MediaQueueWindow.range(around: 0, of: 3) == 0..<3)
        #expect(MediaQueueWindow.range(around: nil, of: 300) == 0..<50)
        #expect(MediaQueueWindow.range(around: 100, of: 300) == 90..<140)
        #expect(MediaQueueWindow.range(around: 299, of: 300) == 250..<300)
        #expect(MediaQueueWindow.range(around: 5, of: 0) == 0..<0)
    }

    @Test("tracks are listed by kind, with the active ones and the style of text")
    func tracks() throws {
        var subtitles = MediaTrack(trackID: 2, type: .text, subtype: .subtitles, name: "English", language: "en")
        subtitles.contentID = "http://192.168.1.5/film.vtt"
        var fixture = StateFixture()
        fixture.connect(
            media: fixture.status(.playing) {
                $0.media?.tracks = [
                    MediaTrack(trackID: 1, type: .video), subtitles, MediaTrack(trackID: 3, type: .audio, name: "Deutsch", language: "de"),
                    MediaTrack(trackID: 4, type: .unknown("SMELL")),
                ]
                $0.activeTrackIDs = [1, 2]
                var style = TextTrackStyle()
                style.foregroundColor = .white
                style.edgeType = .dropShadow
                style.fontScale = 1.25
                $0.media?.textTrackStyle = style
            })
        let payload = fixture.payload("tracks")
        #expect(
            payload == #"""
                {"schema":1,"active":[1,2],"text":[{"id":2,"name":"English","language":"en","subtype":"subtitles","url":"http://192.168.1.5/film.vtt",\#
                "content_type":null,"active":true}],\#
                "audio":[{"id":3,"name":"Deutsch","language":"de","subtype":null,"url":null,"content_type":null,"active":false}],\#
                "video":[{"id":1,"name":null,"language":null,"subtype":null,"url":null,"content_type":null,"active":true}],\#
                "text_style":{"foreground_color":"#FFFFFFFF","background_color":null,"edge_color":null,"edge_type":"drop_shadow",\#
                "window_color":null,"window_type":null,"window_rounded_corner_radius":null,"font_family":null,\#
                "font_generic_family":null,"font_scale":1.25,"font_style":null}}
                """#)
        var off = fixture.status(.playing)
        off.media = fixture.state.media.reported?.media
        #expect(fixture.after(.mediaStatus(off)).contains(.changed([.state, .media, .playerValues, .tracks])))
        #expect(try self.json(fixture, "tracks")["active"] == [])
    }
}

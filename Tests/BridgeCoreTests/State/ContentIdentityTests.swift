import CastModels
import Testing

@testable import BridgeCore

@Suite("Whether two statuses are about the same content")
struct ContentIdentityTests {
    struct Content: Sendable {
        var id: String?
        var title: String?
        var duration: Double?
        var url: String?
        var entity: String?
        var artist: String?
        var stream = StreamType.buffered

        var media: MediaInformation {
            var media = MediaInformation(contentID: self.id, contentURL: self.url, streamType: self.stream, duration: self.duration)
            media.entity = self.entity
            var metadata = MediaMetadata(type: .generic)
            if let title { metadata.fields["title"] = .string(title) }
            if let artist { metadata.fields["artist"] = .string(artist) }
            media.metadata = metadata
            return media
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var former: Content
        var current: Content
        /// The position of the second status, 2 s after the first, which is at 500; `nil` reports none.
        var position: Double? = 502
        var events: [String]
    }

    static let cases: [Case] = [
        Case(
            testDescription: "two films without ids", former: Content(id: "", title: "First film", duration: 600),
            current: Content(id: "", title: "Second film", duration: 300), position: 0, events: ["media_changed item"]),
        Case(
            testDescription: "two films without ids, equally long", former: Content(title: "First film", duration: 600),
            current: Content(title: "Second film", duration: 600), position: 0, events: ["media_changed item"]),
        Case(
            testDescription: "two films with one id for everything", former: Content(id: "stream", title: "First film", duration: 600),
            current: Content(id: "stream", title: "Second film", duration: 300), position: 0, events: ["media_changed item"]),
        Case(
            testDescription: "films without ids and titles", former: Content(duration: 600), current: Content(duration: 300),
            position: 0, events: ["media_changed item"]),
        Case(
            testDescription: "the link of the content tells films without ids apart", former: Content(title: "Film", entity: "https://e/1"),
            current: Content(title: "Film", entity: "https://e/2"), position: 0, events: ["media_changed item"]),
        Case(
            testDescription: "so does the address", former: Content(id: "", title: "Film", url: "http://h/1.mp4"),
            current: Content(id: "", title: "Film", url: "http://h/2.mp4"), position: 0, events: ["media_changed item"]),
        Case(
            testDescription: "another id", former: Content(id: "a", title: "First", duration: 600),
            current: Content(id: "b", title: "Second", duration: 300), position: 0, events: ["media_changed item"]),
        Case(
            testDescription: "another id where nothing else is known", former: Content(id: "a"), current: Content(id: "b"), position: 0,
            events: ["media_changed item"]),
        Case(
            testDescription: "a live stream with a new token", former: Content(id: "https://h/l.m3u8?token=abc", title: "News"),
            current: Content(id: "https://h/l.m3u8?token=def", title: "News"), events: []),
        Case(
            testDescription: "a new token and no position", former: Content(id: "https://h/l.m3u8?token=abc"),
            current: Content(id: "https://h/l.m3u8?token=def"), position: nil, events: []),
        Case(
            testDescription: "a token under a name of its own", former: Content(id: "https://h/l.m3u8?x=abc", title: "News"),
            current: Content(id: "https://h/l.m3u8?x=def", title: "News"), events: []),
        Case(
            testDescription: "a token in the path", former: Content(id: "https://h/abc/f.mp4", title: "Film", duration: 600),
            current: Content(id: "https://h/def/f.mp4", title: "Film", duration: 600), events: []),
        Case(
            testDescription: "another video of one address", former: Content(id: "https://h/watch?v=1", title: "First", duration: 600),
            current: Content(id: "https://h/watch?v=2", title: "Second", duration: 300), position: 0, events: ["media_changed item"]),
        Case(
            testDescription: "metadata that arrives later", former: Content(id: "http://h/f.mp4", title: "f.mp4"),
            current: Content(id: "http://h/f.mp4", title: "Film", duration: 600, artist: "Example Trio"), events: ["media_changed metadata"]
        ),
        Case(
            testDescription: "metadata that arrives later, without an id", former: Content(title: "f.mp4"),
            current: Content(title: "Film", duration: 600), events: ["media_changed metadata"]),
        Case(
            testDescription: "a radio station", former: Content(id: "http://h/radio", title: "First song", stream: .live),
            current: Content(id: "http://h/radio", title: "Second song", stream: .live), events: ["media_changed metadata"]),
        Case(
            testDescription: "a radio station without an id", former: Content(id: "", title: "First song", stream: .live),
            current: Content(id: "", title: "Second song", stream: .live), events: ["media_changed metadata"]),
        Case(
            testDescription: "a chapter and a seek", former: Content(id: "a", title: "Chapter 2", duration: 600),
            current: Content(id: "a", title: "Chapter 1", duration: 600), position: 0, events: ["media_changed metadata", "seeked"]),
        Case(
            testDescription: "a seek without an id", former: Content(title: "Film", duration: 600),
            current: Content(title: "Film", duration: 600), position: 0, events: ["seeked"]),
    ]

    @Test("identity of content comes from everything that is known", arguments: cases)
    func identity(_ example: Case) {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing, session: 6, time: 500, media: example.former.media, item: 1))
        fixture.wait(2)
        fixture.after(.mediaStatus(fixture.status(.playing, session: 6, time: example.position, media: example.current.media, item: 1)))
        let events = fixture.takeEvents().map {
            ([$0.kind.rawValue] + [$0.facts["reason"]?.stringValue].compactMap(\.self)).joined(separator: " ")
        }
        #expect(events == example.events)
    }
}

@_spi(JSON) import CastModels
import Testing

@testable import CastProtocol

@Suite("Media information on the wire")
struct MediaInformationTests {
    private static func media(_ json: String) throws -> MediaInformation {
        try read(json, MediaInformation.init(wire:))
    }

    private static let full = #"""
        {"contentId":"id-1","contentUrl":"http://h/f.mp4","contentType":"video/mp4","streamType":"BUFFERED","duration":5400.5,
        "metadata":{"metadataType":2,"title":"Pilot","seriesTitle":"Show","season":1,"episode":2,"images":[{"url":"http://h/p.jpg","width":480,"height":720}]},
        "tracks":[{"trackId":1,"type":"TEXT","subtype":"SUBTITLES","name":"English","language":"en","trackContentId":"http://h/en.vtt",
        "trackContentType":"text/vtt","roles":["main"],"customData":{"k":1}},{"trackId":2,"type":"AUDIO"}],
        "textTrackStyle":{"foregroundColor":"#FFFFFFFF","backgroundColor":"#00000000","edgeColor":"#000000FF","edgeType":"OUTLINE",
        "windowColor":"#11111111","windowType":"ROUNDED_CORNERS","windowRoundedCornerRadius":8,"fontFamily":"Arial","fontGenericFamily":"SERIF",
        "fontScale":1.5,"fontStyle":"BOLD","customData":true},
        "breaks":[{"id":"b1","breakClipIds":["c1"],"position":-1,"duration":30,"isEmbedded":true,"isWatched":false}],
        "breakClips":[{"id":"c1","title":"Ad","contentId":"ad","contentUrl":"http://h/ad","contentType":"video/mp4","duration":30,
        "clickThroughUrl":"http://h/c","posterUrl":"http://h/p","whenSkippable":5}],
        "entity":"e","startAbsoluteTime":1700000000.5,"customData":{"any":[null,1]},"hlsSegmentFormat":"fmp4","mediaCategory":"VIDEO","tomorrow":[1]}
        """#

    @Test("every field survives reading and writing")
    func roundTrip() throws {
        let media = try Self.media(Self.full)
        #expect(media.contentID == "id-1")
        #expect(media.duration == 5400.5)
        #expect(media.metadata?.type == .tvShow)
        #expect(media.metadata?.seriesTitle == "Show")
        #expect(media.metadata?.images == [MediaImage(url: "http://h/p.jpg", width: 480, height: 720)])
        #expect(media.tracks.map(\.type) == [.text, .audio])
        #expect(media.adBreaks.first?.position == -1)
        #expect(media.adBreakClips.first?.whenSkippable == 5)
        #expect(media.hlsSegmentFormat == .fmp4)
        #expect(media.mediaCategory == .video)
        #expect(media.unknownFields == ["tomorrow": [1]])
        var writer = JSONWriter()
        media.writeValue(to: &writer)
        #expect(try Self.media(String(decoding: writer.bytes, as: UTF8.self)) == media)
        let original = try tree(Self.full)
        let written = try tree(String(decoding: writer.bytes, as: UTF8.self))
        #expect(Set(original.keys) == Set(written.keys))
        for key in original.keys where key != "metadata" { #expect(original[key] == written[key], "\(key)") }
    }

    static let durations: [(String, Double?)] = [
        ("null", nil), ("-1", nil), ("0", nil), ("-0.0", nil), ("12", 12), ("0.5", 0.5), ("\"12\"", nil), ("1e300", nil), ("[]", nil),
    ]

    @Test("a meaningless duration is nil", arguments: Self.durations)
    func duration(json: String, value: Double?) throws { #expect(try Self.media(#"{"duration":\#(json)}"#).duration == value) }

    static let streamTypes: [(String, StreamType)] = [
        ("BUFFERED", .buffered), ("live", .live), ("None", .none), ("OTHER", .unknown("OTHER")),
    ]

    @Test("stream types are read in any case", arguments: Self.streamTypes)
    func streamType(word: String, type: StreamType) throws {
        #expect(try Self.media(#"{"streamType":"\#(word)"}"#).streamType == type)
    }

    static let descriptions: [(String, MediaMetadata?)] = [
        ("null", nil), ("[]", nil), ("{}", MediaMetadata()),
        (#"{"metadataType":103,"a":1}"#, MediaMetadata(type: .unknown(103), fields: ["a": 1])),
        (#"{"type":3,"songName":"S"}"#, MediaMetadata(type: .musicTrack, fields: ["songName": "S"])),
        (#"{"metadataType":1,"type":"x"}"#, MediaMetadata(type: .movie, fields: ["type": "x"])),
        (#"{"metadataType":1.0,"title":null,"images":null}"#, MediaMetadata(type: .movie)),
        (
            #"{"metadataType":"1","images":[{"url":""},{},7,{"url":"u","width":1.5,"height":2.0}]}"#,
            MediaMetadata(images: [MediaImage(url: "u", height: 2)])
        ),
    ]

    @Test("metadata of any kind is read by its keys", arguments: Self.descriptions)
    func metadata(json: String, metadata: MediaMetadata?) throws { #expect(try Self.media(#"{"metadata":\#(json)}"#).metadata == metadata) }

    @Test("tracks, breaks and clips without an id are left out")
    func withoutIDs() throws {
        let media = try Self.media(#"{"tracks":[{"type":"TEXT"},{"trackId":"1"}],"breaks":[{"position":1},7],"breakClips":[{"id":""}]}"#)
        #expect(media == MediaInformation())
    }

    @Test("content without an id is sent under its address")
    func contentID() throws {
        var writer = JSONWriter()
        MediaInformation(contentURL: "http://h/a").writeValue(to: &writer)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"contentId":"http://h/a","contentUrl":"http://h/a"}"#)
    }
}

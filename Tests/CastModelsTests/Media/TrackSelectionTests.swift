import CastModels
import Testing

@Suite struct TrackSelectionTests {
    private static let tracks: [MediaTrack] = [
        MediaTrack(trackID: 1, type: .audio, name: "Deutsch", language: "de"),
        MediaTrack(trackID: 2, type: .text, subtype: .subtitles, name: "Deutsch (Österreich)", language: "de-AT"),
        MediaTrack(trackID: 3, type: .text, subtype: .subtitles, name: "English", language: "en"),
        MediaTrack(trackID: 4, type: .text, subtype: .captions, name: "ENGLISH", language: "en-US"),
        MediaTrack(trackID: 5, type: .text, subtype: .chapters, name: "Kapitel"),
        MediaTrack(trackID: 6, type: .text, subtype: .subtitles, name: "中文", language: "zh-Hant"),
        MediaTrack(trackID: 7, type: .video, name: "Kamera 2"),
    ]

    static let selections: [(TrackSelection, MediaTrack.Kind, Int?)] = [
        (.id(3), .text, 3), (.id(3), .audio, nil), (.id(9), .text, nil), (.language("de"), .audio, 1), (.language("de"), .text, 2),
        (.language("de-AT"), .text, 2), (.language("DE_at"), .text, 2), (.language("de-CH"), .text, nil), (.language("de-AT"), .audio, 1),
        (.language("en"), .text, 3), (.language("en-US"), .text, 4), (.language("en-GB"), .text, 3), (.language("zh"), .text, 6),
        (.language("zh-Hans"), .text, nil), (.language("fr"), .text, nil), (.language(""), .text, nil), (.name("English"), .text, 3),
        (.name("ENGLISH"), .text, 4), (.name("english"), .text, 3), (.name("中文"), .text, 6), (.name("Kamera 2"), .video, 7),
        (.name("Kamera 2"), .text, nil), (.name(""), .text, nil),
    ]

    @Test("a track is found by id, language and name among those of its kind", arguments: Self.selections)
    func selects(selection: TrackSelection, type: MediaTrack.Kind, id: Int?) {
        #expect(selection.track(in: Self.tracks, type: type)?.trackID == id)
    }

    @Test("a track replaces the active ones of its kind and no others")
    func replaces() {
        var status = MediaStatus(mediaSessionID: 1, playerState: .playing, receivedAt: MonotonicTime(nanoseconds: 0))
        status.media = MediaInformation(contentID: "a", tracks: Self.tracks)
        status.activeTrackIDs = [1, 2, 77]
        #expect(status.activeTrackIDs(replacing: .text, by: Self.tracks[2]) == [1, 77, 3])
        #expect(status.activeTrackIDs(replacing: .text, by: nil) == [1, 77])
        #expect(status.activeTrackIDs(replacing: .video, by: Self.tracks[6]) == [1, 2, 77, 7])
        #expect(status.activeTracks.map(\.trackID) == [1, 2])
    }

    @Test("the words of types and subtypes are read and written, and unknown ones kept")
    func words() {
        for word in ["SUBTITLES", "CAPTIONS", "DESCRIPTIONS", "CHAPTERS", "METADATA", "KARAOKE"] {
            #expect(MediaTrack.Subtype(wireValue: word).wireValue == word)
        }
        for word in ["TEXT", "AUDIO", "VIDEO", "SMELL"] { #expect(MediaTrack.Kind(wireValue: word).wireValue == word) }
        #expect(MediaTrack.Subtype(wireValue: "KARAOKE") == .unknown("KARAOKE"))
        #expect(MediaTrack.Subtype(wireValue: "CHAPTERS") == .chapters)
    }
}

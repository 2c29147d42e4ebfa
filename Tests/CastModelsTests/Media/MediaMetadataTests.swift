import CastModels
import Testing

@Suite struct MediaMetadataTests {
    /// Metadata, its type and its fields as receivers know them.
    static let types: [(MediaMetadata, MediaMetadata.Kind, JSONObject)] = [
        (
            .generic(title: "T", subtitle: "S", releaseDate: MediaDate(year: 2024)), .generic,
            ["title": "T", "subtitle": "S", "releaseDate": "2024"]
        ),
        (
            .movie(title: "T", subtitle: "S", studio: "St", releaseDate: MediaDate(year: 2024, month: 3, day: 1)), .movie,
            ["title": "T", "subtitle": "S", "studio": "St", "releaseDate": "2024-03-01"]
        ),
        (
            .tvShow(seriesTitle: "Show", title: "Pilot", season: 1, episode: 2, broadcastDate: MediaDate("2024-03-01T20:15:00Z")), .tvShow,
            ["seriesTitle": "Show", "title": "Pilot", "season": 1, "episode": 2, "originalAirdate": "2024-03-01T20:15:00Z"]
        ),
        (
            .musicTrack(
                title: "T", artist: "A", albumTitle: "Al", albumArtist: "AA", composer: "C", trackNumber: 3, discNumber: 1,
                releaseDate: MediaDate(year: 1999, month: 12)), .musicTrack,
            [
                "title": "T", "artist": "A", "albumName": "Al", "albumArtist": "AA", "composer": "C", "trackNumber": 3, "discNumber": 1,
                "releaseDate": "1999-12",
            ]
        ),
        (
            .photo(
                title: "T", artist: "A", locationName: "L", latitude: -33.5, longitude: 151.25, width: 640, height: 480,
                creationDate: MediaDate("20240301T101112+0100")), .photo,
            [
                "title": "T", "artist": "A", "location": "L", "latitude": -33.5, "longitude": 151.25, "width": 640, "height": 480,
                "creationDateTime": "2024-03-01T101112+0100",
            ]
        ),
        (
            .audiobookChapter(
                bookTitle: "B", chapterTitle: "C", chapterNumber: 7, title: "T", subtitle: "S", contentRating: "PG"), .audiobookChapter,
            ["bookTitle": "B", "chapterTitle": "C", "chapterNumber": 7, "title": "T", "subtitle": "S", "contentRating": "PG"]
        ),
    ]

    @Test("each type writes the fields that receivers know", arguments: Self.types)
    func type(metadata: MediaMetadata, kind: MediaMetadata.Kind, fields: JSONObject) {
        #expect(metadata.type == kind)
        #expect(metadata.fields == fields)
    }

    @Test(
        "the line below the title goes with the type",
        arguments: [
            (.musicTrack, ["subtitle": "S", "artist": "A", "albumName": "B"], "A"),
            (.musicTrack, ["subtitle": "S", "albumName": "B"], "B"),
            (.tvShow, ["subtitle": "S", "seriesTitle": "Series"], "Series"), (.photo, ["location": "Oslo"], "Oslo"),
            (.audiobookChapter, ["bookTitle": "B", "subtitle": "S"], "B"), (.movie, ["studio": "St", "subtitle": "S"], "S"),
            (.movie, ["studio": "St"], "St"), (.generic, ["artist": "A", "subtitle": "S"], "S"), (nil, ["artist": "A"], "A"),
            (.tvShow, ["artist": "A"], "A"), (.musicTrack, ["artist": 7], nil),
        ] as [(MediaMetadata.Kind?, JSONObject, String?)])
    func shownSubtitle(kind: MediaMetadata.Kind?, fields: JSONObject, text: String?) {
        #expect(MediaMetadata(type: kind, fields: fields).shownSubtitle == text)
    }

    @Test("former names are read, and replaced when the field is set")
    func formerNames() {
        var metadata = MediaMetadata(
            type: .tvShow, fields: ["seasonNumber": "4", "episodeNumber": 9, "artistName": "A", "albumTitle": "B"])
        #expect(metadata[.seasonNumber] == 4)
        #expect(metadata[.episodeNumber] == 9)
        #expect(metadata[.artist] == "A")
        #expect(metadata[.albumTitle] == "B")
        metadata[.seasonNumber] = 5
        metadata[.episodeNumber] = nil
        #expect(metadata.fields == ["artistName": "A", "albumTitle": "B", "season": 5])
    }

    @Test("a field of another type than requested is nil")
    func otherKind() {
        let metadata = MediaMetadata(fields: ["title": 7, "season": 1.5, "latitude": "north", "releaseDate": "soon", "studio": ""])
        #expect(metadata[.title] == nil)
        #expect(metadata[.seasonNumber] == nil)
        #expect(metadata[.latitude] == nil)
        #expect(metadata[.releaseDate] == nil)
        #expect(metadata[.studio] == nil)
    }

    @Test("an application's own fields and types are kept; the names of type and pictures are no fields")
    func custom() {
        var metadata = MediaMetadata(type: .unknown(103))
        metadata[MediaMetadata.Key<String>("com.example.mood")] = "calm"
        metadata[MediaMetadata.Key<Double>("com.example.score")] = 4.5
        metadata[MediaMetadata.Key<Int>("metadataType")] = 3
        metadata[MediaMetadata.Key<String>("images")] = "x"
        #expect(metadata.fields == ["com.example.mood": "calm", "com.example.score": 4.5])
        #expect(metadata[MediaMetadata.Key<String>("com.example.mood")] == "calm")
        #expect(metadata.type?.rawValue == 103)
    }

    static let dates: [(String, String?)] = [
        ("2024", "2024"), ("2024-02", "2024-02"), ("2024-02-29", "2024-02-29"), ("20240229", "2024-02-29"),
        ("2024-02-29T23:59:59.999Z", "2024-02-29T23:59:59.999Z"), ("2024-02-29 10:00", "2024-02-29T10:00"), ("0001-01-01", "0001-01-01"),
        ("2023-02-29", nil), ("1900-02-29", nil), ("2000-02-29", "2000-02-29"), ("2024-13-01", nil), ("2024-00-01", nil),
        ("2024-04-31", nil),
        ("24-02-29", nil), ("2024-2-9", nil), ("2024-02T10:00", nil), ("2024-02-29T", nil), ("2024-02-29Tnoon", nil), ("", nil), ("-", nil),
        ("202402", nil), ("２０２４", nil), ("2024-02-29T10:00\u{0}", nil), ("+024-01-01", nil),
    ]

    @Test("dates are read as exactly as they were written, and only if a calendar has them", arguments: Self.dates)
    func date(text: String, written: String?) { #expect(MediaDate(text)?.text == written) }

    @Test("a day needs a month, and numbers a calendar")
    func dateFromNumbers() {
        #expect(MediaDate(year: 2024, day: 3) == nil)
        #expect(MediaDate(year: -1) == nil)
        #expect(MediaDate(year: 2024, month: 2, day: 30) == nil)
        #expect(MediaDate(year: 33, month: 4)?.text == "0033-04")
    }
}

/// A picture of a medium (SDK: `GCKImage`).
public struct MediaImage: Sendable, Hashable {
    public var url: String
    /// The width in pixels.
    public var width: Int?
    /// The height in pixels.
    public var height: Int?

    public init(url: String, width: Int? = nil, height: Int? = nil) { (self.url, self.width, self.height) = (url, width, height) }
}

/// Descriptive data of a medium (SDK: `GCKMediaMetadata`). Receivers mix the types, so display fields are looked up by key, not by type.
public struct MediaMetadata: Sendable, Hashable {
    public var type: Kind?
    public var images: [MediaImage]
    /// All other members under their wire keys (`title`, `seriesTitle`, `albumName`, keys of the application …).
    public var fields: JSONObject

    public init(type: Kind? = nil, images: [MediaImage] = [], fields: JSONObject = [:]) {
        self.type = type
        self.images = images
        self.fields = fields
    }

    /// The type of metadata: `metadataType` on the wire.
    public enum Kind: Sendable, Hashable, RawRepresentable {
        case generic, movie, tvShow, musicTrack, photo, audiobookChapter
        case unknown(Int)

        public init(rawValue: Int) {
            let known: [Self] = [.generic, .movie, .tvShow, .musicTrack, .photo, .audiobookChapter]
            self = known.indices.contains(rawValue) ? known[rawValue] : .unknown(rawValue)
        }

        public var rawValue: Int {
            switch self {
            case .generic: 0
            case .movie: 1
            case .tvShow: 2
            case .musicTrack: 3
            case .photo: 4
            case .audiobookChapter: 5
            case .unknown(let value): value
            }
        }
    }

    // One key at a time: a list of keys would be allocated for each lookup.
    private func word(_ key: String) -> String? {
        guard let value = self.fields[key]?.stringValue, !value.isEmpty else { return nil }
        return value
    }

    private func whole(_ key: String) -> Int? {
        guard let value = self.fields[key] else { return nil }
        return value.intValue ?? value.stringValue.flatMap { Int($0) }
    }

    public var title: String? { self.word("title") ?? self.word("songName") ?? self.word("episodeTitle") ?? self.word("chapterTitle") }
    /// The person or group; falls back to the artist of the album.
    public var artist: String? { self.word("artist") ?? self.word("artistName") ?? self.word("albumArtist") }
    public var albumName: String? { self.word("albumName") ?? self.word("albumTitle") }
    package var albumArtist: String? { self.word("albumArtist") }
    package var trackNumber: Int? { self.whole("trackNumber") }
    package var discNumber: Int? { self.whole("discNumber") }
    public var subtitle: String? { self.word("subtitle") }
    /// The line below the title: what goes with the type (artist or album, series, book, place), else the subtitle, or whichever there is.
    public var shownSubtitle: String? {
        let typical: String? =
            switch self.type {
            case .musicTrack: self.artist ?? self.albumName
            case .tvShow: self.seriesTitle
            case .audiobookChapter: self.word("bookTitle")
            case .photo: self.word("location")
            case .generic, .movie, .unknown, nil: nil
            }
        return typical ?? self.subtitle ?? self.artist ?? self.seriesTitle ?? self.word("studio")
    }
    public var seriesTitle: String? { self.word("seriesTitle") }
    public var season: Int? { self.whole("season") ?? self.whole("seasonNumber") }
    public var episode: Int? { self.whole("episode") ?? self.whole("episodeNumber") }
}

/// Creates metadata of each type with the fields that receivers show for it. Set further fields with `metadata[key]`.
extension MediaMetadata {
    public static func generic(
        title: String? = nil, subtitle: String? = nil, releaseDate: MediaDate? = nil, images: [MediaImage] = []
    ) -> Self {
        Self(
            .generic, images, .field(.title, title), .field(.subtitle, subtitle), .field(.releaseDate, releaseDate))
    }

    public static func movie(
        title: String? = nil, subtitle: String? = nil, studio: String? = nil, releaseDate: MediaDate? = nil, images: [MediaImage] = []
    ) -> Self {
        Self(
            .movie, images, .field(.title, title), .field(.subtitle, subtitle), .field(.studio, studio),
            .field(.releaseDate, releaseDate))
    }

    /// Returns the metadata of an episode of a series; `title` is that of the episode.
    public static func tvShow(
        seriesTitle: String? = nil, title: String? = nil, season: Int? = nil, episode: Int? = nil, broadcastDate: MediaDate? = nil,
        images: [MediaImage] = []
    ) -> Self {
        Self(
            .tvShow, images, .field(.seriesTitle, seriesTitle), .field(.title, title), .field(.seasonNumber, season),
            .field(.episodeNumber, episode), .field(.broadcastDate, broadcastDate))
    }

    public static func musicTrack(
        title: String? = nil, artist: String? = nil, albumTitle: String? = nil, albumArtist: String? = nil, composer: String? = nil,
        trackNumber: Int? = nil, discNumber: Int? = nil, releaseDate: MediaDate? = nil, images: [MediaImage] = []
    ) -> Self {
        Self(
            .musicTrack, images, .field(.title, title), .field(.artist, artist), .field(.albumTitle, albumTitle),
            .field(.albumArtist, albumArtist), .field(.composer, composer), .field(.trackNumber, trackNumber),
            .field(.discNumber, discNumber), .field(.releaseDate, releaseDate))
    }

    /// Returns the metadata of a photo. Latitude and longitude are in degrees, north and east positive; width and height are in pixels.
    public static func photo(
        title: String? = nil, artist: String? = nil, locationName: String? = nil, latitude: Double? = nil, longitude: Double? = nil,
        width: Int? = nil, height: Int? = nil, creationDate: MediaDate? = nil, images: [MediaImage] = []
    ) -> Self {
        Self(
            .photo, images, .field(.title, title), .field(.artist, artist), .field(.locationName, locationName),
            .field(.latitude, latitude), .field(.longitude, longitude), .field(.width, width), .field(.height, height),
            .field(.creationDate, creationDate))
    }

    public static func audiobookChapter(
        bookTitle: String? = nil, chapterTitle: String? = nil, chapterNumber: Int? = nil, title: String? = nil, subtitle: String? = nil,
        contentRating: String? = nil, images: [MediaImage] = []
    ) -> Self {
        Self(
            .audiobookChapter, images, .field(.bookTitle, bookTitle), .field(.chapterTitle, chapterTitle),
            .field(.chapterNumber, chapterNumber), .field(.title, title), .field(.subtitle, subtitle),
            .field(.contentRating, contentRating))
    }

    private init(_ type: Kind, _ images: [MediaImage], _ fields: JSONObject.Member?...) {
        self.init(type: type, images: images, fields: JSONObject(members: fields.compactMap { $0 }))
    }

    /// Checks for numbers that JSON cannot represent.
    ///
    /// - Throws: `invalidRequest` with `path` and the field as its argument.
    package func validate(_ path: String) throws(CastError) {
        for member in self.fields.members {
            if Self.reservedNames.contains(member.key) { throw .invalidArgument("\(path).\(member.key)", "not the name of a field") }
            if let number = member.value.doubleValue, !number.isFinite { throw .invalidArgument("\(path).\(member.key)", "not a number") }
        }
        for (index, image) in self.images.enumerated() {
            if image.url.isEmpty { throw .invalidArgument("\(path).images[\(index)].url", "an empty text") }
            for size in [image.width, image.height] {
                if let size, size < 0 { throw .invalidArgument("\(path).images[\(index)]", "a negative size") }
            }
        }
    }
}

extension JSONObject.Member {
    /// Returns the member for a field; `nil` for a field without a value.
    fileprivate static func field<Value>(_ key: MediaMetadata.Key<Value>, _ value: Value?) -> Self? {
        value.map { Self(key: key.name, value: $0.metadataValue) }
    }
}

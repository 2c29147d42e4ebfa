/// Creates metadata of each type with the fields that receivers show for it. Set further fields with `metadata[key]`.
extension MediaMetadata {
    public static func generic(
        title: String? = nil, subtitle: String? = nil, releaseDate: MediaDate? = nil, images: [MediaImage] = []
    ) -> Self {
        var metadata = Self(type: .generic, images: images)
        metadata[.title] = title
        metadata[.subtitle] = subtitle
        metadata[.releaseDate] = releaseDate
        return metadata
    }

    public static func movie(
        title: String? = nil, subtitle: String? = nil, studio: String? = nil, releaseDate: MediaDate? = nil, images: [MediaImage] = []
    ) -> Self {
        var metadata = Self(type: .movie, images: images)
        metadata[.title] = title
        metadata[.subtitle] = subtitle
        metadata[.studio] = studio
        metadata[.releaseDate] = releaseDate
        return metadata
    }

    /// Returns the metadata of an episode of a series; `title` is that of the episode.
    public static func tvShow(
        seriesTitle: String? = nil, title: String? = nil, season: Int? = nil, episode: Int? = nil, broadcastDate: MediaDate? = nil,
        images: [MediaImage] = []
    ) -> Self {
        var metadata = Self(type: .tvShow, images: images)
        metadata[.seriesTitle] = seriesTitle
        metadata[.title] = title
        metadata[.seasonNumber] = season
        metadata[.episodeNumber] = episode
        metadata[.broadcastDate] = broadcastDate
        return metadata
    }

    public static func musicTrack(
        title: String? = nil, artist: String? = nil, albumTitle: String? = nil, albumArtist: String? = nil, composer: String? = nil,
        trackNumber: Int? = nil, discNumber: Int? = nil, releaseDate: MediaDate? = nil, images: [MediaImage] = []
    ) -> Self {
        var metadata = Self(type: .musicTrack, images: images)
        metadata[.title] = title
        metadata[.artist] = artist
        metadata[.albumTitle] = albumTitle
        metadata[.albumArtist] = albumArtist
        metadata[.composer] = composer
        metadata[.trackNumber] = trackNumber
        metadata[.discNumber] = discNumber
        metadata[.releaseDate] = releaseDate
        return metadata
    }

    /// Returns the metadata of a photo. Latitude and longitude are in degrees, north and east positive; width and height are in pixels.
    public static func photo(
        title: String? = nil, artist: String? = nil, locationName: String? = nil, latitude: Double? = nil, longitude: Double? = nil,
        width: Int? = nil, height: Int? = nil, creationDate: MediaDate? = nil, images: [MediaImage] = []
    ) -> Self {
        var metadata = Self(type: .photo, images: images)
        metadata[.title] = title
        metadata[.artist] = artist
        metadata[.locationName] = locationName
        metadata[.latitude] = latitude
        metadata[.longitude] = longitude
        metadata[.width] = width
        metadata[.height] = height
        metadata[.creationDate] = creationDate
        return metadata
    }

    public static func audiobookChapter(
        bookTitle: String? = nil, chapterTitle: String? = nil, chapterNumber: Int? = nil, title: String? = nil, subtitle: String? = nil,
        contentRating: String? = nil, images: [MediaImage] = []
    ) -> Self {
        var metadata = Self(type: .audiobookChapter, images: images)
        metadata[.bookTitle] = bookTitle
        metadata[.chapterTitle] = chapterTitle
        metadata[.chapterNumber] = chapterNumber
        metadata[.title] = title
        metadata[.subtitle] = subtitle
        metadata[.contentRating] = contentRating
        return metadata
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

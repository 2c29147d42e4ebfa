/// Typed access to the fields of metadata, under the names of the SDK's `kGCKMetadataKey…`.
extension MediaMetadata {
    /// A field with the type of its value.
    public struct Key<Value: MetadataValue>: Sendable, Hashable {
        /// The name on the wire.
        public let name: String
        /// Former names, which are still read.
        public let formerNames: [String]

        /// A field of an application's own, or one of `MediaMetadata.Key`'s constants.
        public init(_ name: String, formerly formerNames: String...) {
            self.name = name
            self.formerNames = formerNames
        }
    }

    /// The value of a field, whatever type the metadata is of; `nil` when it is missing or of another kind than `Value`. Setting writes
    /// the present name and removes the former ones; `nil` removes the field. The names of type and pictures are ignored.
    public subscript<Value>(key: Key<Value>) -> Value? {
        get {
            for name in [key.name] + key.formerNames {
                if let value = self.fields[name].flatMap(Value.init(metadata:)) { return value }
            }
            return nil
        }
        set {
            guard !Self.reservedNames.contains(key.name) else { return }
            for name in key.formerNames { self.fields[name] = nil }
            self.fields[key.name] = newValue?.metadataValue
        }
    }

    /// What the wire has beside the fields.
    package static let reservedNames: Set<String> = ["metadataType", "images"]
}

/// A type that fields of metadata have.
public protocol MetadataValue: Sendable, Hashable {
    /// `nil` for JSON of another kind.
    init?(metadata value: JSONValue)
    var metadataValue: JSONValue { get }
}

extension String: MetadataValue {
    /// A text that is not empty.
    public init?(metadata value: JSONValue) {
        guard let text = value.stringValue, !text.isEmpty else { return nil }
        self = text
    }

    public var metadataValue: JSONValue { .string(self) }
}

extension Int: MetadataValue {
    /// A whole number, also one written as text.
    public init?(metadata value: JSONValue) {
        guard let number = value.intValue ?? value.stringValue.flatMap({ Int($0) }) else { return nil }
        self = number
    }

    public var metadataValue: JSONValue { .integer(Int64(self)) }
}

extension Double: MetadataValue {
    public init?(metadata value: JSONValue) {
        guard let number = value.doubleValue else { return nil }
        self = number
    }

    /// What JSON can't say becomes `null`, which is not sent.
    public var metadataValue: JSONValue { self.isFinite ? .number(self) : .null }
}

extension MediaDate: MetadataValue {
    public init?(metadata value: JSONValue) {
        guard let text = value.stringValue, let date = Self(text) else { return nil }
        self = date
    }

    public var metadataValue: JSONValue { .string(self.text) }
}

extension MediaMetadata.Key where Value == String {
    public static var title: Self { Self("title") }
    public static var subtitle: Self { Self("subtitle") }
    public static var artist: Self { Self("artist", formerly: "artistName") }
    public static var albumArtist: Self { Self("albumArtist") }
    public static var albumTitle: Self { Self("albumName", formerly: "albumTitle") }
    public static var songName: Self { Self("songName") }
    public static var composer: Self { Self("composer") }
    public static var studio: Self { Self("studio") }
    public static var seriesTitle: Self { Self("seriesTitle") }
    public static var locationName: Self { Self("location") }
    public static var bookTitle: Self { Self("bookTitle") }
    public static var chapterTitle: Self { Self("chapterTitle") }
    public static var contentRating: Self { Self("contentRating") }
    public static var posterURL: Self { Self("posterUrl") }
}

extension MediaMetadata.Key where Value == Int {
    public static var seasonNumber: Self { Self("season", formerly: "seasonNumber") }
    public static var episodeNumber: Self { Self("episode", formerly: "episodeNumber") }
    public static var trackNumber: Self { Self("trackNumber") }
    public static var discNumber: Self { Self("discNumber") }
    public static var chapterNumber: Self { Self("chapterNumber") }
    /// Pixels.
    public static var width: Self { Self("width") }
    /// Pixels.
    public static var height: Self { Self("height") }
    /// The queue item that a section belongs to.
    public static var queueItemID: Self { Self("queueItemId") }
}

extension MediaMetadata.Key where Value == Double {
    /// Degrees, north positive.
    public static var latitude: Self { Self("latitude") }
    /// Degrees, east positive.
    public static var longitude: Self { Self("longitude") }
    /// Seconds.
    public static var sectionDuration: Self { Self("sectionDuration") }
    /// Seconds from the start of the medium.
    public static var sectionStartTimeInMedia: Self { Self("sectionStartTimeInMedia") }
    /// Seconds from the start of the container.
    public static var sectionStartTimeInContainer: Self { Self("sectionStartTimeInContainer") }
    /// Seconds since 1970.
    public static var sectionStartAbsoluteTime: Self { Self("sectionStartAbsoluteTime") }
}

extension MediaMetadata.Key where Value == MediaDate {
    public static var releaseDate: Self { Self("releaseDate") }
    public static var broadcastDate: Self { Self("originalAirdate") }
    public static var creationDate: Self { Self("creationDateTime") }
}

/// Typed access to the fields of metadata, under the names of the SDK's `kGCKMetadataKey…`.
extension MediaMetadata {
    /// A field with the type of its value.
    public struct Key<Value: MetadataValue>: Sendable, Hashable {
        /// The name on the wire.
        public let name: String
        /// Former names, which are still read.
        public let formerNames: [String]

        /// Creates the key of an application's own field. The known fields are constants of `MediaMetadata.Key`.
        public init(_ name: String, formerly formerNames: String...) { (self.name, self.formerNames) = (name, formerNames) }
    }

    /// The value of a field, for metadata of any type; `nil` when it is missing or has another type than `Value`. Setting writes the
    /// current name and removes the former ones; `nil` removes the field. `metadataType` and `images` are ignored.
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

    /// The members of the wire object that are not fields.
    package static let reservedNames: Set<String> = ["metadataType", "images"]
}

/// A type of metadata fields.
public protocol MetadataValue: Sendable, Hashable {
    /// Reads the JSON value; `nil` for JSON of another type.
    init?(metadata value: JSONValue)
    var metadataValue: JSONValue { get }
}

extension String: MetadataValue {
    /// Reads a text that is not empty.
    public init?(metadata value: JSONValue) {
        guard let text = value.stringValue, !text.isEmpty else { return nil }
        self = text
    }

    public var metadataValue: JSONValue { .string(self) }
}

extension Int: MetadataValue {
    /// Reads a whole number, also when written as text.
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

    /// Values that JSON cannot represent become `null`, which is not sent.
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
    /// The width in pixels.
    public static var width: Self { Self("width") }
    /// The height in pixels.
    public static var height: Self { Self("height") }
    /// The queue item of a section.
    public static var queueItemID: Self { Self("queueItemId") }
}

extension MediaMetadata.Key where Value == Double {
    /// The latitude in degrees, north positive.
    public static var latitude: Self { Self("latitude") }
    /// The longitude in degrees, east positive.
    public static var longitude: Self { Self("longitude") }
    /// The duration of a section in seconds.
    public static var sectionDuration: Self { Self("sectionDuration") }
    /// The start of a section, in seconds from the start of the medium.
    public static var sectionStartTimeInMedia: Self { Self("sectionStartTimeInMedia") }
    /// The start of a section, in seconds from the start of the container.
    public static var sectionStartTimeInContainer: Self { Self("sectionStartTimeInContainer") }
    /// The start of a section, in seconds since 1970.
    public static var sectionStartAbsoluteTime: Self { Self("sectionStartAbsoluteTime") }
}

extension MediaMetadata.Key where Value == MediaDate {
    public static var releaseDate: Self { Self("releaseDate") }
    public static var broadcastDate: Self { Self("originalAirdate") }
    public static var creationDate: Self { Self("creationDateTime") }
}

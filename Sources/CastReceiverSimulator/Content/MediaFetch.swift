/// A URL that the player requests.
public struct MediaFetch: Sendable, Hashable {
    /// Identifies the request; never reused by the device.
    public var id: Int
    /// The MediaInformation of the item.
    public var media: JSON
}

/// The result of requesting the media.
public enum FetchFinding: Sendable, Hashable {
    /// The media can be played.
    ///
    /// - Parameters:
    ///   - seconds: its duration; `nil` when the content does not contain it.
    ///   - isStream: whether it is a stream without a stated end.
    case playable(seconds: Double?, isStream: Bool)
    /// The media cannot be played; `code` is the `detailedErrorCode` of the receiver SDK.
    case failed(code: Int, detail: String)

    /// The finding in the form of the journal.
    var json: JSON {
        switch self {
        case .playable(let seconds, let isStream):
            .members(["playable": true, "seconds": seconds.map(JSON.number), "stream": .bool(isStream)])
        case .failed(let code, let detail): ["playable": false, "code": .integer(code), "detail": .string(detail)]
        }
    }
}

/// One answer of a web server, as far as it was read.
struct HTTPReply: Sendable, Hashable {
    var status: Int
    /// The headers by their names in lower case.
    var headers: [String: String]
    /// The first bytes of the body.
    var body: [UInt8]

    /// The size of the whole file; `nil` when not reported.
    var totalSize: Int? {
        if self.status == 206 { return self.headers["content-range"]?.split(separator: "/").last.flatMap { Int($0) } }
        return self.headers["content-length"].flatMap { Int($0) }
    }

    /// The content type without parameters, in lower case.
    var contentType: String {
        String(self.headers["content-type"]?.lowercased().prefix { $0 != ";" } ?? "").filter { $0 != " " }
    }
}

/// The pending request or stream; only its results count.
struct MediaFetches: Sendable {
    private(set) var current: Int?
    private(set) var nextID = 1

    mutating func begin() { (self.current, self.nextID) = (self.nextID, self.nextID + 1) }

    mutating func end() { self.current = nil }
}

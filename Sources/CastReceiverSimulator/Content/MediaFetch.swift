/// A URL that the player asks for.
public struct MediaFetch: Sendable, Hashable {
    /// Names the request; never used again by the device.
    public var id: Int
    /// MediaInformation.
    public var media: JSON
}

/// What asking for the media gave.
public enum MediaFinding: Sendable, Hashable {
    /// It can be played.
    ///
    /// - Parameters:
    ///   - seconds: its length; `nil` when the content does not tell it.
    ///   - isStream: whether the bytes go on coming, without a stated end.
    case playable(seconds: Double?, isStream: Bool)
    /// It cannot, with the `detailedErrorCode` of the receiver SDK.
    case failed(code: Int, detail: String)

    /// As the journal has it.
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
    /// By their names in lower case.
    var headers: [String: String]
    /// The first bytes of the body.
    var body: [UInt8]

    /// Size of the whole file.
    var totalSize: Int? {
        if self.status == 206 { return self.headers["content-range"]?.split(separator: "/").last.flatMap { Int($0) } }
        return self.headers["content-length"].flatMap { Int($0) }
    }

    /// Without parameters, in lower case.
    var contentType: String {
        String(self.headers["content-type"]?.lowercased().prefix { $0 != ";" } ?? "").filter { $0 != " " }
    }
}

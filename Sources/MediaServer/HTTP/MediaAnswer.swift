import BridgeCore
import NIOCore
import NIOHTTP1

/// The content that a request is about.
struct MediaSource {
    enum Body { case file(MediaFile), bytes(ByteBuffer) }

    let body: Body
    let size: Int
    let type: String
    let entityTag: String
    /// Seconds since 1970; `nil` for content in memory.
    let modified: Int?

    init(_ file: MediaFile, type: String) {
        (self.body, self.type, self.size, self.entityTag, self.modified) = (.file(file), type, file.size, file.entityTag, file.modified)
    }

    init(_ bytes: [UInt8], type: String, entityTag: String) {
        (self.body, self.type, self.size, self.entityTag, self.modified) = (
            .bytes(ByteBuffer(bytes: bytes)), type, bytes.count, entityTag, nil
        )
    }
}

/// Status and headers of an answer, and the bytes of the content that follow. Pure.
struct MediaAnswer {
    var status: HTTPResponseStatus
    var headers: HTTPHeaders = Self.common
    /// The bytes of the content to send.
    var body: Range<Int>?

    /// Receivers read tracks and adaptive media from pages of other origins, so every origin is allowed; the path is the secret.
    private static let common: HTTPHeaders = [
        "access-control-allow-origin": "*", "access-control-expose-headers": "Accept-Ranges, Content-Length, Content-Range",
        "x-content-type-options": "nosniff", "cache-control": "private, no-cache",
    ]

    private init(_ status: HTTPResponseStatus) { self.status = status }

    /// An answer without content: an error, or what OPTIONS asks for.
    static func bare(_ status: HTTPResponseStatus) -> Self {
        var answer = Self(status)
        if status != .noContent { answer.headers.add(name: "content-length", value: "0") }
        if status == .methodNotAllowed { answer.headers.add(name: "allow", value: "GET, HEAD, OPTIONS") }
        return answer
    }

    /// The answer to a preflight (Fetch, section 4.8). Browsers ask of a page of the Internet whether it may reach a private network.
    static var options: Self {
        var answer = Self.bare(.noContent)
        answer.headers.add(contentsOf: [
            "allow": "GET, HEAD, OPTIONS", "access-control-allow-methods": "GET, HEAD, OPTIONS",
            "access-control-allow-headers": "Range, If-Range, If-None-Match, Content-Type", "access-control-max-age": "7200",
            "access-control-allow-private-network": "true",
        ])
        return answer
    }

    /// The answer to GET or HEAD.
    init(_ request: HTTPRequestHead, _ facts: MediaSource) {
        let modified = facts.modified.map(HTTPDate.text)
        self.init(.ok)
        self.headers.add(contentsOf: ["etag": facts.entityTag, "accept-ranges": "bytes"])
        if let modified { self.headers.add(name: "last-modified", value: modified) }
        if Self.isKnown(request.headers, facts.entityTag, modified) {
            self.status = .notModified
            return
        }
        // Ranges are defined for GET alone; a condition that fails makes the range void.
        let isVoid = request.method != .GET || request.headers["if-range"].contains { $0 != facts.entityTag && $0 != modified }
        var body = 0..<facts.size
        switch isVoid ? .whole : ByteRange(request.headers["range"], size: facts.size) {
        case .whole: break
        case .part(let part):
            body = part
            self.status = .partialContent
            self.headers.add(name: "content-range", value: "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(facts.size)")
        case .unsatisfiable:
            self.status = .rangeNotSatisfiable
            self.headers.add(contentsOf: ["content-range": "bytes */\(facts.size)", "content-length": "0"])
            return
        }
        self.headers.add(contentsOf: ["content-type": facts.type, "content-length": "\(body.count)"])
        if request.method == .GET, !body.isEmpty { self.body = body }
    }

    /// Whether the client has this content already.
    private static func isKnown(_ headers: HTTPHeaders, _ tag: String, _ modified: String?) -> Bool {
        let tags = headers[canonicalForm: "if-none-match"]
        guard tags.isEmpty else { return tags.contains { $0 == "*" || $0 == tag || $0 == "W/\(tag)" } }
        return modified != nil && headers["if-modified-since"].first == modified
    }
}

import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

extension PageFile {
    static func named(_ path: String) -> PageFile? { self.all.first { $0.path == path } }

    /// Returns the answer to a request for this file.
    /// - Parameters:
    ///   - isVersioned: whether its address changes with its content, so that browsers may cache it forever.
    func response(to headers: HTTPFields, isVersioned: Bool) -> Response {
        var fields: HTTPFields = [.contentType: self.mediaType, .vary: "Accept-Encoding"]
        fields[.cacheControl] = isVersioned ? "public, max-age=31536000, immutable" : "no-cache"
        let isCompressed = Self.acceptsGzip(headers[.acceptEncoding])
        let tag = "\"\(Self.version)\(isCompressed ? "-gzip" : "")\""
        fields[.eTag] = tag
        if headers.hasTag(tag) { return Response(status: .notModified, headers: fields) }
        if isCompressed { fields[.contentEncoding] = "gzip" }
        return Response(status: .ok, headers: fields, body: ResponseBody(byteBuffer: isCompressed ? Self.bytes(self.gzip) : self.bytes))
    }

    private var bytes: ByteBuffer {
        switch self.content {
        case .text(let text): ByteBuffer(staticString: text)
        case .base64(let text): Self.bytes(text)
        }
    }

    private static func bytes(_ base64: StaticString) -> ByteBuffer {
        let text = base64.withUTF8Buffer { Data($0) }
        return ByteBuffer(bytes: Data(base64Encoded: text) ?? Data())
    }

    /// Returns whether the header `Accept-Encoding` accepts gzip (RFC 9110, 12.5.3).
    static func acceptsGzip(_ header: String?) -> Bool {
        for element in (header ?? "").lowercased().split(separator: ",") {
            let parts = element.split(separator: ";").map { $0.trimmed }
            guard parts.first == "gzip" || parts.first == "x-gzip" else { continue }
            return !parts.dropFirst().contains { $0.hasPrefix("q=0") && $0.dropFirst(2).allSatisfy { $0 == "0" || $0 == "." } }
        }
        return false
    }

    private var mediaType: String {
        switch self.path.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "json": "application/json"
        case "webmanifest": "application/manifest+json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "ico": "image/x-icon"
        case "woff2": "font/woff2"
        case "wav": "audio/wav"
        case "txt": "text/plain; charset=utf-8"
        default: "application/octet-stream"
        }
    }
}

extension HTTPFields {
    /// Returns whether `If-None-Match` names this tag, so that the client has the content.
    func hasTag(_ tag: String) -> Bool {
        (self[.ifNoneMatch] ?? "").split(separator: ",").contains { [tag, "W/\(tag)", "*"].contains($0.trimmed) }
    }
}

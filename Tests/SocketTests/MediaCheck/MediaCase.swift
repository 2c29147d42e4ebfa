import CastMediaCheck
import CastModels
import HTTPFetch
import NIOSSL
import Testing

/// A prepared server, a medium on it, and what the check must find there: no more and no less.
struct MediaCase: Sendable, CustomTestStringConvertible {
    typealias Answer = @Sendable (_ request: ScriptedHTTPServer.Request, _ plainPort: Int) -> ScriptedHTTPServer.Answer

    /// A finding, as far as it is compared.
    struct Expected: Sendable, Hashable {
        var code: MediaFinding.Code
        var subject = MediaFinding.Subject.media

        init(_ code: MediaFinding.Code, _ subject: MediaFinding.Subject = .media) { (self.code, self.subject) = (code, subject) }
    }

    var name: String
    var expected: Set<Expected>
    /// `nil` is http.
    var certificate: (@Sendable () throws -> NIOSSLContext)?
    var host = "media.example.com"
    var path = "/a.mp4"
    /// The content type of the load.
    var type: String?
    /// The paths of text tracks.
    var tracks: [String] = []
    var capabilities: DeviceCapabilities?
    var policy = AddressPolicy.everything
    var isClosed = false
    /// Whether a server that sends nothing, or does not stop, ends a fetch soon; otherwise it has the time that a busy machine takes.
    var isImpatient = false
    var answer: Answer

    var testDescription: String { self.name }

    init(_ name: String, _ expected: Expected..., answer: @escaping Answer = MediaCase.mp4) {
        (self.name, self.expected, self.answer) = (name, Set(expected), answer)
    }

    /// The same case with something changed.
    func with<Value>(_ path: WritableKeyPath<Self, Value>, _ value: Value) -> Self {
        var copy = self
        copy[keyPath: path] = value
        return copy
    }
}

extension MediaCase {
    /// A good file.
    static let mp4: Answer = { request, _ in Self.serve(request, MediaSamples.mp4(), "video/mp4") }

    static let allowed = "Access-Control-Allow-Origin: *"

    /// Answers as a good server does: with the range that is asked for.
    static func serve(
        _ request: ScriptedHTTPServer.Request, _ body: [UInt8], _ type: String?, headers: [String] = [], ranges: Bool = true
    ) -> ScriptedHTTPServer.Answer {
        let headers = headers + (type.map { ["Content-Type: \($0)"] } ?? [])
        let ends = request.header("Range").map { $0.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) } } ?? []
        guard ranges, ends.count == 2, ends[0] < body.count else { return .ok(body, headers: headers) }
        let range = ends[0]...min(ends[1], body.count - 1)
        return .ok(
            Array(body[range]), status: "206 Partial Content",
            headers: headers + ["Content-Range: bytes \(range.lowerBound)-\(range.upperBound)/\(body.count)"])
    }

    static func status(_ status: String) -> Answer {
        { _, _ in .ok(Array("no".utf8), status: status, headers: ["Content-Type: text/plain"]) }
    }

    static func redirect(_ location: @escaping @Sendable (ScriptedHTTPServer.Request, Int) -> String) -> Answer {
        { request, port in
            .ok([], status: "302 Found", headers: ["Location: \(location(request, port))", Self.allowed])
        }
    }

    static func file(_ body: [UInt8], _ type: String?, headers: [String] = []) -> Answer {
        { request, _ in Self.serve(request, body, type, headers: headers) }
    }

    /// A server of several files by path; anything else is 404. Tracks and manifests allow every origin, unless the path is among `closed`.
    static func site(
        _ files: [String: (type: String, body: [UInt8])], closed: Set<String> = [],
        preflight: String? = "Content-Type, Accept-Encoding, Range"
    ) -> Answer {
        { request, _ in
            if request.line.hasPrefix("OPTIONS") {
                let headers = preflight.map { [Self.allowed, "Access-Control-Allow-Headers: \($0)"] } ?? []
                return .ok([], status: preflight == nil ? "405 Method Not Allowed" : "204 No Content", headers: headers)
            }
            let path = String(request.path.prefix { $0 != "?" })
            guard let file = files[path] else { return .ok([], status: "404 Not Found", headers: [Self.allowed]) }
            return Self.serve(request, file.body, file.type, headers: closed.contains(path) ? [] : [Self.allowed])
        }
    }

    static let hls = "application/vnd.apple.mpegurl"
    static let stream: [String: (type: String, body: [UInt8])] = [
        "/a.m3u8": (Self.hls, MediaSamples.playlist), "/seg0.ts": ("video/mp2t", MediaSamples.transportStream),
    ]
    static let encryptedStream: [String: (type: String, body: [UInt8])] = [
        "/a.m3u8": (Self.hls, Array("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"key\"\n".utf8) + MediaSamples.playlist.dropFirst(8)),
        "/key": ("application/octet-stream", Array(MediaSamples.mp3.prefix(16))), "/seg0.ts": ("video/mp2t", MediaSamples.avi),
    ]
    static let dash: [String: (type: String, body: [UInt8])] = [
        "/a.mpd": ("application/dash+xml", MediaSamples.manifest), "/dash/v1/init.mp4": ("video/mp4", MediaSamples.mp4(count: 10)),
    ]

    /// A playlist without a list of codecs, with this segment.
    static func segment(_ body: [UInt8]) -> Answer {
        Self.site(["/a.m3u8": (Self.hls, MediaSamples.playlist), "/seg0.ts": ("video/mp2t", body)])
    }

    /// A DASH manifest, which lists H.264 and HEVC, with an initialization of these tracks.
    static func initialization(_ tracks: [UInt8]) -> Answer {
        Self.site([
            "/a.mpd": ("application/dash+xml", MediaSamples.manifest),
            "/dash/v1/init.mp4": ("video/mp4", MediaSamples.mp4(tracks, count: 10)),
        ])
    }

    static let subtitled: [String: (type: String, body: [UInt8])] = [
        "/a.mp4": ("video/mp4", MediaSamples.mp4()), "/en.vtt": ("text/vtt", MediaSamples.vtt),
    ]
}

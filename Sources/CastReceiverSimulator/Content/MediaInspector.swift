import FoundationEssentials

/// Decides which requests to send to web servers, and from their answers whether a receiver can play the media and how long they are.
///
/// It does no input and output: perform each step and pass in the answer until it is done.
struct MediaInspector: Sendable {
    enum Step: Sendable, Hashable {
        /// Request a URL from a byte on; read at most `limit` bytes of the body.
        case get(URL, from: Int, limit: Int)
        case done(FetchFinding)
    }

    /// `detailedErrorCode`s of the receiver SDK.
    private enum Code {
        static let mediaNetwork = 103
        static let sourceNotSupported = 104
        static let hlsMaster = 311
        static let hlsPlaylist = 312
        static let dashNetwork = 321
        static let hlsManifest = 411
        static let dashManifest = 420
        static let text = 600
    }

    private enum Kind: Sendable { case file, hls, dash }

    private enum Stage: Sendable {
        case media
        case variant
        case further(ContainerLength.Format)
        case track(index: Int, length: Double?)
    }

    static let headSize = 65_536
    static let manifestSize = 1_048_576
    private static let maximumRedirects = 5
    /// The largest number of further requested parts of one file.
    private static let maximumRanges = 16
    private static let maximumTracks = 8
    private static let hlsTypes = [
        "application/x-mpegurl", "application/vnd.apple.mpegurl", "audio/mpegurl", "audio/x-mpegurl",
    ]
    private static let dashTypes = ["application/dash+xml"]

    private let kind: Kind
    private let tracks: [URL]
    private var stage = Stage.media
    private var url: URL?
    private var offset = 0
    private var redirects = 0
    private var requests = 0

    /// - Parameter media: the MediaInformation of the item.
    init(media: JSON) {
        self.url = (media["contentUrl"]?.text ?? media["contentId"]?.text).flatMap(URL.init(string:))
        let type = media["contentType"]?.text?.lowercased() ?? ""
        self.kind = Self.hlsTypes.contains(type) ? .hls : Self.dashTypes.contains(type) ? .dash : .file
        self.tracks = (media["tracks"]?.elements ?? []).filter { $0["type"]?.text == "TEXT" }
            .compactMap { $0["trackContentId"]?.text.flatMap(URL.init(string:)) }.prefix(Self.maximumTracks).map(\.self)
    }

    /// Whether a script of the application's page sends the requests, so that other servers must permit them.
    var needsPermission: Bool {
        if case .track = self.stage { return true }
        return self.kind != .file
    }

    /// Whether the whole answer is needed, as for a manifest, and not only its start.
    var readsWhole: Bool {
        if case .track = self.stage { return false }
        return self.kind != .file
    }

    /// The largest number of requests: the media, or a playlist and the one that it names, and the tracks, each with all its redirects.
    private var maximumRequests: Int { (2 + self.tracks.count) * (Self.maximumRedirects + 1) + Self.maximumRanges }

    mutating func start() -> Step {
        guard let url, Self.isOnWeb(url) else { return self.fail(Code.sourceNotSupported, Self.noWebURL) }
        return self.get(url)
    }

    private static let noWebURL = "no http or https URL"

    private static func isOnWeb(_ url: URL) -> Bool {
        ["http", "https"].contains(url.scheme?.lowercased()) && !(url.host() ?? "").isEmpty
    }

    private mutating func get(_ url: URL, from offset: Int = 0) -> Step {
        guard Self.isOnWeb(url) else { return self.unreachable(Self.noWebURL) }
        (self.url, self.offset) = (url, offset)
        self.requests += 1
        guard self.requests <= self.maximumRequests else { return self.fail(Code.mediaNetwork, "too many requests") }
        return .get(url, from: offset, limit: self.kind == .file ? Self.headSize : Self.manifestSize)
    }

    private func fail(_ code: Int, _ detail: String) -> Step { .done(.failed(code: code, detail: detail)) }

    /// Returns the code for a network error; for adaptive media with the HTTP status appended.
    private func networkCode(status: Int? = nil) -> Int {
        if case .track = self.stage { return Code.text }
        let base: Int
        switch (self.kind, self.stage) {
        case (.file, _): return status == nil ? Code.mediaNetwork : Code.sourceNotSupported
        case (.hls, .variant): base = Code.hlsPlaylist
        case (.hls, _): base = Code.hlsMaster
        case (.dash, _): base = Code.dashNetwork
        }
        return status.map { base * 1_000 + $0 } ?? base
    }

    /// Handles a request without an answer.
    func unreachable(_ detail: String) -> Step { self.fail(self.networkCode(), detail) }

    mutating func answered(_ reply: HTTPReply) -> Step {
        if (300..<400).contains(reply.status), let location = reply.headers["location"],
            let target = URL(string: location, relativeTo: self.url)
        {
            self.redirects += 1
            guard self.redirects <= Self.maximumRedirects else { return self.fail(self.networkCode(), "too many redirects") }
            return self.get(target.absoluteURL, from: self.offset)
        }
        guard (200..<300).contains(reply.status) else {
            return self.fail(self.networkCode(status: reply.status), "status \(reply.status)")
        }
        if self.needsPermission, reply.headers["access-control-allow-origin"] == nil {
            return self.fail(self.networkCode(), "no Access-Control-Allow-Origin")
        }
        switch self.stage {
        case .media: return self.media(reply)
        case .variant: return self.manifest(.hls(String(decoding: reply.body, as: UTF8.self)), isMaster: false)
        case .further(let format):
            // A server without range support starts again from the beginning, so the duration stays unknown.
            guard reply.status == 206 else { return self.nextTrack(length: nil) }
            return self.search(format, reply)
        case .track(let index, let length): return self.nextTrack(after: index, length: length)
        }
    }

    private mutating func media(_ reply: HTTPReply) -> Step {
        let text = { String(decoding: reply.body, as: UTF8.self) }
        switch self.kind {
        case .hls: return self.manifest(.hls(text()), isMaster: true)
        case .dash: return self.manifest(.dash(text()), isMaster: true)
        case .file: break
        }
        let type = reply.contentType
        guard
            type.isEmpty || type == "application/octet-stream"
                || ["audio/", "video/", "image/", "application/ogg"].contains(where: type.hasPrefix)
        else { return self.fail(Code.sourceNotSupported, "content type \(type)") }
        if reply.totalSize == nil { return .done(.playable(seconds: nil, isStream: true)) }
        guard let format = ContainerLength.format(of: reply.body[...]) else { return self.nextTrack(length: nil) }
        return self.search(format, reply)
    }

    private mutating func search(_ format: ContainerLength.Format, _ reply: HTTPReply) -> Step {
        switch ContainerLength.search(format, reply.body[...], at: self.offset, size: reply.totalSize) {
        case .found(let seconds): return self.nextTrack(length: seconds)
        case .unknown: return self.nextTrack(length: nil)
        case .continues(let place):
            guard let url, place > self.offset, reply.totalSize.map({ place < $0 }) ?? true else { return self.nextTrack(length: nil) }
            self.stage = .further(format)
            return self.get(url, from: place)
        }
    }

    private mutating func manifest(_ manifest: Manifest, isMaster: Bool) -> Step {
        switch manifest {
        case .variant(let name):
            guard isMaster, let url = URL(string: name, relativeTo: self.url) else {
                return self.fail(Code.hlsManifest, "no media playlist")
            }
            (self.stage, self.redirects) = (.variant, 0)
            return self.get(url.absoluteURL)
        case .finite(let seconds): return self.nextTrack(length: seconds)
        case .live: return self.nextTrack(length: nil)
        case .broken: return self.fail(self.kind == .dash ? Code.dashManifest : Code.hlsManifest, "no manifest")
        }
    }

    private mutating func nextTrack(after index: Int = -1, length: Double?) -> Step {
        guard self.tracks.indices.contains(index + 1) else { return .done(.playable(seconds: length, isStream: false)) }
        (self.stage, self.redirects) = (.track(index: index + 1, length: length), 0)
        return self.get(self.tracks[index + 1])
    }
}

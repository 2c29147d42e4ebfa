import HTTPFetch
import NIOSSL
import Testing

extension MediaCase {
    static let issued = try? TestAuthority("Tests")
    static let stranger = try? TestAuthority("Stranger")

    private static func https(_ names: [String] = ["media.example.com"], days: ClosedRange<Int> = -5...90)
        -> @Sendable () throws -> NIOSSLContext
    {
        { try #require(Self.issued).server(names: names, days: days) }
    }

    /// Servers with one fault each.
    static let faults: [MediaCase] = Self.addressFaults + Self.answerFaults + Self.contentFaults + Self.manifestFaults + Self.trackFaults

    private static let addressFaults: [MediaCase] = [
        MediaCase("unknown name", .init(.nameNotResolved)).with(\.host, "missing.example.com"),
        MediaCase("name of multicast DNS", .init(.localName)).with(\.host, "nas.local"),
        MediaCase("name without a domain", .init(.localName)).with(\.host, "nas"),
        MediaCase("name in the hosts file", .init(.hostsFileName)).with(\.host, "hosted.example.com"),
        MediaCase("localhost", .init(.loopbackAddress)).with(\.host, "localhost"),
        MediaCase("loopback address", .init(.loopbackAddress)).with(\.host, "127.0.0.1").with(\.policy, .networks),
        MediaCase("link-local address", .init(.linkLocalAddress)).with(\.host, "169.254.1.1").with(\.policy, .networks),
        MediaCase("closed port", .init(.unreachable)).with(\.isClosed, true),
        MediaCase("no web server", .init(.invalidAnswer)) { _, _ in .bytes(Array("220 ftp ready\r\n\r\n".utf8)) },
        MediaCase("silent server", .init(.timedOut)) { _, _ in .stall([]) }.with(\.isImpatient, true),
        MediaCase("expired certificate", .init(.certificateExpired)).with(\.certificate, Self.https(days: -90...(-1))),
        MediaCase("certificate of tomorrow", .init(.certificateNotYetValid)).with(\.certificate, Self.https(days: 1...90)),
        MediaCase("self-signed certificate", .init(.certificateSelfSigned))
            .with(\.certificate) { try TestAuthority.selfSignedServer(names: ["media.example.com"]) },
        MediaCase("certificate of another name", .init(.certificateWrongName)).with(\.certificate, Self.https(["other.example.com"])),
        MediaCase("certificate of an unknown authority", .init(.certificateUntrusted))
            .with(\.certificate) { try #require(Self.stranger).server(names: ["media.example.com"]) },
    ]

    private static let answerFaults: [MediaCase] = [
        MediaCase(
            "redirect in a circle", .init(.redirectLoop),
            answer: Self.redirect { request, _ in request.path == "/a.mp4" ? "/b.mp4" : "/a.mp4" }),
        MediaCase("endless redirects", .init(.tooManyRedirects), answer: Self.redirect { request, _ in request.path + "x" }),
        MediaCase(
            "redirect to http", .init(.redirectToHTTP),
            answer: { request, port in
                let isTLS = request.header("Host") != "media.example.com:\(port)"
                return isTLS
                    ? .ok([], status: "302 Found", headers: ["Location: http://media.example.com:\(port)/a.mp4"]) : Self.mp4(request, port)
            }
        ).with(\.certificate, Self.https()),
        MediaCase("redirect to another scheme", .init(.invalidURL), answer: Self.redirect { _, _ in "ftp://media.example.com/a.mp4" }),
        MediaCase("login", .init(.loginRequired), answer: Self.status("401 Unauthorized")),
        MediaCase("forbidden", .init(.forbidden), answer: Self.status("403 Forbidden")),
        MediaCase("not found", .init(.notFound), answer: Self.status("404 Not Found")),
        MediaCase("gone", .init(.gone), answer: Self.status("410 Gone")),
        MediaCase("fault of the server", .init(.serverError), answer: Self.status("503 Service Unavailable")),
        MediaCase("another status", .init(.badStatus), answer: Self.status("429 Too Many Requests")),
        MediaCase("no bytes", .init(.empty), answer: Self.file([], "video/mp4")),
        MediaCase("ranges refused", .init(.wrongRanges), answer: Self.status("416 Range Not Satisfiable")),
        MediaCase("ranges ignored", .init(.noRanges)) { request, _ in Self.serve(request, MediaSamples.mp4(), "video/mp4", ranges: false) },
        MediaCase("wrong range", .init(.wrongRanges)) { _, _ in
            .ok(
                Array(MediaSamples.mp4().prefix(2000)), status: "206 Partial Content",
                headers: ["Content-Type: video/mp4", "Content-Range: bytes 100-2099/200500"])
        },
        MediaCase("other bytes in a range", .init(.wrongRanges)) { request, _ in
            var body = MediaSamples.mp4()
            if request.header("Range")?.hasPrefix("bytes=0-") == false { body.reverse() }
            return Self.serve(request, body, "video/mp4")
        },
    ]

    private static let contentFaults: [MediaCase] = [
        MediaCase("index at the end without ranges", .init(.indexAtEnd), .init(.noRanges)) { request, _ in
            Self.serve(request, MediaSamples.mp4(isIndexAtEnd: true), "video/mp4", ranges: false)
        },
        MediaCase("web page", .init(.webPage), answer: Self.file(MediaSamples.page, "text/html; charset=utf-8")),
        MediaCase("no type", .init(.noContentType), answer: Self.file(MediaSamples.mp4(), nil)),
        MediaCase("wrong type", .init(.wrongContentType), answer: Self.file(MediaSamples.mp4(), "text/plain")),
        MediaCase("loaded as another kind", .init(.wrongLoadType), answer: Self.file(MediaSamples.jpeg, "image/jpeg")).with(
            \.type, "video/mp4"),
        MediaCase("HLS loaded as a file", .init(.wrongLoadType), answer: Self.site(Self.stream)).with(\.path, "/a.m3u8").with(
            \.type, "video/mp4"),
        MediaCase("unknown format", .init(.unknownFormat), answer: Self.file(MediaSamples.noise(9000), "video/mp4")),
        MediaCase("AVI", .init(.containerNotSupported), answer: Self.file(MediaSamples.avi, "video/x-msvideo")),
        MediaCase(
            "a list of addresses", .init(.containerNotSupported),
            answer: Self.file(Array("#EXTM3U\nhttp://a.example.com/b.mp3\n".utf8), "audio/x-mpegurl")),
        MediaCase(
            "Matroska", .init(.containerDependsOnDevice),
            answer: Self.file(MediaSamples.matroska("matroska", codecs: ["V_MPEG4/ISO/AVC", "A_AAC"]), "video/x-matroska")),
        MediaCase("HEVC", .init(.codecDependsOnDevice), answer: Self.file(MediaSamples.mp4(MediaSamples.track("hvc1")), "video/mp4")),
        MediaCase(
            "DivX", .init(.codecNotSupported),
            answer: Self.file(MediaSamples.mp4(MediaSamples.track("mp4v", objectType: 0x20)), "video/mp4")),
        MediaCase(
            "DTS behind the media data", .init(.codecNotSupported),
            answer: Self.file(MediaSamples.mp4(MediaSamples.track("dtsc"), isIndexAtEnd: true), "video/mp4")),
        MediaCase("encrypted", .init(.protectedContent), answer: Self.file(MediaSamples.mp4(MediaSamples.track("encv")), "video/mp4")),
        MediaCase("picture without a screen", .init(.noScreen)).with(\.capabilities, [.audioOut]),
    ]

    private static let manifestFaults: [MediaCase] =
        [
            MediaCase("manifest without CORS", .init(.corsMissing), answer: Self.site(Self.stream, closed: ["/a.m3u8"])),
            MediaCase("segment without CORS", .init(.corsMissing, .manifestItem), answer: Self.site(Self.stream, closed: ["/seg0.ts"])),
            MediaCase(
                "segment missing", .init(.notFound, .manifestItem), answer: Self.site(["/a.m3u8": (Self.hls, MediaSamples.playlist)])),
            MediaCase("CORS for another origin", .init(.corsOtherOrigin)) { request, port in
                guard request.path == "/a.m3u8" else { return Self.site(Self.stream)(request, port) }
                return Self.serve(
                    request, MediaSamples.playlist, Self.hls, headers: ["Access-Control-Allow-Origin: https://app.example.com"])
            },
            MediaCase(
                "empty playlist", .init(.emptyManifest),
                answer: Self.file(Array("#EXTM3U\n#EXT-X-TARGETDURATION:6\n".utf8), Self.hls, headers: [Self.allowed])),
            MediaCase("variant is a web page", .init(.webPage, .manifestItem)) { request, port in
                Self.site([
                    "/a.m3u8": (Self.hls, MediaSamples.masterPlaylist), "/low.m3u8": ("text/html", MediaSamples.page),
                    "/high.m3u8": (Self.hls, MediaSamples.playlist),
                ])(request, port)
            },
            MediaCase(
                "segment in MPEG-2", .init(.codecNotSupported, .manifestItem),
                answer: Self.segment(MediaSamples.transportStream([0x02, 0x0F]))),
            MediaCase(
                "segment in HEVC", .init(.codecDependsOnDevice, .manifestItem),
                answer: Self.segment(MediaSamples.transportStream([0x24, 0x0F]))),
            MediaCase("segment in AVI", .init(.containerNotSupported, .manifestItem), answer: Self.segment(MediaSamples.avi)),
            MediaCase("segment with a picture, no screen", .init(.noScreen), answer: Self.segment(MediaSamples.transportStream([0x1B])))
                .with(\.capabilities, [.audioOut]),
        ].map { $0.with(\.path, "/a.m3u8") }
        + [
            MediaCase(
                "initialization missing", .init(.notFound, .manifestItem),
                answer: Self.site(["/a.mpd": ("application/dash+xml", MediaSamples.manifest)])),
            MediaCase(
                "initialization in DTS", .init(.codecNotSupported, .manifestItem),
                answer: Self.initialization(MediaSamples.track("avc1") + MediaSamples.track("dtsc"))),
            MediaCase(
                "encrypted initialization", .init(.protectedContent, .manifestItem),
                answer: Self.initialization(MediaSamples.track("encv"))),
        ].map { $0.with(\.path, "/a.mpd") }

    private static let trackFaults: [MediaCase] = [
        MediaCase("track without CORS", .init(.corsMissing, .track), answer: Self.site(Self.subtitled, closed: ["/en.vtt"])),
        MediaCase("medium without CORS beside a track", .init(.corsMissing), answer: Self.site(Self.subtitled, closed: ["/a.mp4"])),
        MediaCase("track missing", .init(.notFound, .track), answer: Self.site(["/a.mp4": ("video/mp4", MediaSamples.mp4())])),
        MediaCase(
            "SubRip", .init(.trackFormat, .track),
            answer: Self.site(Self.subtitled.merging(["/en.vtt": ("application/x-subrip", MediaSamples.srt)]) { $1 })),
        MediaCase("headers not allowed", .init(.corsHeaders, .track), answer: Self.site(Self.subtitled, preflight: "Content-Type, Range")),
        MediaCase("OPTIONS refused", .init(.corsHeaders, .track), answer: Self.site(Self.subtitled, preflight: nil)),
    ].map { $0.with(\.tracks, ["/en.vtt"]) }

    /// Servers without a fault.
    static let good: [MediaCase] = [
        MediaCase("MP4").with(\.type, "video/mp4").with(\.capabilities, [.videoOut, .audioOut]),
        MediaCase("MP4 over https").with(\.certificate, Self.https(["*.example.com"])),
        MediaCase("MP4 behind a redirect") { request, port in
            request.path == "/a.mp4" ? Self.redirect { _, _ in "b.mp4?token=1" }(request, port) : Self.mp4(request, port)
        },
        MediaCase("MP4 with its index at the end", answer: Self.file(MediaSamples.mp4(isIndexAtEnd: true), "video/mp4")),
        MediaCase("short sound without ranges") { request, _ in
            Self.serve(request, Array(MediaSamples.mp3.prefix(20_000)), "audio/mpeg", ranges: false)
        }.with(\.type, "audio/mpeg"),
        MediaCase("MP3", answer: Self.file(MediaSamples.mp3, "audio/mpeg")).with(\.capabilities, [.audioOut]),
        MediaCase("WAV", answer: Self.file(MediaSamples.wav, "audio/wav")),
        MediaCase("radio station") { _, _ in
            .stall(Array("HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\nicy-name: Test\r\n\r\n".utf8) + MediaSamples.mp3.prefix(9000))
        }.with(\.isImpatient, true),
        MediaCase("WebM", answer: Self.file(MediaSamples.matroska("webm", codecs: ["V_VP9", "A_OPUS"]), "video/webm")).with(
            \.type, "video/webm"),
        MediaCase("image", answer: Self.file(MediaSamples.jpeg, "image/jpeg")),
        MediaCase("HLS", answer: Self.site(Self.stream)).with(\.path, "/a.m3u8").with(\.type, "application/x-mpegURL"),
        MediaCase(
            "HLS with variants",
            answer: Self.site([
                "/a.m3u8": (Self.hls, MediaSamples.masterPlaylist), "/low.m3u8": (Self.hls, MediaSamples.playlist),
                "/high.m3u8": (Self.hls, MediaSamples.playlist),
            ])
        ).with(\.path, "/a.m3u8"),
        MediaCase("HLS with encrypted segments that look like a film", answer: Self.site(Self.encryptedStream)).with(\.path, "/a.m3u8"),
        MediaCase("DASH", answer: Self.site(Self.dash)).with(\.path, "/a.mpd"),
        MediaCase("MP4 with subtitles", answer: Self.site(Self.subtitled)).with(\.tracks, ["/en.vtt"]),
    ]
}

import CastModels
import Testing

@testable import CastMediaCheck
@testable import HTTPFetch
@testable import NetworkReach

/// The order and the bounds of the fetches of a check.
struct MediaCheckPlanTests {
    private static func plan(_ url: String = "http://a.example.com/a.m3u8", tracks: Int = 0) -> MediaCheckPlan {
        var media = MediaInformation(contentID: url)
        media.tracks = (0..<tracks).map { MediaTrack(trackID: $0, type: .text, contentID: "http://a.example.com/\($0).vtt") }
        return MediaCheckPlan(media: media, capabilities: nil, hostsFile: [], now: 0)
    }

    private static func response(_ request: HTTPFetchRequest, _ body: [UInt8], status: Int = 200, headers: [HTTPFetchRequest.Header] = [])
        -> HTTPFetchResponse
    {
        HTTPFetchResponse(
            status: status, headers: headers, body: Array(body.prefix(request.byteLimit)), isCut: body.count > request.byteLimit,
            address: NumericAddress(family: .ipv4, host: "10.0.0.1", port: 80, bytes: []))
    }

    /// Answers every fetch until the plan has finished.
    private static func run(_ plan: MediaCheckPlan, _ answer: (HTTPFetchRequest) -> HTTPFetchResponse) -> (
        requests: [HTTPFetchRequest], report: MediaCheckReport
    ) {
        var (plan, requests) = (plan, [HTTPFetchRequest]())
        while true {
            switch plan.next(remaining: .seconds(5)) {
            case .finished(let report): return (requests, report)
            case .certificates: plan.certificates([])
            case .fetch(let request):
                requests.append(request)
                plan.answered(.success(answer(request)))
            }
        }
    }

    @Test("a playlist, its first segment and the tracks are fetched in this order")
    func orderOfFetches() {
        let (requests, report) = Self.run(Self.plan(tracks: 1)) { request in
            Self.response(request, Array("#EXTM3U\n#EXT-X-MAP:URI=\"i.mp4\"\n#EXTINF:1,\na.ts\n#EXTINF:1,\nb.ts\n".utf8))
        }
        #expect(
            requests.map { "\($0.method.rawValue) \($0.url.split(separator: "/").last ?? "")" }
                == ["GET a.m3u8", "GET i.mp4", "GET a.ts", "GET 0.vtt", "OPTIONS 0.vtt"])
        #expect(report.isComplete)
    }

    /// A hostile server: everything is as large and as many as it can be.
    @Test("a hostile server gets a bounded number of requests, bytes and headers")
    func bounds() {
        let playlist = "#EXTM3U\n" + (0..<5000).map { "#EXT-X-STREAM-INF:BANDWIDTH=\($0)\n\($0).m3u8\n" }.joined()
        let (requests, _) = Self.run(Self.plan(tracks: 50)) {
            Self.response($0, Array(playlist.utf8) + .init(repeating: 0x20, count: 1 << 20))
        }
        #expect(requests.count == 1 + 3 + 2 * 4)
        #expect(requests.reduce(0) { $0 + $1.byteLimit } <= 256_000)
        var number = 0
        let (redirected, report) = Self.run(Self.plan(tracks: 50)) { request in
            number += 1
            return Self.response(request, [], status: 302, headers: [.init("Location", "/\(number)")])
        }
        #expect(redirected.count <= MediaCheckPlan.fetchLimit)
        #expect(report.findings.contains { $0.code == .tooManyRedirects })
        let headers = [HTTPFetchRequest.Header("X", String(repeating: "a", count: 100_000))]
        let (heavy, cut) = Self.run(Self.plan(tracks: 4)) { Self.response($0, Array("WEBVTT".utf8), headers: headers) }
        #expect(heavy.count == 3)
        #expect(!cut.isComplete)
    }

    private static func address(_ host: String) throws -> NumericAddress {
        try #require(try NumericAddress.resolve(host, port: 80, isNumeric: true).get().first)
    }

    @Test("what a server on the Internet names lies on the Internet", arguments: [("93.184.216.34", true), ("10.0.0.1", false)])
    func internetStaysInternet(host: String, isInternet: Bool) throws {
        let address = try Self.address(host)
        let file = Array("fLaC".utf8) + (0..<4_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let cases: [(url: String, count: Int, answer: (HTTPFetchRequest) -> HTTPFetchResponse)] = [
            // A redirect of the medium, of a track and its preflight.
            (
                "http://a.example.com/a.mp3", 2,
                { Self.response($0, [], status: 302, headers: [.init("Location", "http://b/\($0.url.hashValue)")]) }
            ),
            // A variant, a key and a segment.
            (
                "http://a.example.com/a.m3u8", 0,
                { Self.response($0, Array("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"http://k/k\"\n#EXTINF:1,\nhttp://s/a.ts\n".utf8)) }
            ),
            // Another part of the medium: the name of the server may have another address by then.
            (
                "http://a.example.com/a.flac", 0,
                { Self.response($0, file, status: 206, headers: [.init("Content-Range", "bytes 0-4003/4004")]) }
            ),
        ]
        for (url, tracks, answer) in cases {
            let (requests, _) = Self.run(Self.plan(url, tracks: tracks)) { request in
                var response = answer(request)
                response.address = address
                return response
            }
            let given = [url] + (0..<tracks).map { "http://a.example.com/\($0).vtt" }
            let led = requests.filter {
                $0.method == .get && (!given.contains($0.url) || $0.headers.contains { $0.value.hasPrefix("bytes=1024-") })
            }
            #expect(!led.isEmpty && led.allSatisfy { $0.scopes == (isInternet ? [.global] : Set(AddressPolicy.Scope.allCases)) }, "\(led)")
            #expect(requests.first?.scopes == nil)
        }
    }

    @Test("a server that was reached over the Internet stays bound to it")
    func boundToInternet() throws {
        let (internet, home) = (try Self.address("93.184.216.34"), try Self.address("192.168.1.30"))
        var plan = Self.plan()
        guard case .fetch(let first) = plan.next(remaining: .seconds(5)) else { return #expect(Bool(false)) }
        var response = Self.response(first, [], status: 302, headers: [.init("Location", "https://c.example.com/")])
        response.address = internet
        plan.answered(.success(response))
        guard case .fetch(let second) = plan.next(remaining: .seconds(5)) else { return #expect(Bool(false)) }
        #expect(second.scopes == [.global])
        plan.answered(.failure(HTTPFetchError(.tlsFailed, "tls")))
        guard case .certificates(_, let scopes, _) = plan.next(remaining: .seconds(5)) else { return #expect(Bool(false)) }
        #expect(scopes == [.global])
        plan.certificates([])
        // The refusal names why.
        var other = Self.plan()
        _ = other.next(remaining: .seconds(5))
        other.answered(.success(response))
        _ = other.next(remaining: .seconds(5))
        other.answered(.failure(HTTPFetchError(.addressRefused, "refused", address: home)))
        guard case .finished(let report) = other.next(remaining: .seconds(5)) else { return #expect(Bool(false)) }
        #expect(report.findings.contains { $0.code == .addressRefused && $0.text.hasPrefix("A server on the Internet") })
    }

    @Test("a check without remaining time ends incomplete")
    func timeThatIsOver() {
        var plan = Self.plan()
        guard case .finished(let report) = plan.next(remaining: .zero) else {
            Issue.record("it goes on")
            return
        }
        #expect(!report.isComplete)
    }

    @Test("a cancelled check ends without a finding")
    func cancelledCheckEnds() {
        var plan = Self.plan(tracks: 2)
        _ = plan.next(remaining: .seconds(5))
        plan.answered(.failure(HTTPFetchError(.cancelled, "cancelled")))
        guard case .finished(let report) = plan.next(remaining: .seconds(5)) else {
            Issue.record("it goes on")
            return
        }
        #expect(!report.isComplete)
        #expect(report.findings.isEmpty)
    }

    /// The second answer may be slow as well: its beginning is enough.
    @Test(
        "a second range that is cut is judged by its beginning",
        arguments: [(64, false, false), (10, true, false), (0, true, false), (10, false, true)])
    func secondRange(_ count: Int, isCut: Bool, isFault: Bool) {
        let file = Array("fLaC".utf8) + (0..<4_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let (requests, report) = Self.run(Self.plan("http://a.example.com/a.flac")) { request in
            let offset = request.headers.contains { $0.value.hasPrefix("bytes=1024-") } ? 1_024 : 0
            let end = offset == 0 ? file.count : 1_088
            var response = Self.response(
                request, Array(file[offset..<end].prefix(offset == 0 ? file.count : count)), status: 206,
                headers: [
                    .init("Content-Type", "audio/flac"), .init("Content-Range", "bytes \(offset)-\(end - 1)/\(file.count)"),
                ])
            response.isCut = offset > 0 && isCut
            return response
        }
        #expect(requests.count == 2)
        #expect(report.findings.contains { $0.code == .wrongRanges } == isFault, "\(report.findings.map(\.text))")
    }

    @Test("a track that redirects in a circle is not asked about CORS")
    func trackThatRedirectsInACircleIsNotAskedAbout() {
        let (requests, report) = Self.run(Self.plan(tracks: 1)) { request in
            request.url.hasSuffix(".vtt")
                ? Self.response(request, [], status: 302, headers: [.init("Location", "/0.vtt")])
                : Self.response(request, Array("#EXTM3U\n#EXTINF:1,\na.ts\n".utf8))
        }
        #expect(report.findings.contains { $0.code == .redirectLoop })
        #expect(!requests.contains { $0.method == .options })
    }

    @Test(
        "a codec that is not supported is an error unless another one can play",
        arguments: [([.h264, .aac, .dts], .warning), ([.h264, .dts], .error)] as [(Set<MediaCodec>, MediaFinding.Severity)])
    func unplayableTrack(_ codecs: Set<MediaCodec>, _ severity: MediaFinding.Severity) {
        var plan = Self.plan()
        plan.judgeCodecs(codecs, isProtected: false, MediaCheckStep(.media, .media, "http://a.example.com/a.mp4"))
        #expect(plan.report.findings.first { $0.code == .codecNotSupported }?.severity == severity)
    }

    @Test("a connection leaves time for another address")
    func connectionLeavesTimeForAnotherAddress() {
        let (requests, _) = Self.run(Self.plan()) { Self.response($0, []) }
        #expect(requests.first.map { $0.connectLimit * 2 < $0.timeLimit && $0.connectLimit > .seconds(1) } == true)
    }
}

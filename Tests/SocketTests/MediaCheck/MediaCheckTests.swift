import CastMediaCheck
import CastModels
import HTTPFetch
import NIOPosix
import NIOSSL
import NetworkReach
import Testing

/// The check against prepared servers over real sockets: it finds each fault, and nothing else.
@Suite(.serialized)
struct MediaCheckTests {
    @Test("each fault of a server is found", arguments: MediaCase.faults)
    func fault(_ prepared: MediaCase) async throws { try await Self.expect(prepared) }

    @Test("a good medium has no finding", arguments: MediaCase.good)
    func good(_ prepared: MediaCase) async throws { try await Self.expect(prepared) }

    @Test("there are forty faults and ten good media at least")
    func thereAreEnoughServers() {
        #expect(MediaCase.faults.count >= 40)
        #expect(MediaCase.good.count >= 10)
        #expect(!MediaCase.good.contains { !$0.expected.isEmpty })
    }

    @Test("a report has the facts of a medium")
    func factsOfAMedium() async throws {
        let report = try await Self.run(MediaCase("facts"))
        #expect(report.isComplete)
        #expect(report.facts.status == 206)
        #expect(report.facts.contentType == "video/mp4")
        #expect(report.facts.size == MediaSamples.mp4().count)
        #expect(report.facts.container == "mp4")
        #expect(report.facts.codecs == ["aac", "h264"])
        #expect(report.facts.acceptsRanges == true)
        #expect(report.facts.redirectCount == 0)
    }

    @Test("a check ends at its limit")
    func limitEndsTheCheck() async throws {
        let server = try await ScriptedHTTPServer { _ in .stall([]) }
        let media = MediaInformation(contentID: "http://media.example.com:\(server.port)/a.mp4")
        let report = await Self.check(.everything).run(media, within: .milliseconds(200))
        #expect(!report.isComplete)
        #expect(report.findings.isEmpty)
        await server.close()
    }

    @Test("a disk that hangs does not hold the check")
    func diskThatHangsDoesNotHoldTheCheck() async throws {
        let fetcher = HTTPFetcher(group: MultiThreadedEventLoopGroup.singleton, policy: .networks)
        let check = MediaCheck(fetcher: fetcher) { await withUnsafeContinuation { (_: UnsafeContinuation<Set<String>, Never>) in } }
        let report = await check.run(MediaInformation(contentID: "http://127.0.0.1:9/"), within: .seconds(120))
        #expect(report.isComplete)
        #expect(report.findings.map(\.code) == [.loopbackAddress])
    }

    private static func expect(_ prepared: MediaCase) async throws {
        let report = try await Self.run(prepared)
        let found = Set(report.findings.map { MediaCase.Expected($0.code, $0.subject) })
        #expect(found == prepared.expected, "\(report.findings.map { "\($0.code.rawValue) \($0.subject): \($0.text)" })")
        #expect(!report.findings.contains { $0.text.isEmpty || $0.remedy.isEmpty })
        #expect(report.isComplete)
    }

    private static func run(_ prepared: MediaCase) async throws -> MediaCheckReport {
        let answer = prepared.answer
        let plain = try await ScriptedHTTPServer(tls: nil) { [answer] request in
            answer(request, request.header("Host").flatMap { $0.split(separator: ":").last.flatMap { Int($0) } } ?? 0)
        }
        let plainPort = plain.port
        let secure = try await prepared.certificate.asyncMap { certificate in
            try await ScriptedHTTPServer(tls: certificate()) { answer($0, plainPort) }
        }
        if prepared.isClosed { await plain.close() }
        let base = secure.map { "https://\(prepared.host):\($0.port)" } ?? "http://\(prepared.host):\(plainPort)"
        var media = MediaInformation(contentID: base + prepared.path, contentType: prepared.type)
        media.tracks = prepared.tracks.enumerated().map { MediaTrack(trackID: $0 + 1, type: .text, contentID: base + $1) }
        let report = await Self.check(prepared.policy, isImpatient: prepared.isImpatient).run(
            media, capabilities: prepared.capabilities, within: .seconds(120))
        await plain.close()
        await secure?.close()
        return report
    }

    private static func check(_ policy: AddressPolicy, isImpatient: Bool = false) -> MediaCheck {
        var pace = MediaCheckPlan.Pace()
        (pace.fetch, pace.body) = isImpatient ? (.seconds(5), .milliseconds(500)) : (.seconds(60), .seconds(60))
        let trust = (try? MediaCase.issued?.trust()) ?? .default
        let fetcher = HTTPFetcher(group: MultiThreadedEventLoopGroup.singleton, policy: policy, trustRoots: trust) { host, port in
            let isKnown = ["media.example.com", "hosted.example.com", "nas.local", "nas", "localhost"].contains(host)
            return NumericAddress.resolve(isKnown ? "127.0.0.1" : host, port: port, isNumeric: true)
        }
        return MediaCheck(fetcher: fetcher, pace: pace) { ["hosted.example.com"] }
    }
}

extension Optional {
    fileprivate func asyncMap<Result>(_ body: (Wrapped) async throws -> Result) async rethrows -> Result? {
        if let self { try await body(self) } else { nil }
    }
}

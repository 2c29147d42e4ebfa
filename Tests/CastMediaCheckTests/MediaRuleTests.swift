import CastModels
import Testing

@testable import CastMediaCheck

/// The rules of the media check that need no server.
struct MediaRuleTests {
    @Test(
        "a name that only this network knows is a finding",
        arguments: [
            ("nas.local", .localName), ("NAS.LOCAL.", .localName), ("nas", .localName), ("tv.fritz.box", .localName),
            ("a.home.arpa", .localName),
            ("localhost", .loopbackAddress), ("a.localhost", .loopbackAddress), ("media.example.com", nil), ("192.168.1.5", nil),
            ("fd00::1", nil),
            ("hosted.example.com", .hostsFileName), ("Hosted.Example.com", .hostsFileName), ("local.example.com", nil),
            ("mylan", .localName),
        ] as [(String, MediaFinding.Code?)])
    func hostNames(_ host: String, _ code: MediaFinding.Code?) {
        #expect(HostNameRule.finding(host: host, hostsFile: ["hosted.example.com"]) == code)
    }

    @Test("the hosts file gives names in lower case, without comments")
    func hostsFile() {
        let names = HostNameRule.names(inHostsFile: "127.0.0.1\tlocalhost  Box # a comment\n#10.0.0.1 no\n\n10.0.0.2 nas.example.com\r\n")
        #expect(names == ["localhost", "box", "nas.example.com"])
    }

    @Test(
        "an origin is allowed by a star or by the receiver's own",
        arguments: [
            (nil, .corsMissing), ("", .corsMissing), ("*", nil), (" * ", nil), ("https://www.gstatic.com", nil),
            ("https://a.example.com", .corsOtherOrigin),
            ("*, *", .corsOtherOrigin), ("null", .corsOtherOrigin),
        ] as [(String?, MediaFinding.Code?)])
    func origins(_ allowed: String?, _ code: MediaFinding.Code?) { #expect(OriginRule.finding(allowed: allowed) == code) }

    @Test(
        "headers that a preflight does not allow are named",
        arguments: [
            (nil, ["content-type", "accept-encoding", "range"]), ("*", []), ("Range, content-type ,Accept-Encoding", []),
            ("Content-Type,Range", ["accept-encoding"]),
        ] as [(String?, [String])])
    func headers(_ allowed: String?, _ missing: [String]) { #expect(OriginRule.missingHeaders(allowed: allowed) == missing) }

    @Test(
        "a range fits if it has the bytes that were asked for",
        arguments: [
            ("bytes 0-9/100", 10, true), ("bytes 0-9/*", 10, true), ("Bytes 0-9/100", 10, true), ("bytes 0-9/100", 9, false),
            ("bytes 1-10/100", 10, false),
            ("bytes */100", 10, false), ("0-9/100", 10, false), ("bytes 9-0/100", 10, false), ("bytes 0-9", 10, false), (nil, 10, false),
            ("bytes 0-9/100", nil, true), ("bytes 0-9223372036854775807/*", 10, false), ("bytes 0-9223372036854775807/*", nil, true),
            ("bytes 0-99999999999999999999/*", 10, false), ("bytes 0-9/100", 0, false),
        ] as [(String?, Int?, Bool)])
    func ranges(_ header: String?, _ count: Int?, fits: Bool) {
        #expect((RangeRule.fault(contentRange: header, offset: 0, count: count) == nil) == fits)
    }

    @Test(
        "a certificate covers its names, a star one label",
        arguments: [
            ("a.example.com", "a.example.com", true), ("*.example.com", "a.example.com", true), ("*.example.com", "A.Example.com", true),
            ("*.example.com", "a.b.example.com", false), ("*.example.com", "example.com", false), ("192.168.1.5", "192.168.1.5", true),
        ])
    func certificateNames(_ name: String, _ host: String, covers: Bool) { #expect(CertificateFault.covers(name, host: host) == covers) }

    @Test("a certificate that can't be read is a fault of TLS")
    func unreadableCertificate() {
        #expect(CertificateFault.finding(chain: [], host: "a", now: 0).code == .tlsFailed)
        #expect(CertificateFault.finding(chain: [[1, 2, 3]], host: "a", now: 0).code == .tlsFailed)
    }

    @Test(
        "a codec is known by its sample entry",
        arguments: [
            ("avc1.64001f", .h264), ("hev1.1.6", .hevc), ("mp4a.40.2", .aac), ("mp4a.6B", .mp3), ("vp09.00", .vp9), ("ec-3", .eac3),
            ("dvh1.05", .dolbyVision),
            ("stpp", nil), ("", nil),
        ] as [(String, MediaCodec?)])
    func codecs(_ name: String, _ codec: MediaCodec?) { #expect(MediaCodec(sampleEntry: name) == codec) }

    @Test("every code has one severity and one remedy")
    func catalogue() {
        let codes = MediaFinding.known.map(\.code)
        #expect(Set(codes).count == codes.count)
        #expect(codes.count >= 40)
        for known in MediaFinding.known {
            #expect(known.remedy.hasSuffix("."), "\(known.code)")
            #expect(MediaFinding(known.code, .media, url: nil, "a").severity == known.severity)
        }
    }

    @Test(
        "a medium can be checked if it has a web address",
        arguments: [
            ("http://a.example.com/b", nil, true), (nil, "https://a.example.com/b", true), ("some-id", "https://a.example.com/b", true),
            ("some-id", nil, false),
            (nil, nil, false), ("file:///etc/passwd", nil, false),
        ] as [(String?, String?, Bool)])
    func addresses(_ id: String?, _ url: String?, canCheck: Bool) {
        #expect(MediaCheck.canCheck(MediaInformation(contentID: id, contentURL: url)) == canCheck)
    }
}

import Testing

@testable import CastMediaCheck

/// Reading HLS playlists and DASH manifests.
struct ManifestTests {
    @Test("an HLS playlist has variants with their codecs, and renditions")
    func variants() {
        let content = HLSPlaylist.read(
            Array(
                """
                #EXTM3U
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="x, y",URI="audio/en.m3u8"
                #EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="hvc1.1.6.L93,mp4a.40.2",AUDIO="a"
                video/1.m3u8?token=1
                #EXT-X-STREAM-INF:BANDWIDTH=2,CODECS="hvc1.1.6,ec-3"
                video/2.m3u8
                #EXT-X-STREAM-INF:BANDWIDTH=3
                video/3.m3u8

                """.utf8))
        #expect(content.items == ["audio/en.m3u8", "video/1.m3u8?token=1", "video/2.m3u8"])
        #expect(content.codecs == [.hevc, .aac, .eac3])
        #expect(content.requiredCodecs == [.hevc])
        #expect(!content.isEmpty && !content.isProtected)
    }

    @Test("an HLS playlist has segments with their key and their initialization")
    func segments() {
        let content = HLSPlaylist.read(
            Array(
                "\u{FEFF}#EXTM3U\r\n#EXT-X-KEY:METHOD=AES-128,URI=\"key?a=1\",IV=0x1\r\n#EXT-X-MAP:URI=\"init.mp4\"\r\n#EXTINF:6,\r\n 1.m4s \r\n#EXTINF:6,\r\n2.m4s\r\n"
                    .utf8))
        #expect(content.items == ["key?a=1", "init.mp4", "1.m4s"])
        #expect(content.hasEncryptedSegments && !content.isProtected)
    }

    @Test(
        "an HLS playlist is protected by a key that only a DRM system gives",
        arguments: [
            ("METHOD=SAMPLE-AES,URI=\"skd://a\"", true), ("METHOD=NONE", false), ("METHOD=AES-128,URI=\"k\",KEYFORMAT=\"com.apple\"", true),
        ])
    func keys(_ attributes: String, isProtected: Bool) {
        #expect(HLSPlaylist.read(Array("#EXTM3U\n#EXT-X-KEY:\(attributes)\n#EXTINF:1,\na.ts\n".utf8)).isProtected == isProtected)
    }

    @Test(
        "a manifest without content is empty",
        arguments: ["", "#EXTM3U", "#EXTM3U\n#EXT-X-ENDLIST\n", "<MPD/>", "<MPD><Period></Period></MPD>"])
    func empty(_ text: String) {
        #expect(HLSPlaylist.read(Array(text.prefix { $0 != "<" }.utf8)).isEmpty)
        #expect(DASHManifest.read(Array(text.utf8)).isEmpty)
    }

    @Test(
        "a DASH manifest names its segments in every form",
        arguments: [
            ("<SegmentTemplate initialization='$RepresentationID$_$Bandwidth$.mp4'/><Representation id='v' bandwidth='9'/>", "v_9.mp4"),
            ("<Representation id='v'><BaseURL>v.mp4</BaseURL><SegmentBase indexRange='1-2'/></Representation>", "v.mp4"),
            (
                "<Representation><SegmentList><Initialization sourceURL='i.mp4'/><SegmentURL media='1.m4s'/></SegmentList></Representation>",
                "i.mp4"
            ),
            ("<Representation><SegmentList><SegmentURL media='1.m4s'/></SegmentList></Representation>", "1.m4s"),
            ("<SegmentTemplate media='$Number$.m4s' startNumber='7'/><Representation id='v'/><Representation id='w'/>", "7.m4s"),
            ("<SegmentTemplate media='$$$RepresentationID$$$.m4s'/><Representation id='$Number$'/>", "$$Number$$.m4s"),
            ("<BaseURL>a/</BaseURL><BaseURL>b/</BaseURL><Representation><BaseURL>../c/v.mp4</BaseURL></Representation>", "c/v.mp4"),
        ])
    func dash(_ set: String, _ item: String) {
        let content = DASHManifest.read(Array("<MPD><Period><AdaptationSet>\(set)</AdaptationSet></Period></MPD>".utf8))
        #expect(content.items == [item])
        #expect(!content.isEmpty)
    }

    @Test("a DASH manifest has base addresses, codecs and protection at each level")
    func dashBases() {
        let text = """
            <MPD><BaseURL>http://cdn.example.com/a/</BaseURL><Period><BaseURL>p/</BaseURL><AdaptationSet codecs="av01.0">
            <ContentProtection schemeIdUri="urn:mpeg:dash:mp4protection:2011"/><Representation id="1"><BaseURL>v.mp4?a=1&amp;b=2</BaseURL></Representation></AdaptationSet>
            <AdaptationSet><Representation id="2" codecs="mp4a.40.2"><BaseURL>/s.mp4</BaseURL></Representation>
            """
        let content = DASHManifest.read(Array(text.utf8))
        #expect(content.items == ["http://cdn.example.com/a/p/v.mp4?a=1&b=2", "http://cdn.example.com/s.mp4"])
        #expect(content.isProtected)
        #expect(content.requiredCodecs == [.av1, .aac])
    }

    /// A template that is filled in again and again would make gigabytes of a few kilobytes.
    @Test(
        "a template of a DASH manifest is bounded",
        arguments: [
            (String(repeating: "$RepresentationID$", count: 56), 256, 56 * 256),
            (String(repeating: "$RepresentationID$", count: 57), 1, nil),
            ("$RepresentationID$$Number$", 256, 257),
            ("$RepresentationID$", 257, nil), ("$Number%05d$", 1, nil), ("$RepresentationID", 1, nil),
        ] as [(String, Int, Int?)])
    func dashTemplates(_ template: String, _ idLength: Int, _ length: Int?) {
        let id = String(repeating: "a", count: idLength)
        let set = "<AdaptationSet><SegmentTemplate media='\(template)'/><Representation id='\(id)'/></AdaptationSet>"
        let content = DASHManifest.read(Array("<MPD>\(set)</MPD>".utf8))
        // Addresses above the length limit are left out.
        #expect(content.items.map(\.utf8.count) == [length].compactMap { $0 }.filter { $0 <= 8_192 })
        #expect(!content.isEmpty)
    }

    @Test("variants and their codecs are bounded")
    func variantsAreBounded() {
        let variants = String(repeating: "<Representation codecs='avc1'/>", count: 1_000)
        #expect(DASHManifest.read(Array("<MPD><AdaptationSet>\(variants)".utf8)).variants.count == ManifestContent.variantLimit)
        let lines = String(repeating: "#EXT-X-STREAM-INF:CODECS=\"avc1\"\na\n", count: 1_000)
        #expect(HLSPlaylist.read(Array("#EXTM3U\n\(lines)".utf8)).variants.count == ManifestContent.variantLimit)
        let long = String(repeating: "avc1,", count: 100)
        #expect(DASHManifest.read(Array("<MPD><AdaptationSet><Representation codecs='\(long)'/>".utf8)).variants.isEmpty)
    }

    @Test(
        "a relative reference is resolved as RFC 3986 says",
        arguments: [
            ("http://h/a/b?c", "d", "http://h/a/d"), ("http://h/a/b", "../d", "http://h/d"), ("http://h/a/b", "../../../d", "http://h/d"),
            ("http://h", "d", "http://h/d"), ("http://h/a/b?c", "/d", "http://h/d"), ("http://h/a/b?c", "?d", "http://h/a/b?d"),
            ("https://h/a", "//i/d", "https://i/d"), ("http://h/a", "https://i/d", "https://i/d"), ("http://h/a/", "./d", "http://h/a/d"),
            ("a/b", "../../d", "../d"), ("a", "d", "d"), ("/a/b", "d", "/a/d"), ("", "d", "d"), ("a/", "", "a/"), ("//h/a", "d", "//h/d"),
        ])
    func references(_ base: String, _ reference: String, _ resolved: String) {
        #expect(RelativeReference.resolve(reference, against: base) == resolved)
    }
}

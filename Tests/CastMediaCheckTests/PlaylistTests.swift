import Testing

@testable import CastMediaCheck

@Suite("Playlists that are no manifests") struct PlaylistTests {
    static let cases: [(text: String, entries: [String])] = [
        ("#EXTM3U\n#EXTINF:-1,Harbour Radio\nhttp://h/1\n\nb.mp3\n", ["http://h/1 Harbour Radio", "b.mp3 -"]),
        ("http://h/1\r\n# a comment\r\nhttp://h/2\r\n", ["http://h/1 -", "http://h/2 -"]),
        ("#EXTM3U\n#EXTINF:5,\na\n#EXTINF:7\nb", ["a -", "b -"]), ("", []), ("#EXTM3U", []),
        (#"#EXTINF:-1 group-title="News, Sport",One"# + "\nhttp://h/1", ["http://h/1 One"]),
        ("[playlist]\nFile2=http://h/2\nTitle1=One\nfile1 = x\nFile1=http://h/1\nNumberOfEntries=2", ["http://h/1 One", "http://h/2 -"]),
        ("[PLAYLIST]\nFile1\nFile=\nTitle1=x", []), ("\u{FEFF}#EXTM3U\nä.mp3", ["ä.mp3 -"]),
    ]

    @Test("entries in their order, with their titles", arguments: cases)
    func entries(text: String, entries: [String]) {
        #expect(Playlist.read(Array(text.utf8)).map { "\($0.location) \($0.title ?? "-")" } == entries)
    }

    @Test("at most 500 entries are read")
    func bound() {
        let text = (0..<2000).map { "http://h/\($0)" }.joined(separator: "\n")
        #expect(Playlist.read(Array(text.utf8)).count == Playlist.entryLimit)
        let list = "[playlist]\n" + (1...2000).map { "File\($0)=http://h/\($0)" }.joined(separator: "\n")
        #expect(Playlist.read(Array(list.utf8)).count == Playlist.entryLimit)
        for _ in 0..<200 { _ = Playlist.read((0..<500).map { _ in UInt8.random(in: 0...255) }) }
    }
}

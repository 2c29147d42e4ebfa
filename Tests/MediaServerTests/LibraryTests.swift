import BridgeCore
import CastModels
import Foundation
import TestSupport
import Testing

@testable import MediaServer

@Suite("Media in folders") struct LibraryTests {
    private static let srt =
        "1\r\n00:00:01,000 --> 00:00:02,500 X1:0 X2:100\r\nGrüße, »Ä«\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n<i>b</i>, c\r\n"
    private static let vtt = "WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.500\nGrüße, »Ä«\n\n2\n00:00:03.000 --> 00:00:04.000\n<i>b</i>, c\n\n"

    private static func utf16(_ text: String, isBig: Bool) -> [UInt8] {
        [0xFEFF as UInt16].map { $0 }.appending(text.utf16).flatMap {
            isBig ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)]
        }
    }

    static let encodings: [(name: String, bytes: [UInt8])] = [
        ("UTF-8", Array(srt.utf8)), ("UTF-8 with a mark", [0xEF, 0xBB, 0xBF] + Array(srt.utf8)),
        ("UTF-16 LE", utf16(srt, isBig: false)), ("UTF-16 BE", utf16(srt, isBig: true)),
        ("Windows-1252", srt.unicodeScalars.map { UInt8($0.value) }), ("WebVTT", Array(vtt.dropLast().utf8)),
    ]

    @Test("SubRip in every usual encoding becomes the same WebVTT", arguments: encodings)
    func subtitles(name: String, bytes: [UInt8]) {
        #expect(String(decoding: SubtitleText.webVTT(bytes), as: UTF8.self) == Self.vtt, "\(name)")
    }

    @Test("a byte of Windows-1252 becomes its character; any bytes become some text")
    func anyBytes() {
        #expect(SubtitleText.decoded([0x80, 0x93, 0xE9]) == "€“é")
        for length in 0..<300 { _ = SubtitleText.webVTT((0..<length).map { _ in UInt8.random(in: 0...255) }) }
        for head in [[0xFF, 0xFE], [0xFE, 0xFF], [0xEF, 0xBB, 0xBF]] as [[UInt8]] {
            for rest in 0..<4 { _ = SubtitleText.webVTT(head + [UInt8](repeating: 0xD8, count: rest)) }
        }
    }

    private static func folder(_ files: [String]) throws -> (directory: TemporaryDirectory, library: MediaLibrary) {
        let directory = try TemporaryDirectory()
        for file in files {
            let path = directory.file(file)
            try FileManager.default.createDirectory(atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            let isImage = [".jpg", ".png"].contains { file.lowercased().hasSuffix($0) },
                isText = [".srt", ".vtt", ".txt"].contains { file.hasSuffix($0) }
            let content: [UInt8] = isImage ? [0xFF, 0xD8, 0xFF, 0xE0] : isText ? Array(Self.srt.utf8) : Array("fLaC0000".utf8)
            try Data(content).write(to: URL(fileURLWithPath: path))
        }
        return (directory, MediaLibrary(MediaFolders([MediaFolder(name: "f", path: directory.path)])))
    }

    @Test("a folder's media in natural order, with covers; pictures count only where there is nothing else")
    func queue() throws {
        let (directory, library) = try Self.folder([
            "a/track 10.flac", "a/track 2.flac", "a/Cover.JPG", "a/notes.txt", "a/sub/x.flac", "a/track 2.png", "a/track #3?.flac",
            "p/2.jpg", "p/10.jpg",
            "e/x.txt",
        ])
        let items = try #require(MediaPath("f/a").flatMap(library.items))
        #expect(items.map(\.path.name) == ["track 2.flac", "track 10.flac", "track #3?.flac"])
        #expect(Set(items.map(\.type)) == ["audio/flac"])
        #expect(items.map { $0.cover?.name } == ["track 2.png", "Cover.JPG", "Cover.JPG"])
        #expect(MediaPath("f/p").flatMap(library.items)?.map(\.path.name) == ["2.jpg", "10.jpg"])
        for path in ["f/e", "f/none", "f/a/notes.txt", "other"] { #expect(MediaPath(path).flatMap(library.items) == nil, "\(path)") }
        withExtendedLifetime(directory) {}
    }

    @Test("the pictures of a folder are read once, and again after it has changed")
    func knownPictures() throws {
        let directory = try Self.folder(["a/one.flac", "a/one.png", "a/two.flac"]).directory
        let folders = MediaFolders([MediaFolder(name: "f", path: directory.path)])
        let library = MediaLibrary(folders)
        func hasCover(_ name: String) -> Bool { MediaPath("f/a/\(name)").flatMap(library.cover) != nil }
        func age() throws {
            try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: directory.file("a"))
        }
        try age()
        for _ in 0..<50 { #expect(hasCover("one.flac") && !hasCover("two.flac")) }
        #expect(folders.known.readings == 1)
        try Data([0xFF, 0xD8, 0xFF, 0xE0]).write(to: URL(fileURLWithPath: directory.file("a/two.JPG")))
        #expect(hasCover("two.flac"))
        try age()
        try FileManager.default.removeItem(atPath: directory.file("a/one.png"))
        #expect(!hasCover("one.flac") && hasCover("two.flac"))
        withExtendedLifetime(directory) {}
    }

    @Test("the picture of a file is the one beside it, that of a folder the one in it")
    func covers() throws {
        let (directory, library) = try Self.folder([
            "a/one.flac", "a/one.png", "a/two.flac", "a/cover.jpg", "b/x.flac", "p/2.jpg", "cover.txt",
        ])
        for path in ["f/a", "f/a/one.flac", "f/a/two.flac", "f/a/one.png", "f/p/2.jpg"] {
            #expect(MediaPath(path).flatMap(library.cover) == [0xFF, 0xD8, 0xFF, 0xE0], "\(path)")
        }
        for path in ["f/b", "f/b/x.flac", "f/a/none.flac", "f/p", "f", "other"] {
            #expect(MediaPath(path).flatMap(library.cover) == nil, "\(path)")
        }
        withExtendedLifetime(directory) {}
    }

    @Test("subtitles beside a film, with the language of their names")
    func tracks() throws {
        let names = ["film.srt", "film.de.srt", "Film.pt-BR.forced.vtt", "film.commentary.srt", "film2.en.srt", "film.en.txt"]
        let (directory, library) = try Self.folder(names.map { "a/" + $0 } + ["a/film.flac"])
        // One that no device would load.
        let long = Array("WEBVTT\n".utf8) + [UInt8](repeating: 0x20, count: SubtitleText.byteLimit)
        try Data(long).write(to: URL(fileURLWithPath: directory.file("a/film.long.vtt")))
        let item = try #require(MediaPath("f/a/film.flac").flatMap(library.items)?.first)
        let tracks = item.subtitles.map { "\($0.path.name) \($0.language) \($0.name)" }
        #expect(
            tracks.sorted() == [
                "Film.pt-BR.forced.vtt pt-BR pt-BR forced", "film.commentary.srt und commentary", "film.de.srt de de",
                "film.srt und Subtitles",
            ])
        #expect(item.title == "film")
        withExtendedLifetime(directory) {}
    }

    @Test("pages of a folder and of a search, below 64 kB, and each entry once")
    func pages() throws {
        let long = String(repeating: "x", count: 200)
        let (directory, library) = try Self.folder(
            (0..<450).map { "a/\($0) \(long).flac" } + ["a/sub/Night Ferry.flac", "a/notes.txt", "a/x.srt"])
        withExtendedLifetime(library) {}
        let listing = MediaListing(MediaFolders([MediaFolder(name: "f", path: directory.path)]))
        let path = try #require(MediaPath("f/a"))
        var (offset, names): (Int?, [String]) = (0, [])
        while let from = offset {
            let page = try #require(listing.page(of: path, from: from))
            #expect(JSONWriter.string(of: .object(page)).utf8.count < 60_000 && page["total"] == 451)
            names += (page["entries"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
            offset = page["next"]?.intValue
        }
        #expect(
            names.count == 451 && Set(names).count == 451 && names[0] == "sub" && names[1].hasPrefix("0 x") && names[3].hasPrefix("2 x"))
        #expect(listing.page(of: nil, from: 0)?["entries"] == [["name": "f", "path": "f", "kind": "folder"]])
        #expect(MediaPath("f/none").map { listing.page(of: $0, from: 0) == nil } == true)
        #expect(listing.page(of: path, from: 1_000_000)?["entries"] == [])
        let found = listing.search("FERRY night", from: 0)
        #expect(found["entries"]?.arrayValue?.compactMap { $0["path"]?.stringValue } == ["f/a/sub/Night Ferry.flac"])
        #expect(found["complete"] == true && found["next"] == .null)
    }

    @Test("a list of addresses without a mark is a playlist by its name, binary data is not", arguments: [(true, "m3u"), (false, nil)])
    func list(isText: Bool, container: String?) {
        let head = Array("http://h/1\n".utf8) + (isText ? [] : [0])
        #expect(MediaType.of(head, name: "Radio.M3U")?.container.rawValue == container && MediaType.of(head, name: "radio.txt") == nil)
    }

    @Test("what ffprobe prints is bounded in time and size, and no program is no error")
    func tags() throws {
        let (directory, library) = try Self.folder(["a/x.flac"])
        withExtendedLifetime(library) {}
        let file = try #require(MediaPath("f/a/x.flac").flatMap(MediaFolders([MediaFolder(name: "f", path: directory.path)]).open))
        let end = ContinuousClock.now + .seconds(60)
        func program(_ text: String) throws -> String {
            let path = directory.file("program")
            try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            return path
        }
        let json = #"{"format":{"duration":"12.5","tags":{"TITLE":"A","track":"3/12","x":""}}}"#
        let printing = try program("cat > /dev/null; head -c 4 \"$9\" > /dev/null && echo '\(json)'")
        let tags = try #require(FileTags(of: file, program: printing, until: end))
        #expect(tags.tags == ["title": "A", "track": "3/12"] && tags.duration == 12.5)
        #expect(try FileTags(of: file, program: program("echo nonsense"), until: end) == nil)
        #expect(try FileTags(of: file, program: program("exec yes"), until: end) == nil)
        #expect(try FileTags(of: file, program: program("exec sleep 60"), until: .now + .milliseconds(100)) == nil)
        #expect(FileTags(of: file, program: "/none", until: end) == nil)
        // A command that is given up ends its program.
        let begun = ContinuousClock.now
        let isCancelled = { ContinuousClock.now - begun > .milliseconds(200) }
        #expect(try FileTags(of: file, program: program("exec sleep 60"), until: end, isCancelled: isCancelled) == nil)
        #expect(ContinuousClock.now - begun < .seconds(30))
    }
}

extension [UInt16] {
    fileprivate func appending(_ text: String.UTF16View) -> [UInt16] { self + text }
}

/// A folder that goes with its last reference.
private final class TemporaryDirectory {
    let path = NSTemporaryDirectory() + "library-" + UUID().uuidString

    init() throws { try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: self.path) }

    func file(_ name: String) -> String { self.path + "/" + name }
}

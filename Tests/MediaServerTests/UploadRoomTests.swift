import BridgeCore
import Testing

@testable import MediaServer

@Suite struct UploadRoomTests {
    private static let files = [("b", 10, 200), ("a", 10, 100), ("c", 30, 300)].map { UploadRoom.File(name: $0, size: $1, modified: $2) }

    private func room(count: Int = 100, bytes: Int = 1000) -> UploadRoom {
        var options = UploadOptions()
        (options.countLimit, options.byteLimit, options.days) = (count, bytes, 1)
        return UploadRoom(options: options)
    }

    @Test("the oldest go until number and bytes fit")
    func removals() {
        #expect(self.room().removals(from: Self.files, for: 100).isEmpty)
        #expect(self.room(count: 2).removals(from: Self.files, for: 1).map(\.name) == ["a", "b"])
        #expect(self.room(bytes: 60).removals(from: Self.files, for: 20).map(\.name) == ["a"])
    }

    @Test("files go when their days are over")
    func expired() {
        #expect(self.room().expired(Self.files, now: 86_400 + 250).map(\.name) == ["b", "a"])
        #expect(self.room().expired(Self.files, now: 0).isEmpty)
    }

    @Test("a full disk keeps its reserve")
    func disk() {
        let reserve = UploadRoom.reserve
        #expect(self.room().removals(from: Self.files, for: 100, free: reserve + 100)?.isEmpty == true)
        #expect(self.room().removals(from: Self.files, for: 100, free: reserve + 85)?.map(\.name) == ["a", "b"])
        #expect(self.room().removals(from: Self.files, for: 100, free: reserve) == nil)
    }

    @Test(
        "a name becomes one that can be in a folder, with an extension",
        arguments: [
            ("holiday.mp4", "video/mp4", "holiday.mp4"), ("../../x.mp3", "audio/mpeg", "_.._x.mp3"), ("IMG 1", "image/jpeg", "IMG 1.jpg"),
            (".hidden", "audio/mp4", "hidden.m4a"), ("", "audio/mpeg", "file.mp3"), ("a\u{0}b\n.wav", "audio/wav", "a_b_.wav"),
            ("notes.txt", "video/webm", "notes.txt.webm"), ("Bühne.ogg", "audio/ogg", "Bühne.ogg"),
            ("a.mp3#1", "audio/mpeg", "a.mp3_1.mp3"),
            (
                "a.mp3#\(String(repeating: "x", count: 300)).wav", "audio/wav",
                "a.mp3_\(String(repeating: "x", count: 114)).wav"
            ),
        ])
    func names(given: String, type: String, expected: String) {
        #expect(UploadRoom.name(given, type: type) == expected)
        #expect(MediaPath.isName(UploadRoom.name(String(repeating: "ü", count: 500), type: type)))
    }
}

import CastModels
import Testing

@Suite("A value behind one reference")
struct SharedTests {
    private static func status(title: String) -> MediaStatus {
        var status = MediaStatus(mediaSessionID: 1, playerState: .playing, receivedAt: MonotonicTime(nanoseconds: 0))
        status.media = MediaInformation(contentID: "a", metadata: MediaMetadata(fields: ["title": .string(title)]))
        return status
    }

    @Test("a status without media has none")
    func startsEmpty() {
        #expect(MediaStatus(mediaSessionID: 1, playerState: .idle, receivedAt: MonotonicTime(nanoseconds: 0)).media == nil)
    }

    @Test("changing the media of a copy leaves the original as it is")
    func copiesAreIndependent() {
        let original = Self.status(title: "One")
        var copy = original
        copy.media?.metadata?.fields["title"] = .string("Two")
        #expect(original.media?.metadata?.title == "One")
        #expect(copy.media?.metadata?.title == "Two")
        #expect(copy != original)
    }

    @Test("two statuses are equal when their media is, not only when it is the same object")
    func comparesByValue() {
        #expect(Self.status(title: "One") == Self.status(title: "One"))
        #expect(Self.status(title: "One").hashValue == Self.status(title: "One").hashValue)
    }
}

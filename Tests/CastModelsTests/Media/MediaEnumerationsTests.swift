import CastModels
import Testing

@Suite struct MediaEnumerationsTests {
    /// The bit of each command as receivers send it, and its name.
    static let commands: [(UInt64, String)] = [
        (1, "pause"), (2, "seek"), (4, "stream_volume"), (8, "stream_mute"), (16, "skip_forward"), (32, "skip_backward"),
        (64, "queue_next"),
        (128, "queue_previous"), (256, "queue_shuffle"), (512, "skip_ad"), (1024, "queue_repeat_all"), (2048, "queue_repeat_one"),
        (4096, "edit_tracks"), (8192, "playback_rate"), (16384, "like"), (32768, "dislike"), (65536, "follow"), (131_072, "unfollow"),
        (262_144, "stream_transfer"),
    ]

    @Test("each bit of the supported commands has its name", arguments: Self.commands)
    func command(bit: UInt64, name: String) {
        #expect(MediaCommands(rawValue: bit).names == [name])
        #expect(MediaCommands.named.first { $0.name == name }?.command.rawValue == bit)
    }

    @Test("masks as receivers send them are distinguished, and bits without a name are kept")
    func masks() {
        #expect(MediaCommands(rawValue: 15).names == ["pause", "seek", "stream_volume", "stream_mute"])
        #expect(
            MediaCommands(rawValue: 12303).names == ["pause", "seek", "stream_volume", "stream_mute", "edit_tracks", "playback_rate"])
        #expect(MediaCommands(rawValue: 1 << 40).names == [])
        #expect(MediaCommands(rawValue: 1 << 40 | 1).rawValue == 1 << 40 | 1)
        #expect(Self.commands.map(\.1) == MediaCommands.named.map(\.name))
    }

    @Test("reasons for being idle and ways of repeating are read, and unknown ones kept")
    func words() {
        #expect(
            ["FINISHED", "CANCELLED", "INTERRUPTED", "ERROR", "BORED"].map(IdleReason.init(wireValue:)) == [
                .finished, .cancelled, .interrupted, .error, .unknown("BORED"),
            ])
        for word in ["REPEAT_OFF", "REPEAT_SINGLE", "REPEAT_ALL", "REPEAT_ALL_AND_SHUFFLE", "REPEAT_NEVER"] {
            #expect(RepeatMode(wireValue: word).wireValue == word)
        }
        for word in ["sdr", "hdr10", "hlg", "dv", "hdr11"] { #expect(VideoInfo.HDRType(wireValue: word).wireValue == word) }
    }
}

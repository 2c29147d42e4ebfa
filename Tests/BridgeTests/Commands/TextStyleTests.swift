import CastReceiverSimulator
import NIOCore
import Testing

@testable import Bridge

@Suite("Text style", .timeLimit(.minutes(5)))
struct TextStyleTests {
    @Test("A style that only the answer to a command confirmed is reported; a style of the receiver's status goes before it")
    func confirmed() async throws {
        let world = try await World.settled(split: .basic)
        let device = world.devices[0]
        try await world.send(
            "cmd/load",
            #"{"url":"http://h/a.mp4","duration":600,"tracks":[{"id":1,"type":"text","subtype":"subtitles","language":"en","url":"http://h/e.vtt"}],"active_tracks":[1]}"#
        )
        await world.advance(.seconds(3))
        #expect(world.held("status/player") == "playing")
        try await world.act {
            try device.perform(.distort(Distortion(type: "MEDIA_STATUS", removals: ["status.0.media.textTrackStyle"])))
        }
        try await world.send("set/text_style", #"{"id":"s","font_scale":1.5}"#)
        await world.advance(.seconds(1))
        #expect(world.answers("s").first?.contains(#""code":"done""#) == true)
        #expect(world.held("tracks")?.contains(#""font_scale":1.5"#) == true)
        try await world.send("set/text_style", #"{"font_scale":2}"#)
        await world.advance(.seconds(1))
        #expect(world.held("tracks")?.contains(#""font_scale":2"#) == true)
        let lying = Distortion(type: "MEDIA_STATUS", changes: ["status.0.media.textTrackStyle": ["fontScale": 0.5]])
        try await world.act {
            try device.perform(.undistort)
            try device.perform(.distort(lying))
        }
        try await world.send("set/text_style", #"{"font_scale":3}"#)
        await world.advance(.seconds(1))
        #expect(world.held("tracks")?.contains(#""font_scale":0.5"#) == true)
        await world.end()
    }
}

import CastReceiverSimulator
import NIOCore
import Testing

@testable import Bridge

@Suite("Text style", .timeLimit(.minutes(10)))
struct TextStyleTests {
    @Test("a style that only the answer to a command confirmed is reported; a style of the receiver's status goes before it")
    func confirmed() async throws {
        let world = try await BridgeWorld.settled(split: .basic)
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

    @Test("the configured style is in everything that the bridge loads, but audio; a style of the command goes before it")
    func configured() async throws {
        let world = try await BridgeWorld.settled(split: .basic) {
            $0.textStyle.fontScale = 1.5
            $0.textStyle.edgeType = .outline
        }
        let device = world.devices[0]
        let film = #""url":"http://h/a.m3u8","duration":600"#
        for (tail, payload, scale) in [
            ("cmd/load", "{\(film)}", 1.5), ("cmd/load", #"{\#(film),"text_style":{"font_scale":2}}"#, 2),
            ("cmd/queue_load", "[{\(film)}]", 1.5), ("cmd/load", "http://h/a.mp3", nil),
        ] as [(String, String, Double?)] {
            try await world.send(tail, payload)
            await world.advance(.seconds(3))
            #expect(world.held("status/player") == "playing")
            let style = device.truth("text_style")
            #expect(style?["fontScale"]?.double == scale, "\(tail) \(payload)")
            #expect(style?["edgeType"]?.text == scale.map { _ in "OUTLINE" }, "\(tail) \(payload)")
        }
        await world.end()
    }
}

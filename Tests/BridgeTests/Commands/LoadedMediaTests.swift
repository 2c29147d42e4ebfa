import NIOCore
import Testing

@testable import Bridge

@Suite("The result of a load is in the documents", .timeLimit(.minutes(10)))
struct LoadedMediaTests {
    @Test("ad breaks are shown whole in media, and in state while one plays")
    func ads() async throws {
        let world = try await BridgeWorld.settled(split: .none)
        try await world.send(
            "cmd/load",
            #"{"url":"http://h/film.mp4?load_time=0","duration":600,"breaks":[{"id":"start","position":0,"clips":["a","b"]}],"#
                + #""break_clips":[{"id":"a","url":"http://h/a.mp4","duration":10,"title":"First","poster":"http://h/a.jpg"},"#
                + #"{"id":"b","url":"http://h/b.mp4","duration":20,"skippable_after":5,"click_url":"https://shop.example"}]}"#)
        await world.advance(.seconds(3))
        let state = try #require(world.held("state"))
        #expect(
            state.contains(#""ad":{"playing":true,"skippable":false,"skippable_at":null,"break":"start","clip":"a","index":0,"clips":2,"#))
        #expect(state.contains(#""clip_duration":10,"clip_ends_at":"2"#) && state.contains(#""break_duration":30,"break_ends_at":"2"#))
        let media = try #require(world.held("media"))
        #expect(media.contains(#""breaks":[{"id":"start","position":0,"duration":null,"#))
        #expect(
            media.contains(
                #"{"id":"a","title":"First","url":"http://h/a.mp4","content_type":"video/mp4","duration":10,"skippable_after":null,"#
                    + #""poster":"http://h/a.jpg","click_url":null,"custom_data":null}"#))
        await world.advance(.seconds(14))
        #expect(world.held("state")?.contains(#""playing":true,"skippable":true,"#) == true)
        #expect(world.held("state")?.contains(#""break":"start","clip":"b","index":1,"clips":2,"clip_duration":20,"#) == true)
        try await world.send("cmd/skip_ad", "")
        await world.advance(.seconds(2))
        #expect(world.held("state")?.contains(#""ad":{"playing":false,"skippable":false,"skippable_at":null,"break":null,"#) == true)
        await world.end()
    }

    @Test("an item is loaded ahead as long before its turn as it asks for, and the queue names it")
    func preload() async throws {
        let world = try await BridgeWorld.settled(split: .none)
        let device = world.devices[0]
        try await world.send(
            "cmd/queue_load",
            #"[{"url":"http://h/1.mp3?load_time=0","duration":30},{"url":"http://h/2.mp3?load_time=0","duration":30,"preload_time":10,"position":4,"#
                + #""autoplay":true}]"#)
        await world.advance(.seconds(15))
        #expect(world.held("queue")?.contains(#""loading_item":null,"preloaded_item":null,"#) == true)
        #expect(world.held("queue")?.contains(#""autoplay":true,"start_time":4,"preload_time":10,"active_tracks":[]"#) == true)
        #expect(device.truth("preloaded_item_id")?.int == nil)
        await world.advance(.seconds(10))
        #expect(device.truth("preloaded_item_id")?.int == 2)
        #expect(world.held("queue")?.contains(#""current_item":1,"loading_item":null,"preloaded_item":2,"#) == true)
        await world.advance(.seconds(10))
        #expect(world.held("queue")?.contains(#""current_item":2,"loading_item":null,"preloaded_item":null,"#) == true)
        await world.end()
    }
}

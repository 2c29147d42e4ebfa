import Foundation
import TestSupport
import Testing

/// The options of commands, as they arrive at the device.
@Suite("Options of commands")
struct RequestOptionTests {
    private struct Home {
        let house: Household
        let watcher: MessageWatcher
        let slug: String

        init(_ environment: [String: String] = [:]) async throws {
            self.house = try await Household.onOneHost()
            self.watcher = try await self.house.startEverything(devices: 1, environment: environment)
            self.slug = try #require(try await self.house.slugs(self.watcher)["sim-001"])
        }

        /// Sends a command and waits until it is done.
        @discardableResult
        func send(_ tail: String, _ payload: String, _ name: String) async throws -> [String: Any] {
            let topic = "cast2mqtt/client/options/\(name)"
            try await self.house.sender.publish(
                payload, to: "cast2mqtt/\(self.slug)/\(tail)", arguments: ["-D", "publish", "response-topic", topic])
            let answer = try await self.watcher.message(on: topic)
            #expect(answer.object["code"] as? String == "done", "\(answer.text)")
            return answer.object["data"] as? [String: Any] ?? [:]
        }

        func state() async throws -> [String: Any] { try await self.house.control.state("sim-001") }

        func launches() throws -> [[String: Any]] { try self.house.requests("LAUNCH", to: "sim-001") }
    }

    @Test(
        "a launch of what runs reaches the device and keeps its session unless it is to be launched again, and takes its language, parameters and credentials along"
    )
    func launch() async throws {
        let home = try await Home()
        let first = try await home.send("cmd/launch", "5A1D0001", "first")["session"] as? String
        #expect(first != nil)
        let joined = try await home.send("cmd/launch", #"{"app":"5A1D0001","language":"de-DE","params":{"seat":7}}"#, "joined")
        #expect(joined["session"] as? String == first)
        #expect(try home.launches().count == 2 && home.house.requests("STOP", to: "sim-001").isEmpty)
        #expect(try await home.state()["session_id"] as? String == first)

        let options = #""language":"de-DE","credentials":"token","credentials_type":"web","params":{"seat":7}"#
        let again = try await home.send("cmd/launch", #"{"app":"5A1D0001","relaunch":true,\#(options)}"#, "again")
        #expect(again["session"] as? String != first)
        #expect(try home.house.requests("STOP", to: "sim-001").map { $0["sessionId"] as? String } == [first])
        let launches = try home.launches()
        #expect(launches.count == 3 && launches.first?["language"] as? String == "en-US")
        let sent = try #require(launches.last)
        #expect(sent["appId"] as? String == "5A1D0001" && sent["language"] as? String == "de-DE")
        let parameters = try #require(sent["appParams"] as? [String: Any])
        #expect(parameters["seat"] as? Int == 7)
        let credentials = (parameters["launchCheckerParams"] as? [String: Any])?["credentialsData"] as? [String: Any]
        #expect(credentials?["credentials"] as? String == "token" && credentials?["credentialsType"] as? String == "web")

        // Another application takes the place of what runs.
        try await home.send("cmd/launch", #"{"app":"CC1AD845","language":"fr-FR"}"#, "other")
        #expect(try home.launches().last?["language"] as? String == "fr-FR")
        #expect(try await home.state()["app_id"] as? String == "CC1AD845")
        try await home.house.bridge?.stop()
    }

    @Test("a load, `set/app` and a launch without an application or language take those of the configuration")
    func configuredApplication() async throws {
        let home = try await Home([
            "CAST2MQTT_COMMANDS_DEFAULT_APPLICATION": "My Radio", "CAST2MQTT_COMMANDS_APPLICATIONS": "My Radio=5A1D0001",
            "CAST2MQTT_COMMANDS_LANGUAGE": "de-DE",
        ])
        for (tail, payload, app) in [
            ("cmd/launch", "", "5A1D0001"), ("set/app", "CC1AD845", "CC1AD845"),
            ("cmd/load", "http://media/song.mp3?load_time=0", "5A1D0001"), ("cmd/show", "http://media/page", "84912283"),
            ("cmd/queue_load", #"["http://media/song.mp3?load_time=0"]"#, "5A1D0001"),
        ] {
            try await home.send(tail, payload, tail.replacing("/", with: "-"))
            let sent = try #require(try home.launches().last)
            #expect(sent["appId"] as? String == app && sent["language"] as? String == "de-DE", "\(tail)")
        }
        try await home.send("cmd/launch", #"{"language":"fr-FR"}"#, "own")
        #expect(try home.launches().last?["language"] as? String == "fr-FR")
        try await home.house.bridge?.stop()
    }

    @Test("`custom_data` reaches the application with the request of each command about the media")
    func customData() async throws {
        let home = try await Home()
        let items = (1...3).map { #"{"url":"http://media/\#($0).mp4?duration=600&load_time=0","tracks":[{"id":1,"name":"E"}]}"# }
        try await home.send("cmd/queue_load", #"{"items":[\#(items.joined(separator: ","))]}"#, "queue")
        let commands: [(tail: String, arguments: String, type: String)] = [
            ("cmd/pause", "", "PAUSE"), ("cmd/play", "", "PLAY"), ("set", #""position":5,"#, "SEEK"),
            ("set", #""rate":1.5,"#, "SET_PLAYBACK_RATE"), ("set", #""active_tracks":[1],"#, "EDIT_TRACKS_INFO"),
            ("set", #""text_track":"off","#, "EDIT_TRACKS_INFO"), ("set", #""stream_muted":true,"#, "SET_VOLUME"),
            ("set", #""repeat":"all","#, "QUEUE_UPDATE"), ("cmd/next", "", "QUEUE_UPDATE"), ("cmd/previous", "", "QUEUE_UPDATE"),
            ("cmd/queue_jump", #""by":1,"#, "QUEUE_UPDATE"), ("cmd/restart_item", "", "SEEK"), ("cmd/stop", "", "STOP"),
        ]
        for (index, command) in commands.enumerated() {
            try await home.send(command.tail, #"{\#(command.arguments)"custom_data":{"number":\#(index)}}"#, "\(index)")
            let data = try home.house.requests(command.type, to: "sim-001").last?["customData"] as? [String: Any]
            #expect(data?["number"] as? Int == index, "\(command)")
        }
        try await home.house.bridge?.stop()
    }

    @Test("name, type and container of a queue reach the device, which reports them")
    func queueDetails() async throws {
        let home = try await Home()
        let container =
            #"{"type":"audiobook","title":"Book","duration":600,"images":["http://h/i.jpg"],"authors":["A"],"narrators":["B"],"#
            + #""publisher":"P","release_date":"2026-11-21","sections":[{"type":"audiobook_chapter","title":"One"}]}"#
        let items = #"["http://media/1.mp3?load_time=0",{"url":"http://media/2.mp3?load_time=0","custom_data":1}]"#
        try await home.send(
            "cmd/queue_load",
            #"{"items":\#(items),"start":1,"repeat":"all","name":"Night","type":"audiobook","container":\#(container),"custom_data":2}"#,
            "load")
        let load = try #require(try home.house.requests("LOAD", to: "sim-001").last)
        let data = try #require(load["queueData"] as? [String: Any])
        #expect(load["customData"] as? Int == 2 && data["startIndex"] as? Int == 1 && data["repeatMode"] as? String == "REPEAT_ALL")
        #expect(data["name"] as? String == "Night" && data["queueType"] as? String == "AUDIOBOOK")
        let sent = try #require(data["containerMetadata"] as? [String: Any])
        #expect(sent["containerType"] as? Int == 1 && sent["title"] as? String == "Book" && sent["authors"] as? [String] == ["A"])
        #expect((sent["sections"] as? [[String: Any]])?.first?["title"] as? String == "One")
        try await home.watcher.current("cast2mqtt/\(home.slug)/queue") {
            let shown = $0.object["container"] as? [String: Any]
            return $0.object["name"] as? String == "Night" && $0.object["type"] as? String == "audiobook"
                && $0.object["length"] as? Int == 2
                && shown?["title"] as? String == "Book" && shown?["image"] as? String == "http://h/i.jpg"
                && shown?["narrators"] as? [String] == ["B"] && shown?["publisher"] as? String == "P"
        }
        try await home.send("cmd/queue_load", #"["http://media/1.mp3?load_time=0"]"#, "bare")
        try await home.watcher.current("cast2mqtt/\(home.slug)/queue") { $0.object["name"] is NSNull && $0.object["container"] is NSNull }
        try await home.house.bridge?.stop()
    }

    @Test("requests to ad servers reach the device, and `state.ad` has picture and page of the clip that plays")
    func ads() async throws {
        let home = try await Home()
        let clip =
            #"{"id":"c","url":"http://media/ad.mp4","duration":60,"skippable_after":0,"poster":"http://h/p.jpg","click_url":"http://shop/","#
            + #""vast_ads_request":{"ad_tag_url":"http://h/vast"},"hls_segment_format":"ts"}"#
        let ads =
            #""breaks":[{"id":"b","position":0,"clips":["c"]}],"break_clips":[\#(clip)],"vmap_ads_request":{"ads_response":"<vmap/>"}"#
        try await home.send("cmd/load", #"{"url":"http://media/film.mp4?duration=600&load_time=0",\#(ads)}"#, "load")
        let sent = try #require(try home.house.requests("LOAD", to: "sim-001").last?["media"] as? [String: Any])
        #expect(sent["vmapAdsRequest"] as? [String: String] == ["adsResponse": "<vmap/>"])
        let sentClip = try #require((sent["breakClips"] as? [[String: Any]])?.first)
        #expect(sentClip["vastAdsRequest"] as? [String: String] == ["adTagUrl": "http://h/vast"])
        #expect(sentClip["hlsSegmentFormat"] as? String == "ts")
        try await home.watcher.current("cast2mqtt/\(home.slug)/state") {
            let ad = $0.object["ad"] as? [String: Any]
            return ad?["poster"] as? String == "http://h/p.jpg" && ad?["click_url"] as? String == "http://shop/"
        }
        try await home.send("cmd/skip_ad", #"{"custom_data":4}"#, "skip")
        #expect(try home.house.requests("SKIP_AD", to: "sim-001").last?["customData"] as? Int == 4)
        try await home.house.bridge?.stop()
    }

    @Test("every field of a load and of its launch reaches the device")
    func fields() async throws {
        let home = try await Home()
        let media =
            #""media_category":"audio","start_absolute_time":1.5,"atv_entity":"app://1","media_custom_data":{"a":1},"#
            + #""tracks":[{"id":1,"roles":["main"],"custom_data":[2]}]"#
        let options = #""atv_credentials":"token","atv_credentials_type":"tv","custom_data":3,"launch":{"android":false}"#
        try await home.send("cmd/load", #"{"url":"http://media/a.mp3?load_time=0",\#(media),\#(options)}"#, "load")
        let launch = try #require(try home.launches().last)
        #expect(launch["supportedAppTypes"] as? [String] == ["WEB"])
        let load = try #require(try home.house.requests("LOAD", to: "sim-001").last)
        #expect(load["atvCredentials"] as? String == "token" && load["atvCredentialsType"] as? String == "tv")
        #expect(load["customData"] as? Int == 3)
        let sent = try #require(load["media"] as? [String: Any])
        #expect(sent["mediaCategory"] as? String == "AUDIO" && sent["startAbsoluteTime"] as? Double == 1.5)
        #expect(sent["atvEntity"] as? String == "app://1" && (sent["customData"] as? [String: Int]) == ["a": 1])
        let track = try #require((sent["tracks"] as? [[String: Any]])?.first)
        #expect(track["roles"] as? [String] == ["main"] && track["customData"] as? [Int] == [2])
        try await home.send("cmd/queue_load", #"[{"url":"http://media/a.mp3?load_time=0",\#(media)}]"#, "queue")
        let items = try home.house.requests("QUEUE_LOAD", to: "sim-001").last?["items"] as? [[String: Any]]
        #expect((items?.first?["media"] as? [String: Any])?["atvEntity"] as? String == "app://1")
        try await home.house.bridge?.stop()
    }

    @Test("an item is preloaded as long before its turn as its preload time")
    func preload() async throws {
        let home = try await Home()
        let items = [1, 2].map { #"{"url":"http://media/\#($0).mp3?duration=600&load_time=0"\#($0 == 2 ? #","preload_time":600"# : "")}"# }
        try await home.send("cmd/queue_load", #"{"items":[\#(items.joined(separator: ","))]}"#, "queue")
        try await eventually("the second item is preloaded") {
            let state = try await home.state()
            let items = state["items"] as? [[String: Any]] ?? []
            return items.count == 2 && items[0]["preload_time"] == nil && items[1]["preload_time"] as? Double == 600
                && state["preloaded_item_id"] as? Int == items[1]["item_id"] as? Int
                && state["item_id"] as? Int == items[0]["item_id"] as? Int
        }
        let preloaded = try await home.state()["preloaded_item_id"] as? Int
        try await home.watcher.current("cast2mqtt/\(home.slug)/queue") {
            $0.object["preloaded_item"] as? Int == preloaded && preloaded != nil
        }
        try await home.house.bridge?.stop()
    }

    @Test("a position is sought within a live stream, and `live` goes to its end")
    func live() async throws {
        let home = try await Home()
        try await home.send(
            "cmd/load", #"{"url":"http://media/news.m3u8?live_window=3600&load_time=0","stream":"live","position":3600}"#, "load")
        func position() async throws -> Double { try await home.state()["position"] as? Double ?? -1 }
        try await home.watcher.current("cast2mqtt/\(home.slug)/state") {
            ($0.object["media"] as? [String: Any])?["live"] as? Bool == true && $0.object["player"] as? String == "playing"
        }
        let start = try await position()
        #expect(start > 3000)
        try await home.send("set/position", "-2000", "back")
        let earlier = try await position()
        #expect(earlier < start - 1000, "\(start), \(earlier)")
        try await home.send("set/position", "live", "live")
        let edge = try await position()
        #expect(edge >= start, "\(start), \(earlier), \(edge)")
        try await home.house.bridge?.stop()
    }

    @Test("the picture that the device reports is in `media.video` and in the plain values")
    func video() async throws {
        let home = try await Home(["CAST2MQTT_STATUS_SPLIT": "full"])
        for (query, hdr, word) in [("3840x2160", "dv", "dolby_vision"), ("3840x2160", "hdr", "hdr10"), ("1280x720", "sdr", "sdr")] {
            try await home.send("cmd/load", "http://media/\(hdr).mp4?video=\(query)&hdr=\(hdr)&load_time=0", hdr)
            let size = query.split(separator: "x").compactMap { Int($0) }
            try await home.watcher.current("cast2mqtt/\(home.slug)/media") {
                let video = $0.object["video"] as? [String: Any]
                return video?["width"] as? Int == size[0] && video?["height"] as? Int == size[1] && video?["hdr"] as? String == word
            }
            try await home.watcher.current("cast2mqtt/\(home.slug)/status/video_width") { $0.text == "\(size[0])" }
            try await home.watcher.current("cast2mqtt/\(home.slug)/status/video_hdr") { $0.text == word }
        }
        try await home.send("cmd/load", "http://media/song.mp3?load_time=0", "sound")
        try await home.watcher.current("cast2mqtt/\(home.slug)/media") { ($0.object["video"] as? [String: Any])?["width"] is NSNull }
        try await home.house.bridge?.stop()
    }
}

import Foundation
import TestSupport
import Testing

/// Every command over a real network, with its answer and what the device made of it.
@Suite("Commands across three hosts")
struct CommandTests {
    /// One command: where, what, the code of its answer, and what then holds at the device.
    struct Case: Sendable {
        var topic: String
        var payload = ""
        var code = "done"
        var holds: @Sendable ([String: Any]) -> Bool = { _ in true }
    }

    static let film = "http://10.77.0.1/film.mp4?duration=600"

    static let cases: [Case] = [
        Case(topic: "cmd/pause", code: "no_session"),
        Case(topic: "cmd/load", payload: Self.film) { $0["content_id"] as? String == Self.film && $0["player"] as? String == "PLAYING" },
        Case(topic: "cmd/pause") { $0["player"] as? String == "PAUSED" },
        Case(topic: "set/position", payload: "1:00") { $0["player"] as? String == "PAUSED" && Self.near($0["position"], 60) },
        Case(topic: "set/position", payload: "+30") { Self.near($0["position"], 90) },
        Case(topic: "cmd/play") { $0["player"] as? String == "PLAYING" },
        Case(topic: "cmd/play_pause") { $0["player"] as? String == "PAUSED" },
        Case(topic: "set/volume", payload: "30") { Self.near($0["volume"], 0.3) },
        Case(topic: "set/volume", payload: "+5") { Self.near($0["volume"], 0.35) },
        Case(topic: "set/volume_level", payload: "0.5") { Self.near($0["volume"], 0.5) },
        Case(topic: "cmd/volume_up", payload: "10") { Self.near($0["volume"], 0.6) },
        Case(topic: "cmd/volume_down", payload: "20") { Self.near($0["volume"], 0.4) },
        Case(topic: "set/muted", payload: "ON") { $0["muted"] as? Bool == true },
        Case(topic: "set/muted", payload: "toggle") { $0["muted"] as? Bool == false },
        Case(topic: "set", payload: #"{"volume":20,"muted":true}"#) { Self.near($0["volume"], 0.2) && $0["muted"] as? Bool == true },
        Case(topic: "cmd", payload: #"{"cmd":"set","args":{"muted":false},"id":"a"}"#) { $0["muted"] as? Bool == false },
        Case(topic: "cmd/load", payload: #"["http://10.77.0.1/song","audio/mpeg"]"#) {
            $0["content_id"] as? String == "http://10.77.0.1/song"
        },
        Case(
            topic: "cmd/load",
            payload: #"{"url":"http://10.77.0.1/x.mp4?duration=600","position":5,"metadata":{"type":"movie","title":"Example Film"}}"#
        ) { $0["title"] as? String == "Example Film" },
        Case(topic: "cmd/load", payload: "http://10.77.0.1/missing.mp4", code: "load_failed"),
        Case(topic: "cmd/load", payload: Self.film),
        Case(topic: "cmd/stop") { ["IDLE", "NONE"].contains($0["player"] as? String) },
        Case(topic: "cmd/launch", payload: "5A1D0001") { $0["app_id"] as? String == "5A1D0001" },
        Case(topic: "cmd/quit_app") { $0["app_id"] as? String != "5A1D0001" },
        Case(topic: "cmd/launch", payload: "AAAAAAAA", code: "not_supported"),
        Case(topic: "get/state"),
        Case(topic: "cmd/check", payload: "http://10.77.0.1/film.mp4"), Case(topic: "cmd/check", payload: "film.mp4", code: "bad_payload"),
        Case(topic: "get/media"),
        Case(topic: "set/volume", payload: "loud", code: "bad_payload"),
        Case(topic: "cmd/dance", code: "unknown_command"),
        Case(topic: "cmd/load", payload: #"{"url":"http://10.77.0.1/x.mp4","colour":"red"}"#, code: "bad_payload"),
    ]

    /// A film with subtitles, two languages and an ad at its beginning that can be skipped at once.
    static let filmWithTracks =
        #"{"url":"http://media/tracks.mp4?duration=600&load_time=0","metadata":{"type":"movie","title":"Tracks"},"active_tracks":[2],"tracks":["#
        + #"{"id":1,"type":"text","subtype":"subtitles","language":"en","name":"English","url":"http://media/e.vtt"},"#
        + #"{"id":2,"type":"text","subtype":"captions","language":"de-AT","name":"Deutsch","url":"http://media/d.vtt"},"#
        + #"{"id":3,"type":"audio","language":"en","name":"Original"},{"id":4,"type":"audio","language":"de","name":"Synchron"},{"id":5,"type":"video","name":"Main"},{"id":6,"type":"video","name":"Side"}]}"#
    static let filmWithAd =
        #"{"url":"http://media/ad.mp4?duration=600&load_time=0","breaks":[{"id":"b","position":0,"clips":["c"]}],"#
        + #""break_clips":[{"id":"c","url":"http://media/clip.mp4","duration":300,"skippable_after":0}]}"#
    static let three = #"["http://media/1.mp3?load_time=0","http://media/2.mp3?load_time=0","http://media/3.mp3?load_time=0"]"#

    private static func queue(_ count: Int) -> @Sendable ([String: Any]) -> Bool { { $0["queue_length"] as? Int == count } }
    /// The queue at the device, by the numbers of the files, `u` for the updated one.
    private static func order(_ wanted: String) -> @Sendable ([String: Any]) -> Bool {
        { state in
            let urls = (state["items"] as? [[String: Any]] ?? []).compactMap { $0["content_id"] as? String }
            return urls.compactMap { $0.split(separator: "/").last?.first }.map(String.init).joined() == wanted
        }
    }
    /// A member of the text style at the device, as text.
    private static func style(_ state: [String: Any], _ name: String) -> String? {
        (state["text_style"] as? [String: Any])?[name].map { "\($0)" }
    }
    private static func item(_ index: Int, _ holds: @escaping @Sendable ([String: Any]) -> Bool) -> @Sendable ([String: Any]) -> Bool {
        { state in (state["items"] as? [[String: Any]]).map { $0.indices.contains(index) && holds($0[index]) } ?? false }
    }
    /// How the application counts its senders.
    private static func senders(_ state: [String: Any]) -> [String] {
        let connections = (state["connections"] as? [[String: Any]] ?? []).filter {
            $0["destination"] as? String == state["transport_id"] as? String
        }
        return connections.compactMap { $0["type"] as? String }
    }
    private static func plays(_ part: String) -> @Sendable ([String: Any]) -> Bool {
        { ($0["content_id"] as? String)?.contains(part) == true && $0["player"] as? String == "PLAYING" }
    }

    /// Everything about media, queues and applications. `ITEM0` stands for the id of the queue's first item, and so on.
    static let mediaCases: [Case] = [
        Case(topic: "cmd/skip_ad", code: "no_session"), Case(topic: "cmd/restart_item", code: "no_session"),
        Case(topic: "cmd/queue_clear", code: "no_session"), Case(topic: "cmd/queue_jump", payload: "1", code: "no_session"),
        Case(topic: "set/text_track", payload: "en", code: "no_session"), Case(topic: "set/app", payload: "none"),
        Case(topic: "cmd/join", code: "no_session"), Case(topic: "cmd/leave", code: "no_session"),
        Case(topic: "set/app", payload: "My Orchard") { $0["app_id"] as? String == "5A1D0001" },
        Case(topic: "set/app", payload: "none") { $0["app_id"] as? String != "5A1D0001" },
        Case(topic: "cmd/load", payload: Self.filmWithTracks) { $0["active_tracks"] as? [Int] == [2] },
        Case(topic: "cmd/leave") { Self.senders($0) == ["invisible"] && $0["player"] as? String == "PLAYING" },
        Case(topic: "cmd/join") { Self.senders($0) == ["strong"] },
        Case(topic: "set/text_track", payload: "English") { $0["active_tracks"] as? [Int] == [1] },
        Case(topic: "set/text_track", payload: "de") { $0["active_tracks"] as? [Int] == [2] },
        Case(topic: "set/text_track", payload: "klingon", code: "bad_payload") { $0["active_tracks"] as? [Int] == [2] },
        Case(topic: "set/text_track", payload: "3", code: "bad_payload"),
        Case(topic: "set/audio_track", payload: "Synchron") { ($0["active_tracks"] as? [Int]).map(Set.init) == [2, 4] },
        Case(topic: "set/audio_track", payload: "3") { ($0["active_tracks"] as? [Int]).map(Set.init) == [2, 3] },
        Case(topic: "set/text_track", payload: "Off") { $0["active_tracks"] as? [Int] == [3] },
        Case(topic: "set/video_track", payload: "Side") { ($0["active_tracks"] as? [Int]).map(Set.init) == [3, 6] },
        Case(topic: "set/active_tracks", payload: "5,2,4") { $0["active_tracks"] as? [Int] == [5, 2, 4] },
        Case(topic: "set/active_tracks", payload: "9", code: "bad_payload") { $0["active_tracks"] as? [Int] == [5, 2, 4] },
        Case(topic: "set/active_tracks", payload: "[3]") { $0["active_tracks"] as? [Int] == [3] },
        Case(topic: "set/text_style", payload: ##"{"foreground_color":"#FFFF00","font_scale":1.5}"##) {
            Self.style($0, "foregroundColor") == "#FFFF00FF" && Self.style($0, "fontScale") == "1.5"
        },
        Case(
            topic: "set/text_style",
            payload: ##"{"background_color":"#10203040","edge_type":"raised","edge_color":"#00FF00","window_type":"rounded_corners","##
                + ##""window_color":"#0000FF80","window_rounded_corner_radius":8,"font_family":"Droid Sans","font_generic_family":"cursive","##
                + ##""font_style":"bold_italic"}"##
        ) {
            let wanted = [
                "foregroundColor": "#FFFF00FF", "backgroundColor": "#10203040", "edgeType": "RAISED", "edgeColor": "#00FF00FF",
                "windowType": "ROUNDED_CORNERS", "windowColor": "#0000FF80", "windowRoundedCornerRadius": "8", "fontFamily": "Droid Sans",
                "fontGenericFamily": "CURSIVE", "fontScale": "1.5", "fontStyle": "BOLD_ITALIC",
            ]
            let state = $0
            return wanted.allSatisfy { Self.style(state, $0.key) == $0.value }
        },
        Case(topic: "set/stream_volume", payload: "0.25") { Self.near($0["stream_volume"], 0.25) && $0["stream_muted"] as? Bool == false },
        Case(topic: "set/stream_muted", payload: "toggle") { $0["stream_muted"] as? Bool == true },
        Case(topic: "set", payload: #"{"stream_volume":1,"stream_muted":false}"#) {
            Self.near($0["stream_volume"], 1) && $0["stream_muted"] as? Bool == false
        },
        Case(topic: "set/rate", payload: "1.5") { Self.near($0["rate"], 1.5) },
        Case(topic: "set", payload: #"{"rate":1,"position_percent":50,"text_track":1}"#) {
            Self.near($0["rate"], 1) && Self.near($0["position"], 300) && ($0["active_tracks"] as? [Int]).map(Set.init) == [1, 3]
        },
        Case(topic: "set/position_percent", payload: "75") { Self.near($0["position"], 450) },
        Case(topic: "cmd/restart_item") { ($0["position"] as? Double ?? 99) < 30 },
        Case(topic: "cmd/skip_ad", code: "not_supported"),
        Case(
            topic: "cmd/load",
            payload: #"{"content_id":"s2e5","content_url":"http://media/a.m3u8?load_time=0","entity":"https://example.org/1","#
                + #""hls_segment_format":"ts","hls_video_segment_format":"mpeg2_ts","metadata":{"title":"T","custom":{"mine":[1]}}}"#
        ) {
            let media = $0["media"] as? [String: Any] ?? [:]
            let metadata = media["metadata"] as? [String: Any]
            return media["contentId"] as? String == "s2e5" && media["contentUrl"] as? String == "http://media/a.m3u8?load_time=0"
                && media["entity"] as? String == "https://example.org/1" && media["hlsSegmentFormat"] as? String == "ts"
                && media["hlsVideoSegmentFormat"] as? String == "mpeg2_ts" && metadata?["mine"] as? [Int] == [1]
        },
        Case(topic: "cmd/load", payload: Self.filmWithAd) { $0["ad_clip"] as? String == "c" },
        Case(topic: "cmd/skip_ad") { $0["ad_clip"] == nil && $0["player"] as? String == "PLAYING" },
        Case(topic: "cmd/queue_load", payload: #"{"items":\#(Self.three),"start":1,"repeat":"all"}"#) {
            $0["queue_length"] as? Int == 3 && Self.plays("/2.mp3")($0) && $0["repeat_mode"] as? String == "REPEAT_ALL"
        },
        Case(topic: "set/repeat", payload: "one") { $0["repeat_mode"] as? String == "REPEAT_SINGLE" },
        Case(topic: "set/repeat", payload: "off") { $0["repeat_mode"] as? String == "REPEAT_OFF" },
        Case(topic: "cmd/next", holds: Self.plays("/3.mp3")), Case(topic: "cmd/previous", holds: Self.plays("/2.mp3")),
        Case(topic: "cmd/queue_jump", payload: "ITEM0", holds: Self.plays("/1.mp3")),
        Case(topic: "cmd/queue_jump", payload: "+2", holds: Self.plays("/3.mp3")),
        Case(topic: "cmd/queue_jump", payload: #"{"item":ITEM1,"position":30}"#) {
            Self.plays("/2.mp3")($0) && ($0["position"] as? Double ?? 0) >= 30
        },
        Case(topic: "cmd/queue_jump", payload: "987654", code: "bad_payload", holds: Self.plays("/2.mp3")),
        Case(topic: "cmd/queue_insert", payload: "http://media/4.mp3?load_time=0", holds: Self.order("1234")),
        Case(topic: "cmd/queue_insert", payload: #"{"url":"http://media/5.mp3?load_time=0","at":"next","play":true}"#) {
            Self.order("12534")($0) && Self.plays("/5.mp3")($0)
        },
        Case(
            topic: "cmd/queue_insert", payload: #"{"items":["http://media/6.mp3?load_time=0"],"before":ITEM1}"#, holds: Self.order("162534")
        ),
        Case(
            topic: "cmd/queue_insert", payload: #"{"url":"http://media/7.mp3","before":987654}"#, code: "bad_payload",
            holds: Self.order("162534")),
        Case(topic: "cmd/queue_move", payload: #"{"item":ITEM0,"at":"end"}"#, holds: Self.order("625341")),
        Case(topic: "cmd/queue_move", payload: #"{"items":[ITEM5,ITEM3],"before":ITEM1}"#, holds: Self.order("613254")),
        Case(topic: "cmd/queue_move", payload: #"{"item":ITEM5,"to":0}"#, holds: Self.order("461325")),
        Case(
            topic: "cmd/queue_update", payload: #"{"item":ITEM0,"url":"http://media/updated.mp3?load_time=0"}"#, holds: Self.order("u61325")
        ),
        Case(
            topic: "cmd/queue_update", payload: #"{"item":ITEM1,"preload_time":7,"position":3,"autoplay":true}"#,
            holds: Self.item(1) { $0["preload_time"] as? Double == 7 && $0["start_time"] as? Double == 3 }),
        Case(
            topic: "cmd/queue_update", payload: #"{"item":ITEM1,"active_tracks":[2]}"#,
            holds: Self.item(1) {
                $0["active_tracks"] as? [Int] == [2] && $0["preload_time"] as? Double == 7
                    && ($0["content_id"] as? String)?.contains("/6.mp3") == true
            }),
        Case(topic: "cmd/queue_jump", payload: "ITEM0", holds: Self.plays("/updated.mp3")),
        Case(topic: "cmd/queue_remove", payload: "[ITEM1,ITEM2]", holds: Self.order("u325")),
        Case(topic: "cmd/queue_remove", payload: "987654", code: "bad_payload", holds: Self.order("u325")),
        Case(topic: "set/shuffle", payload: "ON") { $0["shuffled"] as? Bool == true },
        Case(topic: "cmd/queue_clear", payload: #"{"keep_current":true}"#, holds: Self.queue(1)),
        Case(topic: "cmd/queue_clear") { ["IDLE", "NONE"].contains($0["player"] as? String) },
        Case(topic: "cmd/load", payload: Self.three) { $0["queue_length"] as? Int == 3 },
        Case(
            topic: "cmd/load",
            payload: #"{"media_content_id":"http://media/ha.mp3?load_time=0","media_content_type":"music","enqueue":"add"}"#,
            holds: Self.queue(4)),
        Case(
            topic: "cmd/load", payload: #"{"url":"http://media/second.mp3?load_time=0","enqueue":"play","app":"5A1D0001"}"#,
            code: "not_supported", holds: Self.queue(4)),
        Case(
            topic: "cmd/load", payload: #"{"url":"http://media/second.mp3?load_time=0","enqueue":"add","app":"CC1AD845"}"#,
            holds: Self.queue(5)),
        Case(
            topic: "cmd/load", payload: #"{"media_content_id":"http://media/ha?load_time=0","media_content_type":"music"}"#,
            holds: Self.plays("/ha")),
        Case(topic: "cmd/stop"),
        Case(
            topic: "cmd/load",
            payload: #"{"media_content_id":"http://media/first.mp3?load_time=0","media_content_type":"music","enqueue":"add"}"#,
            holds: Self.plays("/first.mp3")),
        Case(topic: "cmd", payload: #"{"cmd":"media_request","args":{"type":"PAUSE"}}"#) { $0["player"] as? String == "PAUSED" },
        Case(topic: "cmd", payload: #"{"cmd":"media_request","args":{"type":"NONSENSE"}}"#, code: "not_supported"),
        Case(topic: "cmd", payload: #"{"cmd":"receiver_request","args":{"type":"SET_VOLUME","volume":{"level":0.25}}}"#) {
            Self.near($0["volume"], 0.25)
        },
        Case(topic: "cmd", payload: #"{"cmd":"receiver_request","args":{"type":"LAUNCH","appId":"AAAAAAAA"}}"#, code: "not_supported"),
        Case(topic: "cmd/show", payload: "http://media/board") {
            let page = $0["page"] as? [String: Any]
            return $0["app_id"] as? String == "84912283" && page?["url"] as? String == "http://media/board"
                && page?["force"] as? Bool == false && page?["reload_time"] == nil
        },
        Case(topic: "cmd/show", payload: #"{"url":"https://media/other","reload":90}"#) {
            let page = $0["page"] as? [String: Any]
            return page?["url"] as? String == "https://media/other" && page?["reload_time"] as? Int == 90_000
        },
        Case(topic: "cmd", payload: #"{"cmd":"show","args":{"url":"https://media/forced","force":true}}"#) {
            let page = $0["page"] as? [String: Any]
            return page?["url"] as? String == "https://media/forced" && page?["force"] as? Bool == true
        },
        Case(topic: "cmd/show", payload: "file:///etc/hostname", code: "bad_payload"), Case(topic: "cmd/quit_app"),
        Case(
            topic: "cmd", payload: #"{"cmd":"raw","args":{"namespace":"urn:x-cast:org.example.echo","payload":"hello"}}"#,
            code: "no_session"),
        Case(topic: "cmd/launch", payload: #"{"app":"My Orchard","language":"de-DE","relaunch":true}"#) {
            $0["app_id"] as? String == "5A1D0001"
        },
        Case(topic: "cmd", payload: #"{"cmd":"raw","args":{"namespace":"urn:x-cast:org.example.echo","payload":"hello"}}"#),
        Case(
            topic: "cmd", payload: #"{"cmd":"raw","args":{"namespace":"urn:x-cast:com.google.cast.media","payload":"x"}}"#,
            code: "forbidden"),
        Case(
            topic: "cmd/load",
            payload:
                #"{"url":"http://media/x.mp3?load_time=0","app":"My Orchard","launch":{"language":"fr-FR","relaunch":true,"params":{"seat":7}}}"#,
            holds: Self.plays("/x.mp3")),
        Case(topic: "cmd/transfer", payload: "nobody", code: "unknown_device"),
        Case(topic: "cmd/group_volume", payload: "30", code: "not_supported"),
        Case(topic: "set/group_device_volume", payload: "30", code: "not_supported"),
        Case(topic: "cmd/shout", payload: "http://media/a.mp3", code: "unknown_command"), Case(topic: "cmd/quit_app"),
    ]

    @Test("about media, queues and applications are answered once each, and done when the answer is done")
    func everyMediaCommand() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(
            devices: 1,
            environment: [
                "CAST2MQTT_COMMANDS_ALLOW_RAW": "true", "CAST2MQTT_COMMANDS_CUSTOM_NAMESPACES": "urn:x-cast:org.example.*",
                "CAST2MQTT_COMMANDS_APPLICATIONS": "My Orchard=5A1D0001",
            ])
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        for (index, command) in Self.mediaCases.enumerated() {
            let answers = "cast2mqtt/client/media/\(index)"
            var payload = command.payload
            if payload.contains("ITEM") {
                let ids = try await house.control.state("sim-001")["queue"] as? [Int] ?? []
                for (place, id) in ids.enumerated() { payload = payload.replacingOccurrences(of: "ITEM\(place)", with: "\(id)") }
            }
            try await house.sender.publish(
                payload, to: "cast2mqtt/\(slug)/\(command.topic)", arguments: ["-D", "publish", "response-topic", answers])
            let answer = try await watcher.message(on: answers)
            #expect(answer.object["code"] as? String == command.code, "\(command.topic) \(payload): \(answer.text)")
            do {
                try await eventually("\(command.topic) \(payload) shows at the device") {
                    command.holds(try await house.control.state("sim-001"))
                }
            } catch {
                Issue.record("\(error): \(try await house.control.state("sim-001"))")
            }
            if command.topic == "cmd/launch", command.code == "done" {
                // The application runs; it reports its namespaces a moment later.
                let id = try await house.control.state("sim-001")["app_id"] as? String
                try await watcher.current("cast2mqtt/\(slug)/app") {
                    $0.object["id"] as? String == id && ($0.object["namespaces"] as? [Any])?.isEmpty == false
                }
            }
        }
        try await house.sender.publish(
            "", to: "cast2mqtt/\(slug)/get/info", arguments: ["-D", "publish", "response-topic", "cast2mqtt/client/media/end"])
        try await watcher.message(on: "cast2mqtt/client/media/end")
        for index in Self.mediaCases.indices { #expect(watcher.messages.count { $0.topic == "cast2mqtt/client/media/\(index)" } == 1) }
        let launch = try house.journal().compactMap { $0["payload"] as? [String: Any] }.last { $0["type"] as? String == "LAUNCH" }
        #expect(launch?["appId"] as? String == "5A1D0001" && launch?["language"] as? String == "fr-FR")
        #expect((launch?["appParams"] as? [String: Any])?["seat"] as? Int == 7)
        try await house.bridge?.stop()
    }

    static func near(_ value: Any?, _ wanted: Double) -> Bool {
        (value as? Double).map { abs($0 - wanted) < 0.02 * max(1, wanted) } ?? false
    }

    @Test("are answered once each, and done when the answer is done")
    func everyCommand() async throws {
        let house = try await Household.onThreeHosts(devices: 2)
        let watcher = try await house.startEverything(devices: 2)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        for (index, command) in Self.cases.enumerated() {
            let answers = "cast2mqtt/client/test/\(index)"
            try await house.sender.publish(
                command.payload, to: "cast2mqtt/\(slug)/\(command.topic)",
                arguments: ["-D", "publish", "response-topic", answers, "-D", "publish", "correlation-data", "number \(index)"])
            let answer = try await watcher.message(on: answers)
            #expect(answer.object["code"] as? String == command.code, "\(command.topic) \(command.payload): \(answer.text)")
            #expect(answer.object["device"] as? String == slug)
            guard command.code == "done" else { continue }
            try await eventually("\(command.topic) \(command.payload) shows at the device") {
                command.holds(try await house.control.state("sim-001"))
            }
        }
        // A last request on the same path: whatever else was to come has come before its answer.
        try await house.sender.publish(
            "", to: "cast2mqtt/\(slug)/get/info", arguments: ["-D", "publish", "response-topic", "cast2mqtt/client/test/end"])
        try await watcher.message(on: "cast2mqtt/client/test/end")
        for index in Self.cases.indices { #expect(watcher.messages.count { $0.topic == "cast2mqtt/client/test/\(index)" } == 1) }
        try await house.bridge?.stop()
    }

    @Test("answer requests to the bridge")
    func bridgeRequests() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 1)
        for (verb, payload) in [("health_check", ""), ("discover", ""), ("republish", ""), ("snapshot", ""), ("log_level", "warning")] {
            let id = "test-\(verb)"
            try await house.sender.publish(
                payload.isEmpty ? #"{"id":"\#(id)"}"# : payload, to: "cast2mqtt/bridge/request/\(verb)",
                arguments: ["-D", "publish", "response-topic", "cast2mqtt/client/test/\(verb)"])
            let answer = try await watcher.message(on: "cast2mqtt/client/test/\(verb)")
            #expect(answer.object["status"] as? String == "ok", "\(answer.text)")
        }
        let snapshot = try await watcher.message(on: "cast2mqtt/client/test/snapshot")
        let documents = try #require((snapshot.object["data"] as? [String: Any])?["documents"] as? [String: Any])
        #expect(documents.keys.contains("cast2mqtt/bridge/info"))
        #expect(documents.keys.contains { $0.hasSuffix("/availability") })
        try await house.bridge?.stop()
    }

    @Test("move what plays to another device, which is accepted first, and leave it where it is when that fails")
    func transfer() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 2)
        let slugs = try await house.slugs(watcher)
        let (from, to) = (try #require(slugs["sim-001"]), try #require(slugs["sim-002"]))
        func codes(_ name: String) -> [String] {
            watcher.messages.filter { $0.topic == "cast2mqtt/client/transfer/\(name)" }.compactMap { $0.object["code"] as? String }
        }
        func send(_ tail: String, _ payload: String, to slug: String, _ name: String, codes wanted: [String]) async throws {
            try await house.sender.publish(
                payload, to: "cast2mqtt/\(slug)/\(tail)",
                arguments: ["-D", "publish", "response-topic", "cast2mqtt/client/transfer/\(name)"])
            try await eventually("\(name) is answered") { codes(name).count >= wanted.count }
            #expect(codes(name) == wanted, "\(watcher.messages.last { $0.topic == "cast2mqtt/client/transfer/\(name)" }?.text ?? "")")
        }
        try await send("cmd/transfer", to, to: from, "nothing", codes: ["accepted", "no_session"])
        try await send("cmd/load", "http://media/film.mp4?duration=600&load_time=0", to: from, "load", codes: ["done"])
        try await send("set/position", "300", to: from, "seek", codes: ["done"])
        try await send("cmd/transfer", from, to: from, "itself", codes: ["bad_payload"])
        // The other one is not there.
        try await house.control.send(["device": "sim-002", "do": "stop", "goodbye": false])
        try await watcher.current("cast2mqtt/\(to)/availability") { $0.text == "offline" }
        try await send("cmd/transfer", to, to: from, "offline", codes: ["accepted", "device_offline"])
        #expect(try await house.control.state("sim-001")["player"] as? String == "PLAYING")
        try await house.control.send(["device": "sim-002", "do": "start"])
        try await watcher.current("cast2mqtt/\(to)/availability") { $0.text == "online" }

        // A person at the other one's screen refuses the launch.
        try await house.control.send(["device": "sim-002", "do": "permission", "ask": true])
        try await house.sender.publish(
            to, to: "cast2mqtt/\(from)/cmd/transfer", arguments: ["-D", "publish", "response-topic", "cast2mqtt/client/transfer/refused"])
        try await eventually("the launch waits, and is refused") {
            (try? await house.control.send(["device": "sim-002", "do": "permission", "allow": false])) != nil
        }
        try await eventually("the refusal is answered") { codes("refused").count >= 2 }
        #expect(codes("refused") == ["accepted", "not_supported"])
        try await house.control.send(["device": "sim-002", "do": "permission", "ask": false])
        #expect(try await house.control.state("sim-001")["player"] as? String == "PLAYING")

        // Its player refuses what it shall go on with: a URL that only the first one could play.
        try await house.control.send([
            "device": "sim-001", "do": "distort", "type": "MEDIA_STATUS", "set": ["status.0.media.contentId": "http://media/missing.mp4"],
        ])
        try await house.control.send([
            "device": "sim-001", "do": "play", "url": "http://media/radio.mp4?load_time=0", "app": "5A1D0001", "duration": 600,
        ])
        try await watcher.current("cast2mqtt/\(from)/status/content_id") { $0.text.contains("missing") }
        try await watcher.current("cast2mqtt/\(from)/status/player") { $0.text == "playing" }
        try await send("cmd/transfer", to, to: from, "load-refused", codes: ["accepted", "load_failed"])
        #expect(try await house.control.state("sim-001")["player"] as? String == "PLAYING")
        try await watcher.current("cast2mqtt/\(from)/status/player") { $0.text == "playing" }
        try await eventually("what was launched on the other one is ended") {
            try await house.control.state("sim-002")["app_id"] as? String != "5A1D0001"
        }
        try await house.control.send(["device": "sim-001", "do": "undistort"])
        let film = "http://media/film.mp4?duration=600&load_time=0&token=planted"
        try await send("cmd/load", film, to: from, "load-again", codes: ["done"])
        try await send("set/position", "300", to: from, "seek-again", codes: ["done"])
        let upper = #"{"to":"\#(to.uppercased())"}"#
        try await send("cmd/transfer", upper, to: from, "transfer", codes: ["accepted", "done"])
        try await eventually("the other one plays at the same position, and the first one no more") {
            let (first, second) = (try await house.control.state("sim-001"), try await house.control.state("sim-002"))
            return second["player"] as? String == "PLAYING" && Self.near(second["position"], 300) && first["content_id"] == nil
                && second["content_id"] as? String == film
        }
        // The device has the secret, and only the command shows it.
        try await watcher.current("cast2mqtt/\(to)/status/content_id") { $0.text == film.replacing("planted", with: "…") }
        #expect(watcher.messages.filter { $0.text.contains("planted") }.map(\.topic) == ["cast2mqtt/\(from)/cmd/load"])
        try await house.bridge?.stop()
    }

    @Test("set the volume of a group and keep its balance, also through silence")
    func groupVolume() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 4, groups: 1)
        let slugs = try await house.slugs(watcher)
        let group = try #require(slugs["group-001"])
        let listed = try await house.control.state("group-001")["members"] as? [[String: Any]] ?? []
        let ids = Set(listed.compactMap { ($0["deviceId"] as? String)?.lowercased().filter { $0 != "-" } })
        let members = try await house.control.devices().filter { ids.contains($0["id"] as? String ?? "") }.compactMap {
            $0["device"] as? String
        }.sorted()
        #expect(members.count >= 2)
        func send(_ tail: String, _ payload: String, to slug: String, _ name: String) async throws -> [String: Any] {
            let topic = "cast2mqtt/client/group/\(name)"
            try await house.sender.publish(payload, to: "cast2mqtt/\(slug)/\(tail)", arguments: ["-D", "publish", "response-topic", topic])
            let answer = try await watcher.message(on: topic)
            #expect(answer.object["code"] as? String == "done", "\(answer.text)")
            return answer.object
        }
        func levels() async throws -> [Double] {
            var levels: [Double] = []
            for member in members { levels.append(try await house.control.state(member)["volume"] as? Double ?? -1) }
            return levels
        }
        for (index, member) in members.enumerated() {
            _ = try await send("set/volume", "\(10 * (index + 1))", to: try #require(slugs[member]), "member-\(index)")
        }
        let start = try await levels()
        let mean = start.reduce(0, +) / Double(start.count)
        let changes: [(tail: String, payload: String, percent: Int)] = [
            ("cmd/group_volume", "40", 40), ("cmd/group_volume", "0", 0), ("cmd/group_volume", "5", 5), ("set/volume", "0", 0),
            ("set/volume", "30", 30), ("set/volume", "-10", 20), ("set/volume_level", "0.25", 25), ("cmd/volume_up", "5", 30),
            ("set", #"{"volume":0,"muted":true}"#, 0), ("set", #"{"volume":"+30","muted":false}"#, 30),
        ]
        for (index, (tail, payload, percent)) in changes.enumerated() {
            let answer = try await send(tail, payload, to: group, "volume-\(index)")
            #expect(((answer["data"] as? [String: Any])?["members"] as? [Any])?.count == members.count)
            let wanted = start.map { $0 * Double(percent) / 100 / mean }
            try await eventually("the members are at \(wanted)") { zip(try await levels(), wanted).allSatisfy { abs($0 - $1) < 0.01 } }
        }
        #expect(try await house.control.state("group-001")["muted"] as? Bool == false)
        // The group's own device knows no ratio after silence.
        for (index, percent) in [0, 40].enumerated() {
            let answer = try await send("set/group_device_volume", "\(percent)", to: group, "own-\(index)")
            #expect((answer["data"] as? [String: Any])?["members"] == nil)
            try await eventually("all members are at \(percent)") {
                try await levels().allSatisfy { abs($0 - Double(percent) / 100) < 0.01 }
            }
        }
        try await house.bridge?.stop()
    }

    @Test("to all devices are answered once, with what became of each")
    func everyDevice() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 3, groups: 1, environment: ["CAST2MQTT_COMMANDS_FAN_OUT": "true"])
        let slugs = try await house.slugs(watcher)
        func send(_ tail: String, _ payload: String, _ name: String) async throws -> [String: Any] {
            let topic = "cast2mqtt/client/all/\(name)"
            try await house.sender.publish(payload, to: "cast2mqtt/all/\(tail)", arguments: ["-D", "publish", "response-topic", topic])
            return try await watcher.message(on: topic).object
        }
        let volume = try await send("set/volume", "33", "volume")
        #expect(volume["code"] as? String == "done")
        #expect(volume["device"] as? String == "all")
        let devices = (volume["data"] as? [String: Any])?["devices"] as? [String: Any]
        #expect(devices.map { Set($0.keys) } == Set(slugs.filter { $0.key.hasPrefix("sim-") }.values), "the group is left to its members")
        for device in ["sim-001", "sim-002", "sim-003"] {
            try await eventually("\(device) is at 33") { Self.near(try await house.control.state(device)["volume"], 0.33) }
        }
        #expect(try await send("cmd/pause", "", "idle")["code"] as? String == "no_session")
        try await house.play("sim-002", watcher)
        let pause = try await send("cmd/pause", "", "pause")
        #expect(pause["code"] as? String == "done")
        #expect(((pause["data"] as? [String: Any])?["devices"] as? [String: Any])?.count == slugs.count)
        try await eventually("it pauses") { try await house.control.state("sim-002")["player"] as? String == "PAUSED" }
        #expect(!watcher.messages.contains { $0.topic.hasSuffix("/error") })
        try await house.bridge?.stop()
    }

    @Test("of an application's own go to it and back, as text and as bytes, where they are allowed")
    func namespaces() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(
            devices: 1, environment: ["CAST2MQTT_COMMANDS_CUSTOM_NAMESPACES": "urn:x-cast:org.example.*"])
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        let echo = "cast2mqtt/\(slug)/ns/urn:x-cast:org.example.echo"
        func send(_ payload: String, to topic: String, _ name: String, _ arguments: [String] = []) async throws -> String? {
            let answers = "cast2mqtt/client/ns/\(name)"
            try await house.sender.publish(payload, to: topic, arguments: ["-D", "publish", "response-topic", answers] + arguments)
            return try await watcher.message(on: answers).object["code"] as? String
        }
        #expect(try await send("hello", to: echo + "/send", "nobody") == "no_session")
        #expect(!watcher.messages.contains { $0.topic == echo + "/state" })
        #expect(try await send("5A1D0001", to: "cast2mqtt/\(slug)/cmd/launch", "launch") == "done")
        try await watcher.current("cast2mqtt/\(slug)/app") { $0.text.contains("org.example.echo") }
        try await watcher.current(echo + "/state") { $0.text == "connected" }
        #expect(try await send(#"{"secret":"number 4711"}"#, to: echo + "/send", "text") == "done")
        try await eventually("the text is returned") {
            watcher.messages.contains { $0.topic == echo + "/recv" && $0.text == #"{"secret":"number 4711"}"# }
        }
        #expect(
            try await send("bytes 4711", to: echo + "/send", "bytes", ["-D", "publish", "content-type", "application/octet-stream"])
                == "done")
        try await eventually("the bytes are returned") {
            watcher.messages.contains { $0.topic == echo + "/recv" && $0.text == "bytes 4711" }
        }
        #expect(try await send("hello", to: "cast2mqtt/\(slug)/ns/urn:x-cast:other/send", "other") == "forbidden")
        #expect(!watcher.messages.contains { $0.topic == echo + "/recv" && $0.isLeftOver })
        #expect(try await send("", to: "cast2mqtt/\(slug)/cmd/quit_app", "quit") == "done")
        try await watcher.current(echo + "/state") { $0.text == "disconnected" }
        let received = try house.journal().filter { $0["namespace"] as? String == "urn:x-cast:org.example.echo" }
        #expect(received.count == 2, "\(received)")
        #expect(house.bridge?.text.contains("4711") == false, "messages of applications are never logged")
        try await house.bridge?.stop()
    }
}

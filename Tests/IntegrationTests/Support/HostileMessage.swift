/// A message that a careless or malicious client may send, and its documented effect.
struct HostileMessage {
    /// Below the base; `DEV` is replaced by a device's slug.
    var topic: String
    var payload: [UInt8]
    /// `nil`: silence.
    var code: String?
    /// Where the answer is asked for; `DEV` as above.
    var responseTopic = Self.answers

    static let answers = "cast2mqtt/client/hostile"

    init(_ topic: String, _ payload: String, _ code: String?) { self.init(topic, bytes: Array(payload.utf8), code) }

    init(_ topic: String, bytes: [UInt8], _ code: String?) { (self.topic, self.payload, self.code) = ("cast2mqtt/" + topic, bytes, code) }

    /// A volume of 99 that must not be set, since its answer is wanted where we don't answer.
    static func answered(on responseTopic: String) -> HostileMessage {
        var message = HostileMessage("DEV/set/volume", "99", "forbidden")
        message.responseTopic = responseTopic
        return message
    }

    static func outside(_ topic: String) -> HostileMessage {
        var message = HostileMessage("", "99", nil)
        message.topic = topic
        return message
    }

    /// The same refusal for many payloads on one topic.
    private static func refused(_ topic: String, _ payloads: [String], _ code: String = "bad_payload") -> [HostileMessage] {
        payloads.map { HostileMessage(topic, $0, code) }
    }

    static let all: [HostileMessage] =
        plain + sizes + objects + verbs + loads + strangers + properties + queues + reaching
        + [
            "$SYS/broker/x", "$share/group/x", "elsewhere/x", "homeassistant/status", "cast2mqtt/DEV/state", "cast2mqtt/DEV/cmd/play",
            "cast2mqtt/bridge/state", "cast2mqtt/client", "cast2mqtt/client/", "cast2mqtt/clients/x", "cast2mqtt", "/",
            "cast2mqtt/client/" + String(repeating: "x", count: 1100),
        ].map(answered)
        + ["Cast2MQTT/DEV/set/volume", "/cast2mqtt/DEV/set/volume", "cast2mqtt2/DEV/set/volume", "cast2mqtt/x/DEV/set/volume"].map(outside)

    private static let plain =
        refused("DEV/set/volume", ["", "NaN", "inf", "1e2", "0x10", "-101", "101", "+", "٣٤", "34%%", "0.5", "3,4", "34 35", "\u{0}"])
        + refused("DEV/set/volume", ["{}", "[34]", "\"34\"", "{\"volume\":34", "null"])
        + refused("DEV/set/volume_level", ["1.01", "-0.1", "nan", "true"]) + refused("DEV/set/muted", ["maybe", "2", "[true]", ""])
        + refused("DEV/set/position", ["-", "1:99", "99999999999", "1:2:3:4", "soon", "1.5:00"])
        + [HostileMessage("DEV/set/volume", bytes: [0xFF, 0xFE, 0x00, 0x80], "bad_payload")]

    private static let sizes = [
        HostileMessage("DEV/set/volume", String(repeating: "1", count: 65_537), "too_large"),
        HostileMessage("DEV/set/volume", bytes: [UInt8](repeating: 0, count: 1_000_000), "too_large"),
        HostileMessage("DEV/cmd", "{\"cmd\":\"play\",\"id\":\"" + String(repeating: "x", count: 70_000) + "\"}", "too_large"),
        // Larger than any packet the bridge takes.
        HostileMessage("DEV/set/volume", bytes: [UInt8](repeating: 0x31, count: 1_100_000), nil),
        HostileMessage("DEV/set", String(repeating: "[", count: 60_000), "bad_payload"),
        HostileMessage("DEV/set", String(repeating: "{\"volume\":", count: 6000), "bad_payload"),
    ]

    private static let objects =
        refused(
            "DEV/set",
            [
                "", "[]", "{}", "34", "{\"volume\":34", "{\"volume\":34}}", "{'volume':34}", "{\"volume\":null}", "{\"volume\":true}",
                "{\"volume\":[34]}", "{\"volume\":NaN}", "{\"volume\":1e999}", "{\"volume\":-1}", "{\"volume\":34,\"colour\":\"red\"}",
                "{\"volume\":34,\"volume_level\":0.3}", "{\"volume\":34,\"id\":\"\"}", "{\"volume\":34,\"id\":{}}",
                "{\"volume\":34,\"timeout\":0}", "{\"volume\":34,\"timeout\":1e9}", "{\"volume\":34,\"expires_at\":\"yesterday\"}",
                "{\"volume\":34,\"expires_at\":5}", "{\"muted\":{}}", "{\"position\":-1}", "{\"position\":{}}",
            ])
        + refused("DEV/set", ["{\"volume\":34,\"expires_at\":\"2001-01-01T00:00:00Z\"}"], "expired")
        + refused(
            "DEV/cmd",
            [
                "", "play", "{}", "{\"cmd\":7}", "{\"cmd\":\"\"}", "{\"cmd\":\"set\"}", "{\"cmd\":\"set\",\"args\":[]}",
                "{\"cmd\":\"set\",\"args\":{\"x\":1}}",
                "{\"cmd\":\"get\",\"args\":{\"doc\":\"secrets\"}}", "{\"cmd\":\"play\",\"args\":{\"x\":1}}",
                "{\"cmd\":\"play\",\"extra\":1}",
                "{\"cmd\":\"load\",\"args\":{}}", "{\"cmd\":\"load\",\"args\":{\"url\":5}}",
            ])
        + refused("DEV/cmd", ["{\"cmd\":\"dance\"}", "{\"cmd\":\"cmd\"}"], "unknown_command")

    private static let verbs =
        refused("DEV/cmd/play", ["now", "{\"x\":1}", "[1]", "{"])
        + refused("DEV/cmd/launch", ["no such app", "{\"app\":5}", "{\"id\":1,\"app\":\"\"}"])
        + refused("DEV/cmd/volume_up", ["0", "-5", "1000", "{\"step\":\"x\"}", "{\"steps\":5}"])
        + refused("DEV/get/state", ["x", "{\"x\":1}"])
        + ["set/colour", "set/", "set/volume/x", "cmd/dance", "cmd/PLAY", "cmd/play/now", "cmd/", "cmd//play", "get/", "get/secrets"]
        .map { HostileMessage("DEV/" + $0, "1", "unknown_command") }

    private static let loads = refused(
        "DEV/cmd/load",
        [
            "", "[]", "[5]", "{}", "[\"http://media/x.mp4\",\"video/mp4\",\"more\"]", "{\"url\":\"\"}", "{\"url\":null}",
            "http://media/no-type", "{\"url\":\"http://media/x.mp4\",\"position\":-5}",
            "{\"url\":\"http://media/x.mp4\",\"metadata\":\"x\"}",
            "{\"url\":\"http://media/x.mp4\",\"colour\":\"red\"}", "{\"url\":\"http://media/x.mp4\",\"tracks\":5}",
            "{\"url\":\"http://media/x.mp4\",\"active_tracks\":[\"x\"]}", "{\"url\":\"http://media/x.mp4\",\"app\":{}}",
            "{\"url\":\"http://media/x.mp4\",\"stream\":\"sideways\"}", "{\"url\":\"http://media/x.mp4\",\"autoplay\":\"perhaps\"}",
            "http://media/" + String(repeating: "x", count: 9000) + ".mp4",
        ])

    private static let properties =
        refused("DEV/set/position_percent", ["", "101", "-1", "NaN", "half"])
        + refused("DEV/set/repeat", ["", "twice", "REPEAT_EVERYTHING", "1"])
        + refused("DEV/set/shuffle", ["", "maybe", "2", "{}"]) + refused("DEV/set/rate", ["", "0.1", "9", "NaN", "1e0", "-1"])
        + refused("DEV/set/text_track", ["", "[1]"]) + refused("DEV/set/audio_track", ["", "Off"])
        + refused("DEV/set/text_style", ["", "{}", "big", "{\"font_scale\":99}", "{\"foreground_color\":\"red\"}", "{\"x\":1}", "{"])
        + refused("DEV/set/app", ["", "frobnicator", "{}"])
        + refused(
            "DEV/set",
            [
                "{\"rate\":\"fast\"}", "{\"repeat\":true}", "{\"shuffle\":5}", "{\"text_style\":5}", "{\"app\":1}",
                "{\"position\":1,\"position_percent\":1}", "{\"text_track\":-1}", "{\"volume\":0.5}",
            ])
        + [HostileMessage("DEV/set/text_track", bytes: [0xC3, 0x28], "bad_payload")]

    private static let queues =
        refused("DEV/cmd/queue_insert", ["", "43", "[]", "{}", "{\"items\":[5]}", "{\"url\":\"http://media/x.mp3\",\"before\":\"x\"}"])
        + refused("DEV/cmd/queue_load", ["", "[]", "{}", "43", "{\"items\":[\"http://media/x.mp3\"],\"start\":7}"])
        + [
            HostileMessage("DEV/cmd/queue_load", bytes: [UInt8](repeating: 0x20, count: 262_145), "too_large"),
            HostileMessage("DEV/cmd/queue_insert", bytes: [UInt8](repeating: 0x5B, count: 65_537), "too_large"),
        ]
        + refused("DEV/cmd/queue_update", ["", "{}", "{\"item\":1}"]) + refused("DEV/cmd/queue_remove", ["", "x", "-1", "[1,1]"])
        + refused("DEV/cmd/queue_jump", ["", "x", "+0", "{\"by\":0}"])
        + refused("DEV/cmd/queue_move", ["", "1", "{\"item\":1}", "{\"item\":1,\"to\":-1}"])
        + refused("DEV/cmd/queue_clear", ["all", "{\"x\":1}"]) + refused("DEV/cmd/skip_ad", ["1"]) + refused("DEV/cmd/restart_item", ["1"])
        + refused("DEV/cmd/preset", ["", "{}", "[1]", "nothing"]) + refused("DEV/cmd/sleep", ["", "soon", "-1"])
        + refused("DEV/cmd/save", ["", "{}"])
        + refused("DEV/cmd/recall", ["", "nothing"])
        + refused("DEV/cmd/transfer", ["", "{}", "[1]", "{\"to\":5}"]) + refused("DEV/cmd/transfer", ["nobody"], "unknown_device")
        + refused("DEV/cmd/group_volume", ["", "101", "NaN", "{}"])

    private static let reaching =
        refused(
            "DEV/cmd",
            [
                "{\"cmd\":\"media_request\",\"args\":{\"type\":\"STOP\"}}", "{\"cmd\":\"receiver_request\",\"args\":{\"type\":\"STOP\"}}",
                "{\"cmd\":\"raw\",\"args\":{\"namespace\":\"urn:x-cast:a\",\"payload\":\"x\"}}",
            ], "forbidden") + refused("DEV/ns/urn:x-cast:org.example.echo/send", ["hello"], "forbidden")
        + refused("DEV/ns/urn:x-cast:com.google.cast.receiver/send", ["{\"type\":\"STOP\"}"], "forbidden")
        + refused("DEV/ns/nonsense/send", ["hello"]) + refused("all/set/volume", ["99"], "forbidden")
        + refused("all/cmd/stop", [""], "forbidden")
        + refused("all/cmd", ["{\"cmd\":\"set\",\"args\":{\"volume\":99}}"], "forbidden")
        + ["cmd/shout", "cmd/raw", "cmd/media_request", "cmd/queue", "set/subtitles"].map {
            HostileMessage("DEV/" + $0, "1", "unknown_command")
        }

    private static let strangers =
        ["nobody", "", "bridge", "DEV ", "..", "DEV\u{301}"].map { HostileMessage("\($0)/set/volume", "99", "unknown_device") }
        + ["client/set/volume", "DEV", "DEV/", "DEV/sets/volume", "DEV/response/set", "bridge/requests/x"].map {
            HostileMessage($0, "99", nil)
        }
        + ["bridge/request", "bridge/request/", "bridge/request/destroy"].map { HostileMessage($0, "", "unknown_command") }
        + refused("bridge/request/log_level", ["loud", "{\"level\":\"info\",\"timeout\":5}", "{\"filters\":\"x\"}", "[]"])
        + refused("bridge/request/home_assistant/mode", ["", "off", "components", "{\"mode\":7}", "[]"])
        + refused("bridge/request/health_check", ["x", "{\"x\":1}"])
}

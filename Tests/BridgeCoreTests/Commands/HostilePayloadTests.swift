import BridgeCore
import CastModels
import TestSupport
import Testing

/// One message that must be refused.
struct HostileCase: CustomTestStringConvertible, Sendable {
    var tail: String
    var payload: [UInt8]
    var code: AnswerCode
    /// A word that the message must contain.
    var naming: String

    init(_ tail: String, _ payload: String, _ code: AnswerCode = .badPayload, naming: String = "") {
        (self.tail, self.payload, self.code, self.naming) = (tail, Array(payload.utf8), code, naming)
    }

    init(_ tail: String, bytes: [UInt8], _ code: AnswerCode = .badPayload) {
        (self.tail, self.payload, self.code, self.naming) = (tail, bytes, code, "")
    }

    var testDescription: String { "\(self.tail) \(String(decoding: self.payload.prefix(60), as: UTF8.self)) → \(self.code.rawValue)" }
}

@Suite("A hostile payload")
struct HostilePayloadTests {
    static let numbers: [HostileCase] = {
        let never = [
            "", "PRESS", "NaN", "nan", "inf", "-inf", "+inf", "Infinity", "1e1", "1E2", "0x10", "1,5", "1_000", "٣٤", "３４", "--5", "++5",
            "+-5", "-+5",
            "+", "-", "%", "5%%", "%5", ".", "..5", "1.2.3", "5.", "loud", "null", "true", "[]", "{}", "\"5\"", "5 5", "5\u{0}", "\u{0}",
            "\u{FEFF}5",
            "9999999999999999999999", "1e999", "5;drop", "${x}", "‒5", "−5",
        ]
        var cases: [HostileCase] = []
        for name in ["volume", "volume_level", "position"] {
            for payload in never where !(name == "position" && payload == "5.") && !(payload == "5.") {
                cases.append(HostileCase("set/\(name)", payload, naming: name == "volume_level" ? "volume" : name))
            }
        }
        return cases
    }()

    static let ranges: [HostileCase] = [
        HostileCase("set/volume", "101"), HostileCase("set/volume", "100.1"), HostileCase("set/volume", "101%"),
        HostileCase("set/volume", "+101"),
        HostileCase("set/volume", "-101"), HostileCase("set/volume", "0.34", naming: "volume_level"), HostileCase("set/volume", "1.0"),
        HostileCase("set/volume", "1000000000000000"), HostileCase("set/volume_level", "1.01"), HostileCase("set/volume_level", "-0.1"),
        HostileCase("set/volume_level", "+0.1"), HostileCase("set/volume_level", "34"), HostileCase("set/volume_level", "34%"),
        HostileCase("set/muted", ""), HostileCase("set/muted", "PRESS"), HostileCase("set/muted", "2"), HostileCase("set/muted", "yes"),
        HostileCase("set/muted", "onn"), HostileCase("set/muted", "[true]"), HostileCase("set/muted", "null"),
        HostileCase("set/position", "1:60"),
        HostileCase("set/position", "1:60:00"), HostileCase("set/position", "1:2:3:4"), HostileCase("set/position", ":30"),
        HostileCase("set/position", "1:"), HostileCase("set/position", "1.5:00"), HostileCase("set/position", "1:-5"),
        HostileCase("set/position", "10000000001"), HostileCase("set/position", "alive"), HostileCase("set/position", "5%"),
        HostileCase("cmd/volume_up", "0"), HostileCase("cmd/volume_up", "-5"), HostileCase("cmd/volume_up", "101"),
        HostileCase("cmd/volume_up", "loud"), HostileCase("cmd/volume_up", #"{"step":"x"}"#),
        HostileCase("cmd/volume_up", #"{"by":5}"#, naming: "by"),
        HostileCase("cmd/volume_down", "[5]"), HostileCase("cmd/volume_down", #"{"step":1e9}"#),
    ]

    static let objects: [HostileCase] = [
        HostileCase("set", ""), HostileCase("set", "{}"), HostileCase("set", "5"), HostileCase("set", "[]"), HostileCase("set", "\"x\""),
        HostileCase("set", "{"), HostileCase("set", #"{"volume":}"#), HostileCase("set", #"{"volume":30}x"#),
        HostileCase("set", #"{"volume":030}"#),
        HostileCase("set", #"{'volume':30}"#), HostileCase("set", #"{"volume":NaN}"#), HostileCase("set", #"{"volume":1e400}"#),
        HostileCase("set", #"{"volume":-5}"#), HostileCase("set", #"{"volume":101}"#), HostileCase("set", #"{"volume":true}"#),
        HostileCase("set", #"{"volume":[30]}"#), HostileCase("set", #"{"volume":{"x":1}}"#), HostileCase("set", #"{"volume":null}"#),
        HostileCase("set", #"{"volume":30,"volume_level":0.3}"#), HostileCase("set", #"{"volume":30,"loudness":1}"#, naming: "loudness"),
        HostileCase("set", #"{"repeat":"twice"}"#, naming: "repeat"), HostileCase("set", #"{"muted":"maybe"}"#),
        HostileCase("set", #"{"muted":2}"#),
        HostileCase("set", #"{"muted":1.0e0}"#), HostileCase("set", #"{"position":-1}"#), HostileCase("set", #"{"position":1e11}"#),
        HostileCase("set", #"{"position":false}"#), HostileCase("set", #"{"Volume":30}"#, naming: "Volume"), HostileCase("set", #"{"":1}"#),
        HostileCase("set/volume", #"{"volume":30}"#, naming: "set"), HostileCase("set/volume", "[30]"),
        HostileCase("cmd", ""), HostileCase("cmd", "play"), HostileCase("cmd", "[]"), HostileCase("cmd", "{}", naming: "cmd"),
        HostileCase("cmd", "{"),
        HostileCase("cmd", #"{"cmd":5}"#), HostileCase("cmd", #"{"cmd":""}"#), HostileCase("cmd", #"{"cmd":null}"#),
        HostileCase("cmd", #"{"cmd":"play","arguments":{}}"#, naming: "arguments"),
        HostileCase("cmd", #"{"cmd":"play","args":{"x":1}}"#, naming: "x"),
        HostileCase("cmd", #"{"cmd":"play","args":5}"#), HostileCase("cmd", #"{"cmd":"play","args":[]}"#),
        HostileCase("cmd", #"{"cmd":"set"}"#),
        HostileCase("cmd", #"{"cmd":"set","args":{}}"#), HostileCase("cmd", #"{"cmd":"get"}"#),
        HostileCase("cmd", #"{"cmd":"get","args":{"doc":5}}"#),
        HostileCase("cmd", #"{"cmd":"get","args":{"doc":"state","all":true}}"#, naming: "all"),
        HostileCase("cmd", #"{"cmd":"play","id":""}"#, naming: "id"), HostileCase("cmd", #"{"cmd":"play","id":{}}"#, naming: "id"),
        HostileCase("cmd", #"{"cmd":"play","id":1.5}"#, naming: "id"), HostileCase("cmd", #"{"cmd":"play","id":true}"#, naming: "id"),
        HostileCase("cmd", #"{"cmd":"play","id":"\#(String(repeating: "i", count: 129))"}"#, naming: "id"),
        HostileCase("cmd", #"{"cmd":"play","timeout":0}"#, naming: "timeout"),
        HostileCase("cmd", #"{"cmd":"play","timeout":-1}"#, naming: "timeout"),
        HostileCase("cmd", #"{"cmd":"play","timeout":301}"#, naming: "timeout"),
        HostileCase("cmd", #"{"cmd":"play","timeout":"5"}"#, naming: "timeout"),
        HostileCase("cmd", #"{"cmd":"play","expires_at":"soon"}"#, naming: "expires_at"),
        HostileCase("cmd", #"{"cmd":"play","expires_at":5}"#, naming: "expires_at"),
        HostileCase("cmd", #"{"cmd":"play","expires_at":"2026-13-01T00:00:00Z"}"#, naming: "expires_at"),
        HostileCase("cmd", String(repeating: "[", count: 500)),
        HostileCase("cmd", #"{"cmd":"play","args":"# + String(repeating: "[", count: 100)),
        HostileCase("cmd", #"{"cmd":"play\ud800"}"#, .unknownCommand), HostileCase("cmd/play", #"{"id":}"#), HostileCase("cmd/play", "[1]"),
    ]

    static let loads: [HostileCase] = [
        HostileCase("cmd/load", ""), HostileCase("cmd/load", "PRESS"), HostileCase("cmd/load", "film.mp4"),
        HostileCase("cmd/load", "file:///etc/passwd"), HostileCase("cmd/load", "media-source://tts/x", naming: "http or https"),
        HostileCase("cmd/load", #"{"url":"media-source://tts/x","content_type":"music"}"#, naming: "url"),
        HostileCase("cmd/load", "javascript:alert(1)"), HostileCase("cmd/load", "http://"), HostileCase("cmd/load", "http:///a.mp3"),
        HostileCase("cmd/load", "http://h/a b.mp3"), HostileCase("cmd/load", "http://h/a\u{7F}.mp3"),
        HostileCase("cmd/load", "http://h/" + String(repeating: "x", count: 9000) + ".mp3"), HostileCase("cmd/load", "[]"),
        HostileCase("cmd/load", "[1]"),
        HostileCase("cmd/load", #"["http://h/a.mp3",5]"#), HostileCase("cmd/load", #"["http://h/a.mp3","audio/mpeg","x"]"#),
        HostileCase("cmd/load", #"["http://h/a","nonsense"]"#), HostileCase("cmd/load", #"["http://h/a","audio/"]"#),
        HostileCase("cmd/load", #"["http://h/a","a/b/c"]"#), HostileCase("cmd/load", #"["http://h/a","audio /mpeg\u0000"]"#),
        HostileCase("cmd/load", "{}", naming: "url"),
        HostileCase("cmd/load", "5"), HostileCase("cmd/load", "null"), HostileCase("cmd/load", #"{"url":null}"#, naming: "url"),
        HostileCase("cmd/load", #"{"url":5}"#, naming: "url"), HostileCase("cmd/load", #"{"url":""}"#, naming: "url"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","autoplay":"yes"}"#, naming: "autoplay"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","position":-1}"#, naming: "position"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","position":"soon"}"#, naming: "position"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","stream":"endless"}"#, naming: "stream"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","contentType":"audio/mpeg"}"#, naming: "contentType"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","volume":40}"#, naming: "volume"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","app":"frobnicator"}"#, naming: "app"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","app":5}"#, naming: "app"),
        HostileCase("cmd/load", #"{"url":"some-id","app":"CC1AD845"}"#),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","metadata":[]}"#, naming: "metadata"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","metadata":{"titel":"x"}}"#, naming: "titel"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","metadata":{"title":5}}"#, naming: "title"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","metadata":{"type":"opera"}}"#, naming: "type"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","metadata":{"type":7}}"#, naming: "type"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","metadata":{"season":"one"}}"#, naming: "season"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","metadata":{"series":"a","series_title":"b"}}"#, naming: "series_title"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","metadata":{"images":"http://h/i.jpg"}}"#, naming: "images"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","metadata":{"images":["i.jpg"]}}"#, naming: "images[0]"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","metadata":{"images":[{"width":5}]}}"#, naming: "url"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","metadata":{"images":[{"url":"http://h/i","size":5}]}}"#, naming: "size"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","metadata":{"images":[{"url":"http://h/i","width":0}]}}"#, naming: "width"),
        HostileCase("cmd/load", #"{"content_url":"http://h/a.mp3","url":"http://h/a.mp3"}"#, naming: "content_url"),
        HostileCase("cmd/load", #"{"content_id":"a","media_id":"http://h/a.mp3"}"#, naming: "content_id"),
        HostileCase("cmd/load", #"{"content_id":"a","content_url":"a.mp3"}"#, naming: "content_url"),
        HostileCase("cmd/load", #"{"content_id":"","app":"youtube"}"#, naming: "content_id"),
        HostileCase("cmd/load", #"{"entity":5}"#, naming: "entity"),
        HostileCase("cmd/load", #"{"file":5}"#, naming: "file"), HostileCase("cmd/load", #"{"file":""}"#, naming: "file"),
        HostileCase("cmd/load", #"{"file":"../films/a.mp4"}"#, naming: "file"),
        HostileCase("cmd/load", #"{"file":"films/../../etc/passwd"}"#, naming: "file"),
        HostileCase("cmd/load", #"{"file":"/etc/passwd"}"#, naming: "file"),
        HostileCase("cmd/load", #"{"file":"films//a"}"#, naming: "file"),
        HostileCase("cmd/load", #"{"file":"films/.ssh"}"#, naming: "file"),
        HostileCase("cmd/load", #"{"file":"films/a\u0000"}"#, naming: "file"),
        HostileCase("cmd/load", #"{"file":"films/a.mp4","url":"http://h/a.mp3"}"#, naming: "url"),
        HostileCase("cmd/load", #"{"file":"films/a.mp4","entity":"https://h/a"}"#, naming: "entity"),
        HostileCase("cmd/queue_load", #"[{"file":"films/.."}]"#, naming: "file"),
        HostileCase("cmd/load", #"{"url":"http://h/a.m3u8","hls_segment_format":"wav"}"#, naming: "hls_segment_format"),
        HostileCase("cmd/load", #"{"url":"http://h/a.m3u8","hls_video_segment_format":"ts"}"#, naming: "hls_video_segment_format"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","launch":{"app":"youtube"}}"#, naming: "app"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","launch":"de"}"#, naming: "launch"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","launch":{"language":5}}"#, naming: "language"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","launch":{},"enqueue":"add"}"#, naming: "launch"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","metadata":{"custom":[]}}"#, naming: "custom"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","metadata":{"custom":{"title":"x"}}}"#, naming: "title"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","metadata":{"custom":{"metadataType":3}}}"#, naming: "metadataType"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","title":5}"#, naming: "title"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","artist":""}"#, naming: "artist"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","image":"cover.jpg"}"#, naming: "image"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","title":"x","metadata":{"title":"y"}}"#, naming: "metadata.title"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","image":"http://h/i","metadata":{"images":["http://h/i"]}}"#, naming: "image"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","tracks":{}}"#, naming: "tracks"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","tracks":[5]}"#, naming: "tracks[0]"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","tracks":[{}]}"#, naming: "id"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","tracks":[{"id":1},{"id":1}]}"#, naming: "twice"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","tracks":[{"id":1,"type":"smell"}]}"#, naming: "type"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","tracks":[{"id":1,"type":"audio","subtype":"subtitles"}]}"#, naming: "subtype"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","tracks":[{"id":1,"url":"http://h/subs"}]}"#, naming: "content_type"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","tracks":[{"id":1,"url":"subs.vtt"}]}"#, naming: "url"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","tracks":[{"id":1,"lang":"en"}]}"#, naming: "lang"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","active_tracks":5}"#, naming: "active_tracks"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","active_tracks":["1"]}"#, naming: "active_tracks"),
        HostileCase("cmd/show", ""), HostileCase("cmd/show", "board"), HostileCase("cmd/show", "ftp://h/"),
        HostileCase("cmd/show", "file:///x"),
        HostileCase("cmd/show", "javascript:alert(1)"), HostileCase("cmd/show", "http:///x"), HostileCase("cmd/show", "[]"),
        HostileCase("cmd/show", #"["http://h/"]"#), HostileCase("cmd/show", "{}", naming: "url"),
        HostileCase("cmd/show", #"{"url":"file:///etc/passwd"}"#, naming: "url"), HostileCase("cmd/show", #"{"url":5}"#, naming: "url"),
        HostileCase("cmd/show", #"{"url":"http://h/","force":1}"#, naming: "force"),
        HostileCase("cmd/show", #"{"url":"http://h/","reload":0}"#, naming: "reload"),
        HostileCase("cmd/show", #"{"url":"http://h/","reload":86401}"#, naming: "reload"),
        HostileCase("cmd/show", #"{"url":"http://h/","reload":true}"#, naming: "reload"),
        HostileCase("cmd/show", #"{"url":"http://h/","reload":5,"force":true}"#, naming: "reload"),
        HostileCase("cmd/show", #"{"url":"http://h/","reload_time":5}"#, naming: "reload_time"),
        HostileCase("cmd/queue_load", #"{"items":["http://h/a.mp3"],"type":"shelf"}"#, naming: "type"),
        HostileCase("cmd/queue_load", #"{"items":["http://h/a.mp3"],"container":[]}"#, naming: "container"),
        HostileCase("cmd/queue_load", #"{"items":["http://h/a.mp3"],"container":{"type":"x"}}"#, naming: "type"),
        HostileCase("cmd/queue_load", #"{"items":["http://h/a.mp3"],"container":{"authors":[1]}}"#, naming: "authors"),
        HostileCase("cmd/queue_load", #"{"items":["http://h/a.mp3"],"container":{"sections":[1]}}"#, naming: "sections"),
        HostileCase("cmd/queue_load", #"{"items":["http://h/a.mp3"],"container":{"release_date":"x"}}"#, naming: "release_date"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","media_category":"text"}"#, naming: "media_category"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","start_absolute_time":-1}"#, naming: "start_absolute_time"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","atv_entity":""}"#, naming: "atv_entity"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","atv_credentials_type":"x"}"#, naming: "atv_credentials"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","atv_credentials":"x","enqueue":"add"}"#, naming: "atv_credentials"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","tracks":[{"id":1,"roles":[1]}]}"#, naming: "roles"),
        HostileCase("cmd/launch", #"{"android":"no"}"#, naming: "android"),
        HostileCase("cmd/join", #"{"custom_data":1}"#, naming: "custom_data"),
        HostileCase("set", #"{"volume":5,"custom_data":1}"#, naming: "custom_data"), HostileCase("set", #"{"custom_data":1}"#),
        HostileCase("cmd/launch", "frobnicator"), HostileCase("cmd/launch", "7"),
        HostileCase("cmd/launch", "CC1AD84"),
        HostileCase("cmd/launch", "CC1AD84G"), HostileCase("cmd/launch", "[]"),
        HostileCase("cmd/launch", #"{"app":""}"#),
        HostileCase("cmd/launch", #"{"app":"youtube","relaunch":"yes"}"#, naming: "relaunch"),
        HostileCase("cmd/launch", #"{"app":"youtube","restart":true}"#, naming: "restart"),
        HostileCase("cmd/launch", "06ee44ee-e7e3-4249-83b6-f5d0b6f07f34_"),
        HostileCase("cmd/launch", "_"), HostileCase("cmd/launch", "06ee44ee-e7e3-4249-83b6-f5d0b6f07f3４"),
    ]

    static let unknown: [HostileCase] =
        [
            "set/", "set/Volume", "set/volume/now", "set/subtitles", "cmd/", "cmd/PLAY", "cmd/shout", "cmd/queue", "cmd/media_request",
            "cmd/receiver_request", "cmd/raw", "cmd/play/now", "cmd/set", "cmd/set/volume", "get", "get/", "get/artwork",
            "get/status/volume", "get/State",
        ].map { HostileCase($0, "1", .unknownCommand) } + [
            HostileCase("cmd", #"{"cmd":"shout"}"#, .unknownCommand, naming: "shout"),
            HostileCase("cmd", #"{"cmd":"set/volume"}"#, .unknownCommand),
            HostileCase("cmd", #"{"cmd":"Play"}"#, .unknownCommand),
            HostileCase("cmd", #"{"cmd":"media_request"}"#, .forbidden, naming: "commands.allow_raw"),
            HostileCase("cmd", #"{"cmd":"receiver_request","args":{"type":"STOP"}}"#, .forbidden, naming: "commands.allow_raw"),
            HostileCase(
                "cmd", #"{"cmd":"raw","args":{"namespace":"urn:x-cast:a","payload":"b"}}"#, .forbidden, naming: "commands.allow_raw"),
            HostileCase("ns/urn:x-cast:org.example/send", "hello", .forbidden, naming: "commands.custom_namespaces"),
            HostileCase("ns/urn:x-cast:com.google.cast.media/send", #"{"type":"STOP"}"#, .forbidden),
            HostileCase("ns/urn:x-cast:/send", "hello"), HostileCase("ns/other/send", "hello"), HostileCase("ns/ /send", "hello"),
            HostileCase("ns/urn:x-cast:\(String(repeating: "x", count: 200))/send", "hello"),
        ]

    static let bytes: [HostileCase] = [
        HostileCase("set/volume", bytes: [0xFF]), HostileCase("set/volume", bytes: [0xC3, 0x28]),
        HostileCase("cmd", bytes: [0x7B, 0xFF, 0x7D]),
        HostileCase("cmd/play", bytes: [0x80]), HostileCase("cmd/load", bytes: [0xED, 0xA0, 0x80]),
        HostileCase("cmd/load", bytes: Array(0...255)),
        HostileCase("cmd/play", bytes: [UInt8](repeating: 0x20, count: 65_537), .tooLarge),
        HostileCase("set/volume", bytes: [UInt8](repeating: 0x35, count: 1_000_000), .tooLarge),
        HostileCase("set/volume", bytes: [UInt8](repeating: 0x35, count: 65_536)), HostileCase("set/muted", bytes: [0x1F, 0x8B, 8, 0, 0]),
        HostileCase("cmd", bytes: [UInt8](repeating: 0xFF, count: 65_537), .tooLarge),
    ]

    static let properties: [HostileCase] = [
        HostileCase("set/position_percent", "101"), HostileCase("set/position_percent", "-1"), HostileCase("set/position_percent", "half"),
        HostileCase("set/position_percent", "NaN"), HostileCase("set/position_percent", "+5"), HostileCase("set/position_percent", ""),
        HostileCase("set", #"{"position":5,"position_percent":5}"#, naming: "position_percent"),
        HostileCase("set", #"{"position_percent":[5]}"#, naming: "position_percent"),
        HostileCase("set/repeat", "1"), HostileCase("set/repeat", "on"), HostileCase("set/repeat", "REPEAT_"),
        HostileCase("set/repeat", ""),
        HostileCase("set", #"{"repeat":true}"#, naming: "repeat"), HostileCase("set/shuffle", "toggle"), HostileCase("set/shuffle", "2"),
        HostileCase("set", #"{"shuffle":"maybe"}"#, naming: "shuffle"), HostileCase("set/rate", "0.4"), HostileCase("set/rate", "2.1"),
        HostileCase("set/rate", "-1"), HostileCase("set/rate", "NaN"), HostileCase("set/rate", "1e0"), HostileCase("set/rate", "+0.5"),
        HostileCase("set/rate", "fast"), HostileCase("set", #"{"rate":0}"#, naming: "rate"), HostileCase("set", #"{"rate":null}"#),
        HostileCase("set", #"{"rate":1e308}"#, naming: "rate"), HostileCase("set/text_track", ""), HostileCase("set/text_track", "PRESS"),
        HostileCase("set", #"{"text_track":-1}"#, naming: "text_track"), HostileCase("set", #"{"text_track":1.5}"#, naming: "text_track"),
        HostileCase("set", #"{"text_track":true}"#, naming: "text_track"), HostileCase("set", #"{"text_track":[1]}"#, naming: "text_track"),
        HostileCase("set", #"{"text_track":{"id":1}}"#, naming: "text_track"), HostileCase("set/audio_track", "Off", naming: "audio_track"),
        HostileCase("set", #"{"audio_track":false}"#, naming: "audio_track"), HostileCase("set/audio_track", ""),
        HostileCase("set/stream_volume", "50", naming: "stream_volume"), HostileCase("set/stream_volume", "+0.1", naming: "stream_volume"),
        HostileCase("set", #"{"stream_volume":1.5}"#, naming: "stream_volume"), HostileCase("set/stream_volume", ""),
        HostileCase("set/stream_muted", "maybe", naming: "stream_muted"),
        HostileCase("set", #"{"stream_muted":2}"#, naming: "stream_muted"), HostileCase("set/video_track", "Off", naming: "video_track"),
        HostileCase("set/active_tracks", ""),
        HostileCase("set/active_tracks", "1,,2", naming: "active_tracks"), HostileCase("set/active_tracks", "1,1", naming: "active_tracks"),
        HostileCase("set/active_tracks", "en", naming: "active_tracks"), HostileCase("set/active_tracks", #"{"id":1}"#),
        HostileCase("set", #"{"active_tracks":["1"]}"#, naming: "active_tracks"),
        HostileCase("set", #"{"active_tracks":[1,1]}"#, naming: "active_tracks"),
        HostileCase("set", #"{"active_tracks":-1}"#, naming: "active_tracks"),
        HostileCase("set", #"{"active_tracks":[1],"text_track":1}"#, naming: "text_track"),
        HostileCase("set/text_track", String(repeating: "x", count: 1001)), HostileCase("set/app", "frobnicator", naming: "app"),
        HostileCase("set/app", ""), HostileCase("set/app", "12"), HostileCase("set", #"{"app":5}"#, naming: "app"),
        HostileCase("set", #"{"app":{"id":"CC1AD845"}}"#, naming: "app"), HostileCase("set/text_style", ""),
        HostileCase("set/text_style", "big"), HostileCase("set/text_style", "[]"), HostileCase("set/text_style", "{}"),
        HostileCase("set/text_style", #"{"font_scale":}"#), HostileCase("set/text_style", #"{"font_scale":0}"#, naming: "font_scale"),
        HostileCase("set/text_style", #"{"font_scale":11}"#, naming: "font_scale"),
        HostileCase("set/text_style", #"{"font_scale":1e999}"#),
        HostileCase("set/text_style", #"{"font_scale":"big"}"#, naming: "font_scale"),
        HostileCase("set/text_style", #"{"foreground_color":"red"}"#, naming: "foreground_color"),
        HostileCase("set/text_style", ##"{"foreground_color":"#12345"}"##, naming: "foreground_color"),
        HostileCase("set/text_style", #"{"background_color":5}"#, naming: "background_color"),
        HostileCase("set/text_style", #"{"edge_type":"soft"}"#, naming: "edge_type"),
        HostileCase("set/text_style", #"{"window_type":"oval"}"#, naming: "window_type"),
        HostileCase("set/text_style", #"{"window_rounded_corner_radius":-1}"#, naming: "window_rounded_corner_radius"),
        HostileCase("set/text_style", #"{"font_style":"fat"}"#, naming: "font_style"),
        HostileCase("set/text_style", #"{"font_family":""}"#, naming: "font_family"),
        HostileCase("set/text_style", #"{"font_generic_family":"comic"}"#, naming: "font_generic_family"),
        HostileCase("set/text_style", ##"{"colour":"#FFFFFF"}"##, naming: "colour"),
        HostileCase("set/text_style", #"{"font_scale":1,"fontScale":2}"#, naming: "fontScale"),
        HostileCase("set", #"{"text_style":"big"}"#, naming: "text_style"),
        HostileCase("set", #"{"volume":0.5}"#, naming: "volume_level"),
    ]

    static let queues: [HostileCase] = [
        HostileCase("cmd/queue_insert", ""), HostileCase("cmd/queue_insert", "43"), HostileCase("cmd/queue_insert", "[]"),
        HostileCase("cmd/queue_insert", "{}", naming: "url"), HostileCase("cmd/queue_insert", #"{"items":[]}"#, naming: "items"),
        HostileCase("cmd/queue_insert", #"{"items":"http://h/a.mp3"}"#, naming: "items"),
        HostileCase("cmd/queue_insert", #"{"items":[5]}"#, naming: "items[0]"),
        HostileCase("cmd/queue_insert", #"["http://h/a.mp3",{"url":"http://h/b.mp3","titel":"x"}]"#, naming: "did you mean title?"),
        HostileCase("cmd/queue_insert", #"{"items":["http://h/a.mp3"],"before":"x"}"#, naming: "before"),
        HostileCase("cmd/queue_insert", #"{"items":["http://h/a.mp3"],"before":-1}"#, naming: "before"),
        HostileCase("cmd/queue_insert", #"{"items":["http://h/a.mp3"],"at":"start"}"#, naming: "at"),
        HostileCase("cmd/queue_insert", #"{"items":["http://h/a.mp3"],"at":"next","before":5}"#, naming: "at"),
        HostileCase("cmd/queue_insert", #"{"items":["http://h/a.mp3"],"to":1}"#, naming: "to"),
        HostileCase("cmd/queue_insert", #"{"items":["http://h/a.mp3"],"play":1}"#, naming: "play"),
        HostileCase("cmd/queue_insert", #"{"items":["http://h/a.mp3"],"play":"now"}"#, naming: "play"),
        HostileCase("cmd/queue_insert", #"{"items":["http://h/a.mp3"],"position":5}"#, naming: "position"),
        HostileCase("cmd/queue_insert", #"{"items":["http://h/a.mp3"],"url":"http://h/b.mp3"}"#, naming: "url"),
        HostileCase("cmd/queue_insert", #"{"url":"http://h/a.mp3","preload_time":-1}"#, naming: "preload_time"),
        HostileCase("cmd/queue_insert", #"{"url":"http://h/a.mp3","duration":0}"#, naming: "duration"),
        HostileCase("cmd/queue_load", ""), HostileCase("cmd/queue_load", "{}", naming: "items"), HostileCase("cmd/queue_load", "[]"),
        HostileCase("cmd/queue_load", "43"), HostileCase("cmd/queue_load", #"{"items":["http://h/a.mp3"],"start":1}"#, naming: "start"),
        HostileCase("cmd/queue_load", #"{"items":["http://h/a.mp3"],"start":-1}"#, naming: "start"),
        HostileCase("cmd/queue_load", #"{"items":["http://h/a.mp3"],"repeat":"some"}"#, naming: "repeat"),
        HostileCase("cmd/queue_load", #"{"items":["http://h/a.mp3"],"app":"x"}"#, naming: "app"),
        HostileCase("cmd/queue_load", #"{"items":["http://h/a.mp3"],"shuffle":"some"}"#, naming: "shuffle"),
        HostileCase("cmd/queue_load", #"{"items":["http://h/a.mp3"],"position":-1}"#, naming: "position"),
        HostileCase("cmd/queue_load", #"{"items":["http://h/a.mp3"],"index":0}"#, naming: "index"),
        HostileCase("cmd/queue_load", "[" + Array(repeating: "\"http://h/a.mp3\"", count: 5001).joined(separator: ",") + "]"),
        HostileCase("cmd/queue_load", bytes: [UInt8](repeating: 0x20, count: 262_145), .tooLarge),
        HostileCase(
            "cmd", #"{"cmd":"load","args":{"url":"http://h/a.mp3","custom_data":""# + String(repeating: "x", count: 70_000) + #""}}"#,
            .tooLarge),
        HostileCase("cmd/queue_update", ""), HostileCase("cmd/queue_update", "{}", naming: "item"), HostileCase("cmd/queue_update", "[]"),
        HostileCase("cmd/queue_update", #"{"item":5,"url":null,"preload_time":null}"#, naming: "url"),
        HostileCase("cmd/queue_update", #"{"item":5,"title":"x"}"#, naming: "url"),
        HostileCase("cmd/queue_update", #"{"item":5,"autoplay":true,"title":"x"}"#, naming: "title"),
        HostileCase("cmd/queue_update", #"{"item":5,"preload_time":-1}"#, naming: "preload_time"),
        HostileCase("cmd/queue_update", #"{"item":5,"active_tracks":["x"]}"#, naming: "active_tracks"),
        HostileCase("cmd/queue_update", #"{"item":5,"position":5,"start_time":5}"#, naming: "start_time"),
        HostileCase("cmd/queue_update", #"{"item":5}"#, naming: "url"), HostileCase("cmd/queue_update", #"[5]"#, naming: "items[0]"),
        HostileCase("cmd/queue_update", #"{"item":"5","url":"http://h/a.mp3"}"#, naming: "item"),
        HostileCase("cmd/queue_remove", ""), HostileCase("cmd/queue_remove", "first"), HostileCase("cmd/queue_remove", "-1"),
        HostileCase("cmd/queue_remove", "1.5"), HostileCase("cmd/queue_remove", "[]"), HostileCase("cmd/queue_remove", "[1,1]"),
        HostileCase("cmd/queue_remove", #"["1"]"#), HostileCase("cmd/queue_remove", "{}", naming: "item"),
        HostileCase("cmd/queue_remove", #"{"item":1,"items":[2]}"#, naming: "items"),
        HostileCase("cmd/queue_remove", #"{"item":1e12}"#, naming: "item"), HostileCase("cmd/queue_remove", "99999999999"),
        HostileCase("cmd/queue_jump", ""), HostileCase("cmd/queue_jump", "+0"), HostileCase("cmd/queue_jump", "+1000000"),
        HostileCase("cmd/queue_jump", "-9223372036854775808"),
        HostileCase("cmd/queue_jump", "next"), HostileCase("cmd/queue_jump", "[1]"), HostileCase("cmd/queue_jump", "{}", naming: "item"),
        HostileCase("cmd/queue_jump", #"{"by":0}"#, naming: "by"), HostileCase("cmd/queue_jump", #"{"item":1,"by":1}"#, naming: "item"),
        HostileCase("cmd/queue_jump", #"{"item":1,"position":"soon"}"#, naming: "position"), HostileCase("cmd/queue_move", ""),
        HostileCase("cmd/queue_move", "1"), HostileCase("cmd/queue_move", "{}", naming: "item"),
        HostileCase("cmd/queue_move", #"{"item":1}"#, naming: "to"), HostileCase("cmd/queue_move", #"{"item":1,"to":-1}"#, naming: "to"),
        HostileCase("cmd/queue_move", #"{"item":1,"before":1}"#, naming: "before"),
        HostileCase("cmd/queue_move", #"{"items":[1,2],"to":0}"#, naming: "to"),
        HostileCase("cmd/queue_move", #"{"item":1,"to":0,"at":"end"}"#, naming: "to"), HostileCase("cmd/queue_clear", "all"),
        HostileCase("cmd/queue_clear", #"{"keep":true}"#, naming: "keep"),
        HostileCase("cmd/queue_clear", #"{"keep_current":1}"#, naming: "keep_current"), HostileCase("cmd/skip_ad", "1"),
        HostileCase("cmd/check", "film.mp4"), HostileCase("cmd/check", "[]"), HostileCase("cmd/check", #"{"url":5}"#, naming: "url"),
        HostileCase("cmd/check", #"{"url":"ftp://h/a"}"#, naming: "url"), HostileCase("cmd/check", #"{"tracks":[]}"#, naming: "url"),
        HostileCase("cmd/check", #"{"url":"http://h/a","title":"x"}"#, naming: "title"),
        HostileCase("cmd/restart_item", "1"), HostileCase("cmd/transfer", ""), HostileCase("cmd/transfer", "{}", naming: "to"),
        HostileCase("cmd/transfer", #"{"to":5}"#, naming: "to"), HostileCase("cmd/transfer", #"["kitchen"]"#),
        HostileCase("cmd/preset", "[1]"), HostileCase("cmd/preset", #"{"name":5}"#, naming: "name"), HostileCase("cmd/preset_next", "1"),
        HostileCase("cmd/save", #"{"name":"a","forget":"x"}"#, naming: "forget"),
        HostileCase("cmd/save", #"{"forget":true}"#, naming: "name"),
        HostileCase("cmd/recall", #"{"name":"a","volume":5}"#, naming: "volume"), HostileCase("cmd/sleep", "soon"),
        HostileCase("cmd/sleep", #"{"minutes":1441}"#), HostileCase("cmd/sleep", #"{"minutes":-1}"#), HostileCase("cmd/sleep", "[5]"),
        HostileCase("cmd/wake", #"{"app":"x"}"#), HostileCase("cmd/load", #"{"recent":0}"#, naming: "recent"),
        HostileCase("cmd/load", #"{"recent":1,"volume":5}"#, naming: "volume"),
        HostileCase("cmd/transfer", #"{"to":"kitchen","volume":5}"#, naming: "volume"), HostileCase("cmd/group_volume", ""),
        HostileCase("set/group_device_volume", "101"), HostileCase("set/group_device_volume", "0.3"),
        HostileCase("set", #"{"volume":5,"group_device_volume":5}"#, naming: "group_device_volume"),
        HostileCase("set", #"{"volume_level":0.5,"group_device_volume":5}"#, naming: "group_device_volume"),
        HostileCase("cmd/group_volume", "101"), HostileCase("cmd/group_volume", "loud"),
        HostileCase("cmd/group_volume", "{}", naming: "volume"),
        HostileCase("cmd/group_volume", "[30]"), HostileCase("get/state", #"{"all":true}"#, naming: "all"),
        HostileCase("get/queue", "1"), HostileCase("get/queue", #"{"all":"yes"}"#, naming: "all"),
        HostileCase("get/queue", #"{"some":true}"#, naming: "some"), HostileCase("get/queue", #"{"from":-1}"#, naming: "from"),
        HostileCase("get/queue", #"{"from":100001}"#, naming: "from"), HostileCase("get/queue", #"{"from":1.5}"#, naming: "from"),
        HostileCase("get/queue", #"{"count":5001}"#, naming: "count"), HostileCase("get/queue", #"{"count":"5"}"#, naming: "count"),
        HostileCase("get/queue", #"{"ids":1}"#, naming: "ids"),
        HostileCase("cmd", #"{"cmd":"get","args":{"doc":"queue","from":-1}}"#, naming: "from"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","media_content_id":"http://h/b.mp3"}"#, naming: "media_content_id"),
        HostileCase("cmd/load", #"{"media_content_id":"http://h/a.mp3","enqueue":"later"}"#, naming: "enqueue"),
        HostileCase("cmd/load", #"{"media_content_id":"http://h/a.mp3","extra":{"colour":"red"}}"#, naming: "colour"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","rate":3}"#, naming: "rate"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","credentials_type":"ios"}"#, naming: "credentials_type"),
        HostileCase("cmd/load", #"{"url":"http://h/a.mp3","tracks":[{"id":1}],"active_tracks":[2]}"#, naming: "active_tracks"),
    ]

    static let all = numbers + ranges + objects + loads + unknown + bytes + properties + queues + AdArgumentsTests.refused

    @Test("is refused with its documented code, names what is wrong, and can be answered", arguments: all)
    func isRefused(hostile: HostileCase) throws {
        let outcome = parse("cast2mqtt/tv/\(hostile.tail)", hostile.payload)
        #expect(outcome.code == hostile.code)
        #expect(outcome.message?.contains(hostile.naming) == true || hostile.naming.isEmpty, "\(outcome.message ?? "")")
        let envelope = try #require(outcome.envelope)
        guard case .rejected(_, let result) = outcome else { return }
        let messages = AnswerWriter(topics: topics).messages(for: CommandAnswer(to: envelope, result, now: parserNow.monotonic), slug: "tv")
        let answer = try JSONParser.parse(messages.answer.payload)
        #expect(answer["status"] == "error")
        #expect(answer["code"]?.stringValue == hostile.code.rawValue)
        #expect(messages.answer.payload.count < 2000)
        #expect((result.message?.utf8.count ?? 0) < 400)
    }

    @Test("is there in numbers") func enough() { #expect(Self.all.count >= 300) }

    @Test(
        "to the bridge is refused and answered on a topic of ours",
        arguments: [
            ("health_check", "now", AnswerCode.badPayload), ("health_check", #"{"x":1}"#, .badPayload), ("discover", "[]", .badPayload),
            ("snapshot", "{", .badPayload),
            ("log_level", "loud", .badPayload), ("log_level", #"{"level":"loud"}"#, .badPayload),
            ("log_level", #"{"filters":["x"]}"#, .badPayload),
            ("log_level", #"{"filters":"a=debug"}"#, .badPayload), ("log_level", "[]", .badPayload),
            ("health_check", #"{"timeout":5}"#, .badPayload), ("home_assistant/mode", "off", .badPayload),
            ("restart", "now", .badPayload), ("device/remove", #"{"forget":true}"#, .badPayload), ("topics/clean", "all", .badPayload),
            ("device", "", .unknownCommand), ("device/explode", "", .unknownCommand), ("topics", "", .unknownCommand),
            ("", "", .unknownCommand),
        ] as [(String, String, AnswerCode)])
    func bridge(verb: String, payload: String, code: AnswerCode) throws {
        let outcome = parse("cast2mqtt/bridge/request/\(verb)", payload)
        #expect(outcome.code == code)
        let envelope = try #require(outcome.envelope)
        let messages = AnswerWriter(topics: topics).messages(
            for: CommandAnswer(to: envelope, CommandResult(code), now: parserNow.monotonic), slug: nil)
        #expect(messages.answer.topic == "cast2mqtt/bridge/response/\(code == .unknownCommand ? "command" : verb)")
        #expect(messages.error == nil)
    }

    @Test("of random bytes never stops the parser, whatever the topic")
    func random() {
        var generator = SeededGenerator(seed: 7)
        let tails = ["set", "cmd", "set/volume", "set/position", "cmd/load", "cmd/launch", "cmd/volume_up", "get/state"]
        let seeds = [
            #"{"cmd":"load","args":{"url":"http://h/a.mp3","tracks":[{"id":1}],"metadata":{"images":["http://h/i"]}}}"#, "1:02:03", "+5%",
            #"["http://h/a.mp3","audio/mpeg"]"#,
        ]
        var answered = 0
        for round in 0..<4000 {
            var bytes = Array(seeds[round % seeds.count].utf8)
            for _ in 0..<Int.random(in: 1...6, using: &generator) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0...2, using: &generator) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: index)
                default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
                }
            }
            if parse("cast2mqtt/tv/\(tails[round % tails.count])", bytes).envelope != nil { answered += 1 }
        }
        #expect(answered == 4000)
    }
}

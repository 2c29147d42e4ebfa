import Foundation
import TestSupport

/// One command of a storm over every property and every verb. Its key makes its answers known again, its mark the request that it leads to.
struct VerbCommand {
    /// The message that a device receives for this command alone.
    enum Mark {
        /// A text that occurs in one request.
        case text(String)
        /// A number in one kind of request, by the path of its member.
        case number(type: String, path: [String], Double)
    }

    var number: Int
    /// A device by its control name.
    var device: String
    /// The `cmd` of the JSON form, its `args`, and the same as a topic and a plain payload where that is possible.
    var name: String
    var arguments: String
    var plain: (tail: String, payload: String)?
    var mark: Mark?
    /// Whether the answer is known by its `id`, or else by correlation data.
    var hasID: Bool

    var key: String { "verb \(self.number)" }
    var responseTopic: String { "cast2mqtt/client/verbs/\(self.number % 5)" }
    var json: String { #"{"cmd":"\#(self.name)","id":"\#(self.key)","args":\#(self.arguments)}"# }

    /// Commands that leave a mark: each of these is distinguished from all others in the journal.
    static func marked(_ number: Int, _ kind: Int) -> (name: String, arguments: String, plain: (String, String)?, mark: Mark) {
        let url = "http://media/verb-\(number).mp3?duration=3600&load_time=0"
        // Three decimals are all that volumes have on their way.
        let share = Double(number + 1) / 1000
        switch kind {
        case 0:
            return (
                "set", #"{"volume_level":\#(share)}"#, ("set/volume_level", "\(share)"),
                .number(type: "SET_VOLUME", path: ["volume", "level"], share)
            )
        case 1:
            return (
                "set", #"{"position":\#(number + 100)}"#, ("set/position", "\(number + 100)"),
                .number(type: "SEEK", path: ["currentTime"], Double(number + 100))
            )
        case 2:
            let rate = 0.6 + share
            return ("set", #"{"rate":\#(rate)}"#, ("set/rate", "\(rate)"), .number(type: "SET_PLAYBACK_RATE", path: ["playbackRate"], rate))
        case 3:
            let style = #"{"font_scale":\#(1 + share)}"#
            return (
                "set", #"{"text_style":\#(style)}"#, ("set/text_style", style),
                .number(type: "EDIT_TRACKS_INFO", path: ["textTrackStyle", "fontScale"], 1 + share)
            )
        case 4: return ("load", #"{"url":"\#(url)"}"#, ("cmd/load", url), .text("verb-\(number).mp3"))
        case 5: return ("queue_load", #"["\#(url)"]"#, ("cmd/queue_load", #"["\#(url)"]"#), .text("verb-\(number).mp3"))
        case 6: return ("queue_insert", #""\#(url)""#, ("cmd/queue_insert", url), .text("verb-\(number).mp3"))
        case 7: return ("queue_insert", #"{"url":"\#(url)","at":"next","play":true}"#, nil, .text("verb-\(number).mp3"))
        case 8:
            return ("media_request", #"{"type":"GET_STATUS","customData":{"mark":"media-\#(number)."}}"#, nil, .text("media-\(number)."))
        case 9: return ("receiver_request", #"{"type":"GET_APP_AVAILABILITY","appId":["R\#(number)R"]}"#, nil, .text("R\(number)R"))
        default: return ("queue_load", #"{"items":["\#(url)"],"repeat":"all"}"#, nil, .text("verb-\(number).mp3"))
        }
    }

    static let markedKinds = 11

    /// Commands that can't be distinguished from others of their kind.
    static let unmarked: [(name: String, arguments: String, plain: (String, String)?)] = [
        ("play", "{}", ("cmd/play", "")), ("pause", "{}", ("cmd/pause", "")), ("play_pause", "{}", ("cmd/play_pause", "PRESS")),
        // As many loads as there are commands that end what plays, so that there is something to play, pause and seek.
        ("load", #""http://media/long.mp3?duration=3600&load_time=0""#, nil),
        ("stop", "{}", ("cmd/stop", "")), ("next", "{}", ("cmd/next", "")), ("previous", "{}", ("cmd/previous", "")),
        ("restart_item", "{}", ("cmd/restart_item", "")), ("skip_ad", "{}", ("cmd/skip_ad", "")), ("quit_app", "{}", ("cmd/quit_app", "")),
        ("show", #""http://media/page""#, ("cmd/show", "http://media/page")), ("join", "{}", ("cmd/join", "")),
        ("leave", "{}", ("cmd/leave", "")),
        ("load", #""http://media/longer.mp3?duration=3600&load_time=0""#, nil),
        ("launch", #"{"app":"5A1D0001"}"#, ("cmd/launch", "5A1D0001")), ("launch", #""CC1AD845""#, ("cmd/launch", "CC1AD845")),
        ("load", #""http://media/many.mp3?duration=3600&load_time=0""#, ("cmd/load", "http://media/many.mp3?duration=3600&load_time=0")),
        ("queue_load", #"["http://media/a.mp3?duration=600","http://media/b.mp3?duration=600"]"#, nil),
        ("queue_jump", #"{"by":1}"#, ("cmd/queue_jump", "+1")), ("queue_jump", #"{"item":1}"#, ("cmd/queue_jump", "1")),
        ("queue_move", #"{"item":1,"to":1}"#, nil), ("queue_move", #"{"item":2,"at":"next"}"#, nil),
        ("load", #""http://media/longest.mp3?duration=3600&load_time=0""#, nil), ("queue_remove", "[1]", ("cmd/queue_remove", "2")),
        ("queue_update", #"{"item":1,"url":"http://media/c.mp3"}"#, nil), ("queue_clear", #"{"keep_current":true}"#, nil),
        ("queue_clear", "{}", ("cmd/queue_clear", "")), ("volume_up", "{}", ("cmd/volume_up", "")),
        ("volume_down", #"{"step":3}"#, ("cmd/volume_down", "3")),
        ("group_volume", "30", ("cmd/group_volume", "+1")), ("set", #"{"muted":"toggle"}"#, ("set/muted", "toggle")),
        ("set", #"{"volume":"+2"}"#, ("set/volume", "-2")), ("set", #"{"repeat":"all"}"#, ("set/repeat", "off")),
        ("set", #"{"shuffle":true}"#, ("set/shuffle", "OFF")), ("set", #"{"text_track":"en"}"#, ("set/text_track", "Off")),
        ("set", #"{"audio_track":1}"#, ("set/audio_track", "de")), ("set", #"{"app":"none"}"#, ("set/app", "none")),
        ("set", #"{"position_percent":10}"#, ("set/position_percent", "20")), ("set", #"{"volume":20,"muted":false,"rate":1}"#, nil),
        ("preset", #""nothing""#, ("cmd/preset", "nothing")), ("preset_next", "{}", ("cmd/preset_previous", "")),
        ("save", #""evening""#, ("cmd/save", "evening")), ("recall", #""evening""#, ("cmd/recall", "evening")),
        ("sleep", #"{"minutes":0.05}"#, ("cmd/sleep", "off")), ("wake", "{}", ("cmd/wake", "")), ("load", #"{"recent":1}"#, nil),
        ("get", #"{"doc":"state"}"#, ("get/media", "")), ("sing", "{}", ("cmd/sing", "")), ("dance", "{}", ("cmd/dance", "")),
        ("raw", #"{"namespace":"urn:x-cast:org.example.echo","payload":"x"}"#, nil), ("transfer", #""TARGET""#, ("cmd/transfer", "TARGET")),
    ]
}

/// The answers to a storm over all verbs.
struct VerbAnswers {
    private let commands: [String: VerbCommand]
    private let slugs: [String: String]
    /// Final codes by key.
    private(set) var codes: [String: [String]] = [:]
    private(set) var accepted: [String: Int] = [:]
    private(set) var strangers: [String] = []
    private var answered: [String: Int] = [:]

    init(_ commands: [VerbCommand], slugs: [String: String]) {
        self.commands = Dictionary(uniqueKeysWithValues: commands.map { ($0.key, $0) })
        self.slugs = slugs
    }

    /// How many commands of a device are answered for good.
    func count(of device: String) -> Int { self.answered[device, default: 0] }

    mutating func take(_ messages: some Sequence<MessageLog.Message>) {
        for message in messages {
            let answer = message.object
            let key = answer["id"] as? String ?? message.correlation
            guard let command = self.commands[key], let slug = self.slugs[command.device], let code = answer["code"] as? String,
                answer["device"] as? String == slug, command.hasID == (answer["id"] is String),
                message.topic == (command.hasID ? "cast2mqtt/\(slug)/response" : command.responseTopic)
            else {
                self.strangers.append("\(message)")
                continue
            }
            if code == "accepted" {
                self.accepted[key, default: 0] += 1
                if self.codes[key] != nil { self.strangers.append("accepted after the end: \(message)") }
                continue
            }
            if self.codes[key] == nil { self.answered[command.device, default: 0] += 1 }
            self.codes[key, default: []].append(code)
        }
    }
}

extension VerbCommand.Mark {
    /// How often a device received it.
    func count(in requests: [(type: String, object: [String: Any], text: String)]) -> Int {
        switch self {
        case .text(let text): return requests.count { $0.text.contains(text) }
        case .number(let type, let path, let wanted):
            return requests.count { request in
                guard request.type == type else { return false }
                var value: Any? = request.object
                for key in path { value = (value as? [String: Any])?[key] }
                return (value as? Double).map { abs($0 - wanted) < 0.000_1 } ?? false
            }
        }
    }
}

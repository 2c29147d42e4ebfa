import BridgeCore
import CastModels

/// A message of a client of the broker: topic, payload, response topic, separated by zero bytes.
enum CommandTarget: FuzzTarget {
    static let name = "command"

    static var seeds: [[UInt8]] {
        [
            ("cast2mqtt/tv/set/volume", "40"), ("cast2mqtt/tv/set/muted", "toggle"), ("cast2mqtt/tv/set", #"{"volume":30,"muted":false}"#),
            ("cast2mqtt/tv/set/position", "+10"), ("cast2mqtt/tv/cmd/pause", ""),
            ("cast2mqtt/tv/cmd/load", "http://h/film.mp4"),
            (
                "cast2mqtt/tv/cmd/load",
                #"{"url":"http://h/a.mp4","content_type":"video/mp4","title":"T","metadata":{"type":"movie","title":"T"},"position":5,"autoplay":false}"#
            ),
            ("cast2mqtt/tv/cmd/load", #"{"media_content_id":"http://h/a","media_content_type":"music"}"#),
            ("cast2mqtt/tv/cmd/load", #"{"url":"http://h/a","timeout":15}"#), ("cast2mqtt/tv/cmd/launch", "CC1AD845"),
            ("cast2mqtt/tv/get/state", ""),
            (
                "cast2mqtt/tv/cmd",
                #"{"cmd":"load","id":"a","timeout":15,"expires_at":"2026-11-21T14:05:00Z","args":{"url":"http://h/f.mp4"}}"#
            ),
            ("cast2mqtt/bridge/request/log_level", #"{"level":"debug","filters":["CastSender.*=debug"]}"#),
            ("cast2mqtt/bridge/request/snapshot", ""), ("cast2mqtt/tv/cmd/pause", "{}\0cast2mqtt/response/me"),
        ].map { Array($0.utf8) + [0] + Array($1.utf8) }
    }

    static let words = [
        "next", "previous", "stop", "quit_app", "play_pause", "volume_up", "volume_level", "availability", "republish", "discover", "null",
        "true", "+5", "-5%", "subtitles", "tracks", "thumb", "autoplay",
    ]

    /// The payload alone.
    static func changed(_ input: [UInt8], by random: inout MutationRandom) -> [UInt8]? {
        let parts = input.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count > 1, let changed = JSONMutation.changed(Array(parts[1]), words: Self.words, by: &random) else { return nil }
        return Array(([parts[0], changed[...]] + parts.dropFirst(2)).joined(separator: [0]))
    }

    static func run(_ input: [UInt8]) {
        let parts = input.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
        let tree = TopicTree(base: "cast2mqtt")
        let now = Now(monotonic: MonotonicTime(nanoseconds: 5_000_000_000), wall: Timestamp(milliseconds: 1_700_000_000_000))
        let message = IncomingMessage(
            topic: String(decoding: parts[0], as: UTF8.self), payload: parts.count > 1 ? Array(parts[1]) : [], qos: 1,
            responseTopic: parts.count > 2 ? String(decoding: parts[2], as: UTF8.self) : tree.clientPrefix + "x", correlationData: [1])
        switch CommandParser(topics: tree).parse(message, now: now) {
        case .ignored: break
        case .rejected(let envelope, let result): Self.answer(envelope, result, now, tree)
        case .command(let envelope, let command):
            Self.answer(envelope, .done(), now, tree)
            if case .device(.load) = command { planted(envelope.timeout.map { $0 < .seconds(9) } ?? false) }
        }
    }

    /// Whatever was asked, the answer is a document.
    private static func answer(_ envelope: CommandEnvelope, _ result: CommandResult, _ now: Now, _ tree: TopicTree) {
        let messages = AnswerWriter(topics: tree).messages(for: CommandAnswer(to: envelope, result, now: now.monotonic), slug: "tv")
        for message in [messages.answer, messages.tooLarge] + (messages.error.map { [$0] } ?? []) {
            require((try? JSONParser.parse(message.payload(at: now.wall))) != nil, "an answer is no JSON")
        }
    }
}

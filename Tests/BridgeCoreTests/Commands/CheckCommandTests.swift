import BridgeCore
import CastModels
import MediaFindings
import Testing

@Suite("The command check, and findings in answers")
struct CheckCommandTests {
    @Test(
        "takes nothing, a URL or an object",
        arguments: [
            ("", nil), ("PRESS", nil), ("{}", nil), (#"{"url":null}"#, nil), ("http://h/a.mp4", "http://h/a.mp4"),
            (#"{"url":"https://h/stream"}"#, "https://h/stream"),
        ] as [(String, String?)])
    func forms(payload: String, url: String?) {
        #expect(device("cmd/check", payload).device == .check(url.map { MediaInformation(contentID: $0) }))
        let argument = payload.hasPrefix("{") ? payload : "\"\(payload)\""
        #expect(device("cmd", #"{"cmd":"check","args":\#(argument)}"#).device == .check(url.map { MediaInformation(contentID: $0) }))
    }

    @Test("takes the type and the tracks that a load would have")
    func options() throws {
        let payload =
            #"{"url":"http://h/a","content_type":"video/mp4","tracks":[{"id":1,"type":"text","url":"http://h/e.vtt"}],"id":"a","timeout":5}"#
        guard case .check(let media?) = device("cmd/check", payload).device else {
            Issue.record("no check")
            return
        }
        #expect(media.contentType == "video/mp4")
        #expect(media.tracks.first?.contentID == "http://h/e.vtt")
    }

    @Test("is forbidden where the bridge must not fetch, and makes no sense for all devices")
    func refused() {
        var options = CommandOptions()
        options.checksLoads = false
        options.isFanOutEnabled = true
        func outcome(_ topic: String, _ options: CommandOptions) -> CommandParser.Outcome {
            let message = IncomingMessage(
                topic: topic, payload: Array("http://h/a.mp4".utf8), qos: 1, retain: false, responseTopic: nil, correlationData: nil)
            return CommandParser(topics: topics, options: options).parse(message, now: parserNow)
        }
        #expect(outcome("cast2mqtt/tv/cmd/check", options).code == .forbidden)
        options.checksLoads = true
        #expect(outcome("cast2mqtt/tv/cmd/check", options).device != nil)
        #expect(outcome("cast2mqtt/all/cmd/check", options).code == .badPayload)
    }

    @Test("knows which medium a command loads")
    func loadedMedia() {
        #expect(device("cmd/load", "http://h/a.mp4").device?.loadedMedia?.contentID == "http://h/a.mp4")
        #expect(
            device("cmd/queue_load", #"{"items":["http://h/a.mp3","http://h/b.mp3"],"start":1}"#).device?.loadedMedia?.contentID
                == "http://h/b.mp3")
        #expect(device("cmd/load", #"{"url":"http://h/a.mp4","enqueue":"add"}"#).device?.loadedMedia?.contentID == "http://h/a.mp4")
        #expect(device("cmd/queue_insert", "http://h/a.mp4").device?.loadedMedia == nil)
        #expect(device("cmd/play", "").device?.loadedMedia == nil)
    }

    @Test("puts findings into the answer, and the first error's remedy into its hint")
    func findings() {
        let warning = MediaFinding(.noRanges, .media, url: nil, "a warning")
        let error = MediaFinding(.corsMissing, .track, url: "http://h/e.vtt", "an error")
        let failed = CommandResult(.loadFailed, data: ["cast_reason": "LOAD_FAILED"])
        let result = failed.adding(MediaCheckReport(findings: [error, warning]))
        #expect(result.code == .loadFailed && result.isError)
        #expect(result.hint == error.remedy)
        #expect(result.data["cast_reason"] == "LOAD_FAILED")
        let first = result.data["findings"]?.arrayValue?.first
        #expect(first?["code"] == "cors_missing")
        #expect(first?["severity"] == "error")
        #expect(first?["subject"] == "track")
        #expect(first?["url"] == "http://h/e.vtt")
        #expect(failed.adding(MediaCheckReport()).data["findings"] == .array([]))
        #expect(failed.adding(MediaCheckReport(findings: [warning])).hint == AnswerCode.loadFailed.hint)
    }

    @Test(
        "checks only where the medium may be the cause",
        arguments: [
            (AnswerCode.loadFailed, true), (.timeout, true), (.superseded, false), (.deviceOffline, false), (.notSupported, false),
            (.done, false),
        ])
    func cause(code: AnswerCode, isWorthChecking: Bool) { #expect(CommandResult(code).isWorthChecking == isWorthChecking) }
}

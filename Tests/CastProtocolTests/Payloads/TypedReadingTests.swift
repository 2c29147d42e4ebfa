import CastModels
import Testing

@testable import CastProtocol

/// Payloads are read in place; a tree of the text must give the same values.
@Suite("Payloads read in place")
struct TypedReadingTests {
    /// Texts with the same values for a reader.
    static let equivalents: [(String, String)] = [
        (#"{"type":"X","type":"MEDIA_STATUS","status":[]}"#, #"{"type":"MEDIA_STATUS","status":[]}"#),
        (#"{"status":[],"requestId":7,"type":"MEDIA_STATUS","requestId":8}"#, #"{"type":"MEDIA_STATUS","requestId":8,"status":[]}"#),
        (#"{"\u0074ype":"MEDIA\u005fSTATUS","stat\u0075s":[]}"#, #"{"type":"MEDIA_STATUS","status":[]}"#),
        (status(#""playerState":"PLAYING","playerState":7"#), status("")),
        (status(#""playerState":7,"playerState":"PLAYING""#), status(#""playerState":"PLAYING""#)),
        (status(#""playerState":"PL\u0041YING""#), status(#""playerState":"PLAYING""#)),
        (status(#""currentTime":1,"currentTime":null"#), status("")),
        (status(#""currentTime":1e1"#), status(#""currentTime":10"#)), (status(#""mediaSessionId":5.0"#), status(#""mediaSessionId":5"#)),
        (status(#""volume":{"level":1,"level":0.5}"#), status(#""volume":{"level":0.5}"#)),
        (status(#""activeTrackIds":[1],"activeTrackIds":null"#), status(#""activeTrackIds":[]"#)),
        (status(#""media":{"contentId":"a"},"media":null"#), status("")),
        (status(#""media":{"contentId":"a","contentId":null,"duration":5,"duration":"x"}"#), status(#""media":{}"#)),
        (status(#""media":{"con\u0074entId":"\ud83c\udfac \u00e9\n"}"#), status(#""media":{"contentId":"🎬 é\n"}"#)),
        (
            status(#""media":{"metadata":{"title":null,"images":{},"images":[{"url":"u"},7,{"url":""}]}}"#),
            status(#""media":{"metadata":{"images":[{"url":"u"}]}}"#)
        ),
        (
            status(#""media":{"tracks":[null,{"trackId":"1"},{"trackId":2,"type":"TEXT","type":"AUDIO"}]}"#),
            status(#""media":{"tracks":[{"trackId":2,"type":"AUDIO"}]}"#)
        ),
        (status(#""items":[{"itemId":1,"itemId":2},[],{"media":7}]"#), status(#""items":[{"itemId":2},{}]"#)),
        (status(#""unknown":{"deep":[[[{"a":[1,2,{"b":null}]}]]]},"repeatMode":"""#), status("")),
    ]

    private static func status(_ fields: String) -> String { #"{"type":"MEDIA_STATUS","status":[{\#(fields)}]}"# }

    @Test("duplicates, escapes, wrong types and unknown members are read by the last member with each name", arguments: equivalents)
    func equivalent(text: String, plain: String) throws {
        #expect(try received(CastNamespace.media, text) == received(CastNamespace.media, plain))
    }

    @Test("the tree of a payload, written again, is the same payload", arguments: equivalents)
    func fromTree(text: String, plain: String) throws {
        for text in [text, plain] {
            let written = JSONWriter.string(of: try JSONParser.parse(text))
            #expect(try received(CastNamespace.media, written) == received(CastNamespace.media, text))
        }
    }

    @Test("unknown members and custom data are kept as the tree has them")
    func kept() throws {
        let data = #"{"a":[1,2.5,"\u00e9",null,true,{}],"b":{"c":-3}}"#
        let media = try update(#""media":{"unknown":\#(data),"customData":\#(data),"metadata":{"x":\#(data)}},"customData":\#(data)"#)
        let value = try JSONParser.parse(data)
        #expect(media.customData == value)
        #expect(media.media?.customData == value)
        #expect(media.media?.unknownFields == JSONObject([("unknown", value)]))
        #expect(media.media?.metadata?.fields == JSONObject([("x", value)]))
    }

    @Test(
        "malformed text in a part that is not read is an error for the whole message",
        arguments: [
            #""unknown":[1,]"#, #""unknown":"\x""#, #""unknown":{"a" 1}"#, #""unknown":01"#, #""unknown":1e999"#, #""unknown":tru"#,
        ])
    func malformed(field: String) {
        #expect(throws: CastError.self) { try received(CastNamespace.media, Self.status(#""playerState":"PLAYING",\#(field)"#)) }
    }

    @Test("a title that is cut within a character costs that character alone")
    func cutCharacter() throws {
        var body = ProtobufWriter()
        for number: UInt64 in 2...3 { body.write(number, "*") }
        body.write(4, CastNamespace.media)
        let (start, end) = (#"{"type":"MEDIA_STATUS","status":[{"media":{"contentId":"a"#, #""}}]}"#)
        body.write(6, Array(start.utf8) + [0xC3] + Array(end.utf8))
        var memory = PayloadMemory()
        let payload = try ReceivedPayload(CastMessagePiece(decoding: body.buffer), &memory)
        #expect(payload == (try received(CastNamespace.media, start + "\u{FFFD}" + end)))
    }

    @Test("nothing beyond the depth of a tree is read")
    func depth() throws {
        let media = { (depth: Int) in
            Self.status(#""x":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        }
        _ = try received(CastNamespace.media, media(JSONParser.maximumDepth - 3))
        #expect(throws: CastError.self) { try received(CastNamespace.media, media(JSONParser.maximumDepth - 2)) }
    }
}

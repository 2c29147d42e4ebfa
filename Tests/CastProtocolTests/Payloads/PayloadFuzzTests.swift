import CastModels
import NIOCore
import TestSupport
import Testing

@testable import CastProtocol

@Suite("Hostile input")
struct PayloadFuzzTests {
    /// Payloads of every namespace, from which damaged ones are made.
    private static let seeds: [(namespace: String, json: String)] = [
        (CastNamespace.connection, #"{"type":"CONNECT","connType":2,"origin":{},"userAgent":"x","senderInfo":{"version":"1"}}"#),
        (CastNamespace.connection, #"{"type":"CLOSE","reasonCode":5}"#), (CastNamespace.heartbeat, #"{"type":"PING"}"#),
        (
            CastNamespace.receiver,
            #"{"type":"RECEIVER_STATUS","requestId":1,"status":{"applications":[{"appId":"CC1AD845","displayName":"DMR","isIdleScreen":false,"#
                + #""namespaces":[{"name":"urn:x-cast:com.google.cast.media"}],"sessionId":"s","transportId":"t"}],"isActiveInput":true,"#
                + #""volume":{"controlType":"attenuation","level":0.2258118838071823,"muted":false,"stepInterval":0.05}}}"#
        ),
        (CastNamespace.receiver, #"{"type":"LAUNCH_ERROR","requestId":7,"reason":"CANCELLED","extendedError":"USER_NOT_ALLOWED"}"#),
        (CastNamespace.receiver, #"{"responseType":"GET_APP_AVAILABILITY","requestId":10,"availability":{"CC1AD845":"APP_AVAILABLE"}}"#),
        (
            CastNamespace.media,
            #"{"type":"MEDIA_STATUS","requestId":0,"status":[{"mediaSessionId":3,"playerState":"PLAYING","currentTime":12.34,"playbackRate":1,"#
                + #""supportedMediaCommands":274447,"volume":{"level":1,"muted":false},"activeTrackIds":[1],"media":{"contentId":"é","duration":5400.1,"#
                + #""metadata":{"metadataType":1,"title":"A \ud83c\udfac","images":[{"url":"u","width":480}]},"tracks":[{"trackId":1,"type":"TEXT"}]},"#
                + #""currentItemId":2,"items":[{"itemId":2,"orderId":1}],"breakStatus":{"whenSkippable":5},"liveSeekableRange":{"start":0,"end":9},"#
                + #""videoInfo":{"width":3840,"hdrType":"hdr"},"extendedStatus":{"playerState":"LOADING"}}]}"#
        ),
        (CastNamespace.media, #"{"type":"LOAD_FAILED","requestId":3,"itemId":4,"detailedErrorCode":311404}"#),
        (CastNamespace.media, #"{"type":"QUEUE_CHANGE","changeType":"INSERT","itemIds":[4,5],"insertBefore":2,"sequenceNumber":3}"#),
        (
            CastNamespace.multizone,
            #"{"type":"MULTIZONE_STATUS","status":{"devices":[{"deviceId":"1-a","capabilities":196612,"volume":{"level":0.3}}]}}"#
        ),
        (CastNamespace.discovery, #"{"type":"GET_DEVICE_INFO","deviceId":"ab","deviceCapabilities":4}"#),
        (
            CastNamespace.setup,
            #"{"type":"eureka_info","request_id":9,"response_code":200,"data":{"name":"x","device_info":{"ssdp_udn":"1-2"}}}"#
        ),
    ]

    private static let words = [
        "null", "true", "-1", "1e308", "1e999", "-0", "99999999999999999999", "9223372036854775807", "0.1e-400", "NaN", "Infinity", "\"\"",
        "\"x\"", "[]",
        "{}", "[[[[[[[[[[", #"{"a":{"a":{"a":"#, #"\ud800"#, "\\", "\"", ",", ":", "}", "]", "\u{0}", "\u{7F}", "é",
    ]

    /// Swaps values, cuts, doubles and sprinkles bytes.
    private static func damaged(_ json: String, _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = Array(json.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, index + Int.random(in: 0...12, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.removeSubrange(index..<end)
            case 2: bytes.insert(contentsOf: Array(bytes[index..<end]), at: index)
            case 3: bytes.replaceSubrange(index..<end, with: Array((Self.words.randomElement(using: &random) ?? "").utf8))
            case 4:
                // A whole value for another: from a colon to the next comma or end.
                guard let colon = bytes[index...].firstIndex(of: UInt8(ascii: ":")) else { continue }
                let stop = bytes[colon...].firstIndex { [UInt8(ascii: ","), UInt8(ascii: "}")].contains($0) } ?? bytes.count
                bytes.replaceSubrange(colon + 1..<stop, with: Array((Self.words.randomElement(using: &random) ?? "").utf8))
            default: bytes.removeSubrange(index...)
            }
        }
        return bytes
    }

    @Test("damaged payloads are read or refused in every namespace, and parsed ones can be merged", arguments: 0..<8)
    func payloads(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var merger = MediaStatusMerger()
        var memory = PayloadMemory()
        var (read, refused) = (0, 0)
        for step in 0..<1500 {
            guard let source = Self.seeds.randomElement(using: &random) else { continue }
            let text = String(decoding: Self.damaged(source.json, &random), as: UTF8.self)
            do throws(CastError) {
                let payload = try received(source.namespace, text)
                read += 1
                // Neither previous messages nor the message itself make a difference.
                #expect(try received(source.namespace, .text(text), &memory) == payload)
                #expect(try received(source.namespace, .text(text), &memory) == payload)
                // The tree has every value of the message, so its text is read alike, but for numbers like 3.0.
                if let tree = try? JSONParser.parse(text), (try? JSONParser.parse(JSONWriter.bytes(of: tree))) == tree {
                    #expect(try received(source.namespace, JSONWriter.string(of: tree)) == payload)
                }
                guard case .media(.status(let updates)) = payload.content else { continue }
                _ = merger.merge(updates, sessionID: "s", receivedAt: MonotonicTime(nanoseconds: Int64(step)))
            } catch {
                refused += 1
                #expect(error.code == .invalidResponse)
            }
        }
        #expect(read > 100)
        #expect(refused > 100)
    }

    @Test("damaged byte streams end in messages or one framing error, whatever the reads", arguments: 0..<8)
    func frames(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(100 + seed))
        var (messages, errors) = (0, 0)
        for _ in 0..<150 {
            var stream: [UInt8] = []
            for _ in 0..<4 {
                guard let source = Self.seeds.randomElement(using: &random) else { continue }
                let message = CastMessage(sourceID: "a", destinationID: "b", namespace: source.namespace, payload: .text(source.json))
                stream += Array(try CastFrameEncoder.frame(message).readableBytesView)
            }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                stream[Int.random(in: stream.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            var (decoder, assembler) = (CastFrameDecoder(), CastMessageAssembler())
            var rest = stream[...]
            do throws(CastError) {
                while !rest.isEmpty {
                    var input = ByteBuffer(bytes: rest.prefix(Int.random(in: 1...700, using: &random)))
                    rest = rest.dropFirst(input.readableBytes)
                    while let body = try decoder.nextBody(from: &input) {
                        if try assembler.add(CastMessagePiece(decoding: body)) != nil { messages += 1 }
                    }
                }
            } catch { errors += 1 }
        }
        #expect(messages > 100)
        #expect(errors > 10)
    }

    static let hostile: [(String, String)] = [
        ("nesting beyond any need", String(repeating: #"{"status":["#, count: 200)),
        ("nothing but brackets", String(repeating: "[", count: 65_000)),
        ("a number without end", #"{"requestId":\#(String(repeating: "9", count: 60_000))}"#),
        ("an exponent without end", #"{"requestId":1e\#(String(repeating: "9", count: 1000))}"#),
        ("a string without end", #"{"type":"\#(String(repeating: "x", count: 60_000))"#),
        ("control characters", "{\"type\":\"a\u{1}b\"}"),
    ]

    @Test("input made to hurt is refused", arguments: Self.hostile)
    func refused(name: String, json: String) {
        #expect(throws: CastError.self, "\(name)") { try received(CastNamespace.media, json) }
    }

    static let harmless: [(String, String)] = [
        ("ten thousand duplicate keys", "{" + Array(repeating: #""a":1"#, count: 10_000).joined(separator: ",") + "}"),
        ("integers beyond 64 bits", #"{"type":"QUEUE_ITEM_IDS","itemIds":[99999999999999999999,1e18,-1e300,1.5e18]}"#),
        (
            "a status of many sessions",
            #"{"type":"MEDIA_STATUS","status":[\#(Array(repeating: "{}", count: 5000).joined(separator: ","))]}"#
        ),
        ("an escape in a key", #"{"\u0074ype":"MEDIA_STATUS","status":[]}"#), ("a lone surrogate", #"{"type":"\ud800"}"#),
    ]

    @Test("input made to surprise is read", arguments: Self.harmless)
    func read(name: String, json: String) throws { _ = try received(CastNamespace.media, json) }
}

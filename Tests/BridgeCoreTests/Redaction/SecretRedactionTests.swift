import CastModels
import Testing

@testable import BridgeCore

@Suite("Secrets in web addresses")
struct SecretRedactionTests {
    static let redaction = SecretRedaction(additional: ["My-Key"])

    static let replaced: [(text: String, redacted: String)] = [
        ("http://h/a?X-Plex-Token=abc", "http://h/a?X-Plex-Token=…"),
        ("http://h/a?w=1&x-plex-token=abc&h=2", "http://h/a?w=1&x-plex-token=…&h=2"),
        ("http://h/a?X_PLEX_TOKEN=abc&authSig=x.y.z", "http://h/a?X_PLEX_TOKEN=…&authSig=…"),
        // Escaped names, values that have what separates parameters, and what stands behind them.
        ("http://h/a?X%2DPlex%2dToken=abc#t=5", "http://h/a?X%2DPlex%2dToken=…#t=5"),
        ("http://h/?token%3Dabc&b=1", "http://h/?token%3D…&b=1"), ("http://h/?TOKEN=A%26B%3B", "http://h/?TOKEN=…"),
        ("http://h/?sig=a=b==&z=1", "http://h/?sig=…&z=1"), ("http://h/?token=%", "http://h/?token=…"),
        ("http://h/a#access_token=abc&x=1", "http://h/a#access_token=…&x=1"),
        ("http://h/a?a=1;token=b;c=2", "http://h/a?a=1;token=…;c=2"), ("http://h/?token=b;c", "http://h/?token=…"),
        ("http://h/a;jsessionid=ABC", "http://h/a;jsessionid=…"),
        ("http://h/?mykey=1&My_Key=2&my-key=3", "http://h/?mykey=…&My_Key=…&my-key=…"), ("?token=…", "?token=…"),
        // Passwords.
        ("https://user:pass@h/a", "https://user:…@h/a"), ("rtsp://:secret@cam/stream", "rtsp://:…@cam/stream"),
        ("https://user:p@ss@h/a?b=c@d", "https://user:…@h/a?b=c@d"), ("https://user:p%40s;&s@h/a", "https://user:…@h/a"),
        ("https://us%40er:pass@h/a", "https://us%40er:…@h/a"),
        // Addresses in parameters of others, escaped once, twice or not at all.
        ("http://p/?url=http://h/?token=abc&x=2", "http://p/?url=http://h/?token=…&x=2"),
        (
            "http://p/?url=http%3A%2F%2Fh%2F%3Fa%3D0%26token%3Dabc%26w%3D1&x=2",
            "http://p/?url=http%3A%2F%2Fh%2F%3Fa%3D0%26token%3D…%26w%3D1&x=2"
        ),
        (
            "http://p/?url=http%253A%252F%252Fh%252F%253Ftoken%253Dabc%2526w%253D1%26y=3",
            "http://p/?url=http%253A%252F%252Fh%252F%253Ftoken%253D…%2526w%253D1%26y=3"
        ),
        ("http://p/?url=http%3A%2F%2Fu%3Apw%40h%2F&x=2", "http://p/?url=http%3A%2F%2Fu%3A…%40h%2F&x=2"),
        ("http%3A%2F%2Fh%2F%3Ftoken%3Dabc", "http%3A%2F%2Fh%2F%3Ftoken%3D…"),
        // Whole documents, and documents in texts of documents.
        (
            #"{"a":"http://h/?token=abc","b":"http://u:p@h/","c":"x=1"}"#, #"{"a":"http://h/?token=…","b":"http://u:…@h/","c":"x=1"}"#
        ),
        (#"{"a":"{\"u\":\"http://h/?token=abc\"}"}"#, #"{"a":"{\"u\":\"http://h/?token=…\"}"}"#),
        ("could not load http://h/?token=abc from http://u:p@h", "could not load http://h/?token=… from http://u:…@h"),
    ]

    @Test("are replaced, and nothing around them", arguments: replaced)
    func secret(text: String, redacted: String) {
        #expect(Self.redaction.redacted(text) == redacted)
        #expect(Self.redaction.finds(in: text))
        #expect(Self.redaction.redacted(redacted) == redacted, "what is replaced stays as it is")
        #expect(SecretRedaction(isEnabled: false).redacted(text) == text)
    }

    @Test(
        "are not seen where there are none",
        arguments: [
            "", "=", "@", "%", "%2", "%253", "%3D", "http://h/a?w=300&h=200", "http://h/?token=", "http://h/?tokens=5&xtoken=6",
            "http://h/?filters[token]=5", "https://h:8080/a@2x.png", "https://h/?mail=a:b@c", "mailto:a:b@c", "https://user@h/",
            "What? 2+2=4 & token=5 100% a@b", "http://h/?a=token", "http://h/token=5", #"{"token":"abc"}"#,
        ])
    func harmless(text: String) {
        #expect(Self.redaction.redacted(text) == text)
        #expect(!Self.redaction.finds(in: text))
    }

    @Test("are found under every name of the list, and at every place of a block of sixteen bytes", arguments: SecretKeys.standard)
    func names(key: String) {
        for padding in 0..<33 {
            let start = "http://h/" + String(repeating: "x", count: padding)
            #expect(Self.redaction.redacted("\(start)?a=1&\(key)=abc&b=2") == "\(start)?a=1&\(key)=…&b=2")
        }
    }

    @Test("never break a text, whatever bytes it has")
    func random() {
        var seed: UInt64 = 7
        let pieces = [
            "token", "=", "%3D", "%253d", "?", "&", "%26", ";", "#", "@", "//", ":", "%", "%2", "%40", "\"", "\\", " ", "ü", "a", "{",
        ]
        for _ in 0..<20_000 {
            var text = ""
            for _ in 0..<12 {
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text += pieces[Int(truncatingIfNeeded: seed >> 33) % pieces.count]
            }
            // Half of them between a user and a host, so that passwords and parameters overlap.
            if seed >> 40 & 1 == 0 { text = "//u:\(text)@h" }
            let redacted = Self.redaction.redacted(text)
            #expect(
                !redacted.contains("\u{FFFD}") && redacted.count { $0 == "\"" || $0 == "\\" } == text.count { $0 == "\"" || $0 == "\\" })
            #expect(Self.redaction.redacted(redacted) == redacted, "\(text)")
        }
    }

    @Test(
        "overlap in one text without harm",
        arguments: [
            ("http://u:&token=abc&x@host", "http://u:…@host"), ("http://h/?token=a//u:b&c@d", "http://h/?token=…@d"),
            ("http://u:p@ss@h/?token=abc&a=1", "http://u:…@h/?token=…&a=1"),
        ])
    func overlapping(text: String, redacted: String) { #expect(Self.redaction.redacted(text) == redacted) }

    @Test("are found behind a text of nothing but @, which is given up itself")
    func hostile() {
        let text = String(repeating: "@", count: 65_536)
        #expect(Self.redaction.redacted(text) == text)
        #expect(Self.redaction.redacted(text + "\" http://u:abc@h").hasSuffix("@\" http://u:…@h"))
        let parameters = String(repeating: "?token%3D%3Ba", count: 5000)
        #expect(Self.redaction.redacted(parameters).utf8.count < 100)
    }

    @Test("go out of a batch, also where a document repeats what another has at its place")
    func batch() {
        var batch = MessageBatch()
        let plain = document("a", "http://h/?w=1")
        batch.append(document("b", "http://h/?token=abc"), at: Timestamp(milliseconds: 0))
        batch.append(plain, at: Timestamp(milliseconds: 0))
        batch.append(document("c", "http://u:p@h/"), at: Timestamp(milliseconds: 0))
        batch.redact(Self.redaction)
        #expect(batch.messages.map { batch.outgoing($0) } == [document("b", "http://h/?token=…"), plain, document("c", "http://u:…@h/")])
    }

    @Test("leave no artwork behind, since its address would lead nowhere; every other document keeps the rest of the address")
    func artwork() {
        var fixture = StateFixture()
        let image = "http://192.168.1.5/harbour.jpg?api_key=abc&w=1"
        fixture.connect(media: fixture.status(.playing) { $0.media?.metadata?.images = [MediaImage(url: image)] })
        #expect(fixture.payload("status/artwork") == "")
        #expect(fixture.payload("media").contains(#""image":"http://192.168.1.5/harbour.jpg?api_key=…&w=1""#))
    }

    @Test(
        "a password at whose end a text is shortened is gone before",
        arguments: ["://user:", "%3A%2F%2Fuser%3A", "%253A%252F%252Fuser%253A"])
    func shortened(start: String) {
        let end = start.hasPrefix("%25") ? "%2540h" : start.hasPrefix("%") ? "%40h" : "@h"
        for length in [4, 40, 256, 1000, DocumentLimits.text] {
            // The limit falls into the password.
            let text = String(repeating: "a", count: max(0, length - start.utf8.count - 8)) + start + "hunter2-hunter2" + end
            for shown in [text.shortened(to: length), (text + String(repeating: "b", count: DocumentLimits.text)).limited] {
                #expect(
                    !shown.contains("hunter") && !shown.contains("hunt") && shown.count <= max(length, DocumentLimits.text) + 1, "\(shown)")
            }
        }
        #expect("short://user:pass@h".shortened(to: 40) == "short://user:pass@h", "the configured redaction sees it whole")
    }

    @Test("refusals of commands show no part of a password")
    func refusals() {
        let secret = "http://user:hunter2-hunter2-hunter2-hunter2@h/"
        for (topic, payload) in [
            ("cmd/load", #"{"url":"http://h/a","content_type":"\#(secret)"}"#), ("cmd/load", #"{"url":"http://h/a","\#(secret)":1}"#),
            ("cmd/launch", secret), ("cmd", #"{"cmd":"\#(secret)"}"#), ("cmd/\(secret)\(secret)\(secret)\(secret)", ""),
        ] {
            guard case .rejected(let envelope, let result) = device(topic, payload) else {
                Issue.record("\(topic) \(payload) is no refusal")
                continue
            }
            let answer = CommandAnswer(to: envelope, result, now: parserNow.monotonic)
            let messages = AnswerWriter(topics: topics).messages(for: answer, slug: "tv")
            for message in [messages.answer, messages.error].compactMap({ $0 }) {
                let text = String(decoding: Self.redaction.redacted(message).payload, as: UTF8.self)
                #expect(!text.contains("hunter"), "\(text)")
            }
        }
    }
}

import BridgeCore
import CastModels
import Foundation
import MediaServer
import TestSupport
import Testing

@testable import Dashboard

@Suite("Files that people send") struct UploadTests {
    /// Runs the API with a folder for uploads that is removed afterwards.
    private static func run(
        fileBytes: Int = 2_000_000, bytes: Int = 2_000_000_000, count: Int = 100, clock: ConnectionClock.Limits = .ofTests,
        _ body: @Sendable (APIServer, _ folder: String) async throws -> Void
    ) async throws {
        let folder = NSTemporaryDirectory() + "uploads-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var options = UploadOptions()
        (options.fileByteLimit, options.byteLimit, options.countLimit, options.days) = (fileBytes, bytes, count, 1000)
        let uploads = MediaUploads(options, folder: MediaFolder(name: "uploads", path: folder))
        try await APIServer.run(uploads: uploads, clock: clock) { try await body($0, folder) }
    }

    private static func files(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0 != ".cast2mqtt-uploads" }.sorted()
    }

    /// The text of a WAV file.
    private static func wave(_ count: Int) -> String { "RIFF0000WAVEfmt " + String(repeating: "x", count: count) }

    @Test("a file is stored, larger than other bodies may be, and its answer names it for `cmd/load`")
    func stored() async throws {
        try await Self.run { server, folder in
            let wave = Self.wave(1_000_000)
            let answer = try await server.request("POST", "media/uploads?name=B%C3%BChne.wav", role: .control, body: wave)
            #expect(answer.status == 201)
            #expect(answer.json["id"]?.stringValue == "uploads/Bühne.wav")
            #expect(answer.json["content_type"]?.stringValue == "audio/wav")
            #expect(answer.json["size"]?.intValue == wave.utf8.count)
            #expect(FileManager.default.contents(atPath: "\(folder)/Bühne.wav") == Data(wave.utf8))
            let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/Bühne.wav")[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let second = try await server.request("POST", "media/uploads?name=B%C3%BChne.wav", role: .control, body: wave)
            #expect(second.json["id"]?.stringValue == "uploads/Bühne-2.wav")
        }
    }

    @Test("a body in chunks is stored, and ends at the limit")
    func chunks() async throws {
        try await Self.run(fileBytes: 100_000) { server, folder in
            func chunked(_ text: String) -> String { "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n0\r\n\r\n" }
            let headers = ["Transfer-Encoding": "chunked", "Content-Type": "audio/wav"]
            func send(_ text: String) async throws -> APIAnswer {
                let reader = try await server.open(
                    "POST", "media/uploads?name=..%2F..%2Fetc%2Fa.wav", role: .control, headers.merging(["Connection": "close"]) { $1 })
                try await reader.send(chunked(text))
                try await reader.wait { $0.hasEnded }
                return APIAnswer(head: reader.head, body: reader.body)
            }
            let found1 = try await send(Self.wave(50_000)).json["id"]?.stringValue
            #expect(found1 == "uploads/_.._etc_a.wav")
            let found2 = try await send(Self.wave(100_000)).code
            #expect(found2 == "too_large")
            #expect(Self.files(folder) == ["_.._etc_a.wav"])
        }
    }

    @Test("an upload that breaks leaves nothing")
    func broken() async throws {
        try await Self.run { server, folder in
            let reader = try await server.open(
                "POST", "media/uploads?name=a.wav", role: .control, ["Content-Length": "500000", "Content-Type": "audio/wav"])
            try await reader.send(Self.wave(200_000))
            try await eventually("a part has arrived") { Self.files(folder).count == 1 }
            reader.close()
            try await eventually("the part is gone") { Self.files(folder).isEmpty }
        }
    }

    @Test("what is too large, no medium or sent by a viewer is refused")
    func refused() async throws {
        try await Self.run(fileBytes: 1000) { server, folder in
            func code(_ body: String, _ role: WebRole = .control, _ path: String = "media/uploads?name=a.wav") async throws -> String? {
                try await server.request("POST", path, role: role, body: body).code
            }
            let found3 = try await code(Self.wave(1000))
            #expect(found3 == "too_large")
            let found4 = try await code(String(repeating: "no medium ", count: 50))
            #expect(found4 == "not_playable")
            let found5 = try await code(Self.wave(10), .view)
            #expect(found5 == "forbidden")
            let found6 = try await code(Self.wave(10), .control, "media/uploads")
            #expect(found6 == "bad_query")
            #expect(Self.files(folder).isEmpty)
        }
        try await APIServer.run { server in
            let found7 = try await server.request("POST", "media/uploads?name=a.wav", role: .control, body: "x").code
            #expect(found7 == "not_supported")
        }
    }

    @Test("leave to send a body is given once its length is known to fit")
    func expectation() async throws {
        try await Self.run(fileBytes: 1000) { server, _ in
            func answer(_ length: Int) async throws -> String {
                let headers = ["Content-Length": "\(length)", "Content-Type": "audio/wav", "Expect": "100-continue"]
                let reader = try await server.open("POST", "media/uploads?name=a.wav", role: .control, headers)
                try await reader.wait { !$0.head.isEmpty }
                reader.close()
                return String(reader.head.prefix(12))
            }
            let answers = [try await answer(1000), try await answer(1001)]
            #expect(answers == ["HTTP/1.1 100", "HTTP/1.1 413"])
        }
    }

    @Test("a disk that takes longer than a body may does not end the upload")
    func slowDisk() async throws {
        try await APIServer.run(uploads: SlowUploads(), clock: .lasting(body: .milliseconds(500))) { server in
            let answer = try await server.request("POST", "media/uploads?name=a.wav", role: .control, body: Self.wave(10))
            #expect(answer.status == 201)
        }
    }

    private struct SlowUploads: UploadAccess {
        func store(
            _ body: some AsyncSequence<[UInt8], any Error> & Sendable, named name: String, length: Int?
        ) async throws -> UploadedFile {
            for try await _ in body {}
            try await Task.sleep(for: .seconds(2))
            return UploadedFile(path: try #require(MediaPath(components: ["uploads", name])), contentType: "audio/wav", size: 1)
        }
    }

    @Test("a file larger than all may be is refused, and no medium makes none go")
    func keepsOthers() async throws {
        try await Self.run(bytes: 10_000, count: 1) { server, folder in
            var codes: [String?] = []
            for body in [Self.wave(5000), Self.wave(20_000), String(repeating: "no medium ", count: 900)] {
                codes.append(try await server.request("POST", "media/uploads?name=a.wav", body: body).code)
            }
            #expect(codes == [nil, "too_large", "not_playable"])
            #expect(Self.files(folder) == ["a.wav"])
        }
    }

    @Test("the oldest files make room for new ones")
    func room() async throws {
        try await Self.run(count: 2) { server, folder in
            for (index, name) in ["a", "b", "c"].enumerated() {
                let found8 = try await server.request("POST", "media/uploads?name=\(name).wav", body: Self.wave(10)).status
                #expect(found8 == 201)
                let date = Date(timeIntervalSinceNow: TimeInterval(index * 60 - 3600))
                try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: "\(folder)/\(name).wav")
            }
            #expect(Self.files(folder) == ["b.wav", "c.wav"])
        }
    }

    @Test("a folder with files of others is left alone")
    func foreignFolder() async throws {
        try await Self.run { server, folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(folder)/mine.txt"))
            let found9 = try await server.request("POST", "media/uploads?name=a.wav", body: Self.wave(10)).code
            #expect(found9 == "not_stored")
            #expect(Self.files(folder) == ["mine.txt"])
        }
    }
}

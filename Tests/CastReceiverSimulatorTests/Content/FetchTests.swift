import TestSupport
import Testing

@testable import CastReceiverSimulator

/// A device that asks a real web server.
@Suite struct FetchTests {
    private static let files: [String: FileServer.File] = [
        "/film.mp4": .init(body: TestFile.mp4(seconds: 30, gap: 300_000), type: "video/mp4"),
        "/page.html": .init(body: Array("<html>".utf8), type: "text/html"),
        "/list.m3u8": .init(body: Array(MediaInspectorTests.playlist.utf8), type: "application/x-mpegurl", allowsOrigins: true),
        "/pieces.m3u8": .init(
            body: Array(MediaInspectorTests.playlist.utf8), type: "application/x-mpegurl", allowsOrigins: true, isStream: true, piece: 12),
        "/closed.m3u8": .init(body: Array(MediaInspectorTests.playlist.utf8), type: "application/x-mpegurl"),
        "/radio": .init(body: [UInt8](repeating: 5, count: 100_000), type: "audio/aac", isStream: true),
    ]

    @Test("the length is read from the content by ranges, failures carry their codes, and streams end when their bytes do")
    func fetches() async throws {
        try await FileServer.with(Self.files) { server in
            let configuration = TestFleet.configuration { $0.settings.fetchesMedia = true }
            try await TestFleet.with(configuration) { fleet in
                let sender = try await RawSender.connect(fleet, "sim-001")
                try await sender.handshake()
                _ = try await sender.ask(["type": "LAUNCH", "requestId": 2, "appId": "CC1AD845"])
                let transport = try #require(try await fleet.control("sim-001", .state)["transport_id"]?.text)
                sender.send(["type": "CONNECT"], Probe.connection, to: transport)
                func load(_ path: String, _ type: String, id: Int, port: Int? = nil) async throws -> JSON {
                    try await sender.ask(
                        [
                            "type": "LOAD", "requestId": .integer(id),
                            "media": [
                                "contentId": .string("http://127.0.0.1:\(port ?? server.port)\(path)"), "contentType": .string(type),
                            ],
                        ], Probe.media, to: transport)
                }
                let film = try await load("/film.mp4", "video/mp4", id: 3)
                #expect(film["status"]?.elements?.first?["media"]?["duration"] == 30)
                for (id, path) in [(4, "/list.m3u8"), (9, "/pieces.m3u8")] {
                    let list = try await load(path, "application/x-mpegurl", id: id)
                    #expect(list["status"]?.elements?.first?["media"]?["duration"] == 12, "\(path)")
                }
                for (path, type, code) in [
                    ("/nothing.mp4", "video/mp4", 104), ("/page.html", "video/mp4", 104), ("/closed.m3u8", "application/x-mpegurl", 311),
                ] {
                    let failure = try await load(path, type, id: 5)
                    #expect(failure["type"] == "LOAD_FAILED" && failure["detailedErrorCode"] == .integer(code), "\(path): \(failure)")
                }
                let unreachable = try await load("/film.mp4", "video/mp4", id: 6, port: 1)
                #expect(unreachable["detailedErrorCode"] == 103)
                // The device's own web server has a certificate without a known issuer.
                let address = try #require(try await fleet.control("sim-001", .state)["address"]?.text)
                let untrusted = try await sender.ask(
                    [
                        "type": "LOAD", "requestId": 8,
                        "media": ["contentId": .string("https://\(address):8443/film.mp4"), "contentType": "video/mp4"],
                    ], Probe.media, to: transport)
                #expect(untrusted["detailedErrorCode"] == 103)
                let radio = try await load("/radio", "audio/aac", id: 7)
                #expect(radio["type"] == "MEDIA_STATUS")
                try await eventually("the stream has ended") { try await fleet.control("sim-001", .state)["idle_reason"] == "FINISHED" }
                await sender.close()
            }
            let film = server.requests.filter { $0.uri == "/film.mp4" }
            #expect(film.map { $0.headers.first(name: "Range") } == ["bytes=0-", "bytes=\(TestFile.brand.count + 300_008)-"])
            #expect(server.requests.first { $0.uri == "/list.m3u8" }?.headers.first(name: "Origin") != nil)
        }
    }
}

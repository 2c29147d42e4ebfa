import Foundation
import TestSupport
import Testing

@testable import CastReceiverSimulator

/// Files that ffmpeg writes have the length that the device reads from them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RealFilesTests {
    private static let seconds = 7

    @Test(
        "the length of MP4, MP3, WAV, FLAC, Matroska, WebM, HLS and DASH is read from the content",
        .enabled("needs ffmpeg; in CI it must run") {
            (try? Programs.locate("ffmpeg")) != nil || ProcessInfo.processInfo.environment["CI"] != nil
        })
    func lengths() async throws {
        let directory = try TemporaryDirectory()
        let sound = ["-f", "lavfi", "-i", "sine=frequency=440:duration=\(Self.seconds)"]
        let cases: [(name: String, type: String, options: [String])] = [
            ("late.mp4", "video/mp4", ["-c:a", "aac"]), ("early.mp4", "video/mp4", ["-c:a", "aac", "-movflags", "+faststart"]),
            ("constant.mp3", "audio/mpeg", ["-c:a", "libmp3lame", "-b:a", "64k", "-write_xing", "0"]),
            ("variable.mp3", "audio/mpeg", ["-c:a", "libmp3lame", "-q:a", "4"]), ("sound.wav", "audio/wav", []),
            ("sound.flac", "audio/flac", []), ("film.mkv", "video/x-matroska", ["-c:a", "aac"]),
            ("sound.webm", "audio/webm", ["-c:a", "libopus"]),
            ("list.m3u8", "application/x-mpegurl", ["-c:a", "aac", "-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod"]),
            ("show.mpd", "application/dash+xml", ["-c:a", "aac", "-f", "dash", "-seg_duration", "2"]),
        ]
        var files: [String: FileServer.File] = [:]
        for entry in cases {
            try await InteropHouse.ffmpeg(sound + entry.options + [directory.file(entry.name)])
            let body = [UInt8](try Data(contentsOf: URL(fileURLWithPath: directory.file(entry.name))))
            files["/" + entry.name] = FileServer.File(body: body, type: entry.type, allowsOrigins: true)
        }
        try await FileServer.with(files) { server in
            let configuration = TestFleet.configuration { $0.settings.fetchesMedia = true }
            try await TestFleet.with(configuration) { fleet in
                for entry in cases {
                    let item = RemoteItem(url: "http://127.0.0.1:\(server.port)/\(entry.name)", contentType: entry.type)
                    try await fleet.control("sim-001", .remote(.load(item)))
                    try await eventually("\(entry.name) plays") {
                        let state = try await fleet.control("sim-001", .state)
                        return state["player"] == "PLAYING" && state["content_id"]?.text == item.url
                    }
                    let length = try #require(try await fleet.control("sim-001", .state)["duration"]?.double, "\(entry.name)")
                    #expect(abs(length - Double(Self.seconds)) < 0.3, "\(entry.name): \(length)")
                }
            }
        }
    }
}

import BridgeCore
import CastSender
import MediaFindings
import Synchronization
import Testing

@testable import Bridge

@Suite("A load that failed is answered with what its check found", .timeLimit(.minutes(10)))
struct MediaCheckAnswerTests {
    private static let finding = MediaFinding(.notFound, .media, url: "http://h/missing.mp4?token=planted", "There is nothing.")

    /// Checks that end when the test ends them.
    private final class Checks: Sendable {
        private let state = Mutex((asked: [String](), waiting: [CheckedContinuation<Void, Never>](), isOpen: false))

        var asked: [String] { self.state.withLock { $0.asked } }

        var checker: MediaChecker {
            MediaChecker { media, _ in
                await withCheckedContinuation { continuation in
                    let isOpen = self.state.withLock { state in
                        state.asked.append(media.contentID ?? "")
                        if !state.isOpen { state.waiting.append(continuation) }
                        return state.isOpen
                    }
                    if isOpen { continuation.resume() }
                }
                return MediaCheckReport(findings: [MediaCheckAnswerTests.finding])
            }
        }

        func open() {
            let waiting = self.state.withLock { state in
                defer { (state.waiting, state.isOpen) = ([], true) }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    private static func load(_ id: String, _ url: String = "http://h/missing.mp4") -> String {
        #"{"cmd":"load","id":"\#(id)","args":{"url":"\#(url)"}}"#
    }

    @Test("the next command runs meanwhile, and the answer has the findings without secrets")
    func findings() async throws {
        let checks = Checks()
        let world = try await BridgeWorld.settled(mediaChecker: checks.checker)
        try await world.send("cmd", Self.load("l1"))
        #expect(await world.advance(until: { !checks.asked.isEmpty }, limit: .seconds(20)) != nil)
        #expect(await world.advance(until: { world.held("status/error_code") == "load_failed" }, limit: .seconds(5)) != nil)
        func failures() -> [String] {
            world.broker.entries(world.topic("event")).map(\.text).filter { $0.contains(#""event_type":"command_failed""#) }
        }
        #expect(failures().count == 1, "the event does not wait for the check")
        try await world.send("cmd", Self.load("l2", "http://h/film.mp4?load_time=0"))
        await world.advance(.seconds(5))
        #expect(world.answers("l2").count == 1)
        #expect(world.answers("l1").isEmpty)
        #expect(world.held("status/error_code") != "load_failed")
        checks.open()
        try await world.virtual.wait { !world.answers("l1").isEmpty }
        let answer = try #require(world.answers("l1").first)
        #expect(answer.contains(#""code":"load_failed""#))
        #expect(answer.contains(#""findings":[{"code":"not_found","severity":"error","subject":"media","text":"There is nothing.""#))
        #expect(!answer.contains("planted"))
        let error = world.broker.entries(world.topic("error")).map(\.text).last
        #expect(error?.contains(#""hint":"Check the path"#) == true)
        #expect(failures().count == 1)
        #expect(world.held("status/error_code") != "load_failed")
        #expect(checks.asked == ["http://h/missing.mp4"])
        await world.end()
    }

    @Test("more than four at a time are answered without, and every one is answered when the bridge leaves")
    func atMostFour() async throws {
        let checks = Checks()
        let world = try await BridgeWorld.settled(devices: 6, mediaChecker: checks.checker)
        for index in 0..<6 { try await world.send("cmd", Self.load("l\(index)"), index) }
        #expect(await world.advance(until: { (0..<6).count { !world.answers("l\($0)").isEmpty } == 2 }, limit: .seconds(20)) != nil)
        #expect(checks.asked.count == MediaChecks.maximumCount)
        try await world.send("cmd", #"{"cmd":"check","id":"c","args":{"url":"http://h/a.mp4"}}"#)
        await world.advance(.seconds(1))
        #expect(world.answers("c").first?.contains(#""code":"rate_limited""#) == true)
        #expect(await world.leave() != nil)
        for index in 0..<6 {
            let answers = world.answers("l\(index)")
            #expect(answers.count == 1)
            #expect(answers.first?.contains("findings") == false)
        }
        checks.open()
        await world.end()
    }

    @Test("nothing is fetched when the configuration forbids it, and for ids of applications")
    func notChecked() async throws {
        let checks = Checks()
        checks.open()
        let world = try await BridgeWorld.settled(mediaChecker: checks.checker) { $0.commands.checksLoads = false }
        try await world.send("cmd", Self.load("l1"))
        try await world.send("cmd", #"{"cmd":"check","id":"c","args":{"url":"http://h/a.mp4"}}"#)
        await world.advance(.seconds(10))
        #expect(world.answers("l1").first?.contains("findings") == false)
        #expect(world.answers("c").first?.contains(#""code":"forbidden""#) == true)
        #expect(checks.asked.isEmpty)
        await world.end()
    }

    @Test("check answers for what is loaded, and for an address")
    func check() async throws {
        let checks = Checks()
        checks.open()
        let world = try await BridgeWorld.settled(mediaChecker: checks.checker)
        func answer(_ id: String, _ arguments: String) async throws -> String {
            try await world.send("cmd", #"{"cmd":"check","id":"\#(id)","args":\#(arguments)}"#)
            try await world.virtual.wait {
                await world.advance(.milliseconds(20))
                return !world.answers(id).isEmpty
            }
            return world.answers(id).first ?? ""
        }
        #expect(try await answer("c1", "null").contains(#""code":"no_session""#))
        #expect(try await answer("c2", #"{"url":"http://h/a.mp4"}"#).contains(#""code":"done""#))
        try await world.play("http://h/film.mp4", duration: 600)
        let loaded = try await answer("c3", "null")
        #expect(loaded.contains(#""data":{"findings":[{"code":"not_found""#) && loaded.contains(#""complete":true"#))
        #expect(checks.asked == ["http://h/a.mp4", "http://h/film.mp4"])
        await world.end()
    }
}

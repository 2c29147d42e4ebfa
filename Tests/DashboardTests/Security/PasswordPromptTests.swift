import Glibc
import TestSupport
import Testing

@testable import Dashboard

@Suite("The question for a password", .serialized) struct PasswordPromptTests {
    static let lines: [(typed: String, answer: PasswordPrompt.Answer)] = [
        ("correct horse\n", .line("correct horse")), ("\n", .line("")), ("p\u{e4}\u{1a}x\n", .line("p\u{e4}x")),
        ("cor\u{3}", .interrupted(signal: SIGINT)), ("\u{1c}", .interrupted(signal: SIGQUIT)), ("\u{4}", .line("")),
    ]

    @Test("shows nothing of it, and the terminal is as before whatever ends it", arguments: lines)
    func ends(typed: String, answer: PasswordPrompt.Answer) async throws {
        var (keyboard, terminal): (Int32, Int32) = (-1, -1)
        try #require(openpty(&keyboard, &terminal, nil, nil, nil) == 0)
        defer { for descriptor in [keyboard, terminal] { close(descriptor) } }
        let before = Self.flags(terminal)
        let prompt = PasswordPrompt(terminal: terminal)
        let answers = Task.detached { prompt.read() }
        // Keys typed before the terminal stops echoing are dropped, as all earlier input is.
        try await eventually("the terminal shows nothing") { Self.flags(terminal) & tcflag_t(ECHO) == 0 }
        let bytes = Array(typed.utf8)
        #expect(write(keyboard, bytes, bytes.count) == bytes.count)
        #expect(await answers.value == answer)
        #expect(Self.flags(terminal) == before && before & tcflag_t(ECHO | ISIG) == tcflag_t(ECHO | ISIG))
        #expect(fcntl(keyboard, F_SETFL, O_NONBLOCK) == 0)
        var shown = [UInt8](repeating: 0, count: 100)
        #expect(read(keyboard, &shown, shown.count) <= 0, "nothing was shown")
    }

    private static func flags(_ terminal: Int32) -> tcflag_t {
        var settings = termios()
        tcgetattr(terminal, &settings)
        return settings.c_lflag
    }
}

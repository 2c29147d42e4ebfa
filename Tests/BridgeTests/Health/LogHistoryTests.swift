import BridgeCore
import CastSender
import Testing

@testable import Bridge

@Suite("The last lines of the log")
struct LogHistoryTests {
    private func entry(_ number: Int, _ level: LogLevel = .info, text: String = "") -> LogEntry {
        LogEntry(line: LogLine(level: level, source: "test", message: "\(number)\(text)"), time: Timestamp(milliseconds: 0))
    }

    @Test("are at most 1 000, and the newest are among them")
    func count() {
        let history = LogHistory()
        for number in 0..<3_333 { history.append(self.entry(number)) }
        let numbers = history.entries(from: .trace, of: nil).compactMap { Int($0.line.message) }
        #expect(numbers.last == 3_332 && (500...1_000).contains(numbers.count))
        #expect(numbers == Array((3_333 - numbers.count)..<3_333))
    }

    @Test("are bounded in bytes")
    func bytes() {
        let history = LogHistory()
        let text = String(repeating: "x", count: 10_000)
        for number in 0..<900 { history.append(self.entry(number, text: text)) }
        #expect((40...110).contains(history.entries(from: .trace, of: nil).count))
    }

    @Test("are found by level, and passed to a feed from a level on")
    func levels() {
        let history = LogHistory()
        let feed = ChangeFeed(history: history, redaction: SecretRedaction()) {}
        feed.complete()
        _ = feed.take()
        history.append(self.entry(1, .warning))
        feed.watchLog(from: .info)
        history.append(self.entry(2, .debug))
        history.append(self.entry(3, .error, text: " http://h/a?token=secret"))
        #expect(history.entries(from: .info, of: nil).map(\.line.level) == [.warning, .error])
        #expect(feed.take()?.log.map(\.line.message) == ["3 http://h/a?token=…"])
        feed.watchLog(from: nil)
        history.append(self.entry(4, .error))
        #expect(feed.take() == nil)
        feed.end()
    }

    @Test("are wanted from the lowest level of those who listen")
    func lowestLevel() {
        let history = LogHistory()
        let tap = LogTap(level: PublishedLogLevel(.warning), history: history)
        let (first, second) = (
            ChangeFeed(history: history, redaction: SecretRedaction()) {}, ChangeFeed(history: history, redaction: SecretRedaction()) {}
        )
        #expect(history.listenedLevel == nil && tap.takenLevel == .warning)
        first.watchLog(from: .error)
        #expect(history.listenedLevel == .error && tap.takenLevel == .warning)
        second.watchLog(from: .trace)
        #expect(history.listenedLevel == .trace && tap.takenLevel == .trace)
        second.watchLog(from: .debug)
        #expect(history.listenedLevel == .debug && tap.takenLevel == .debug)
        second.watchLog(from: nil)
        #expect(history.listenedLevel == .error)
        second.watchLog(from: .info)
        tap.level = .off
        #expect(tap.takenLevel == .info)
        for feed in [first, second] { feed.end() }
        #expect(history.listenedLevel == nil && tap.takenLevel == nil)
    }
}

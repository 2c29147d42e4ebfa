import Glibc
import Testing

@testable import Bridge

@Suite("Writing the log", .timeLimit(.minutes(10)))
struct LogWriterTests {
    /// A pipe of 4 KiB whose other end the test reads when it likes.
    private struct Pipe {
        let reading: Int32
        let writing: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            (self.reading, self.writing) = (ends[0], ends[1])
            // F_SETPIPE_SZ, which Swift's Glibc leaves out.
            try #require(fcntl(self.writing, 1031, 4096) >= 4096)
        }

        /// Waits until the other side of the pipe would block.
        func waitUntilFull() {
            var state = pollfd(fd: self.writing, events: Int16(POLLOUT), revents: 0)
            while poll(&state, 1, 0) != 0 { sched_yield() }
        }

        /// Reads until `isEnough` of what was read.
        func read(until isEnough: (String) -> Bool) -> String {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while !isEnough(String(decoding: bytes, as: UTF8.self)) {
                let count = Glibc.read(self.reading, &buffer, buffer.count)
                guard count > 0 else { break }
                bytes += buffer.prefix(count)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    private static func line(_ number: Int, padding: Int = 0) -> [UInt8] {
        Array("line \(number)\(String(repeating: ".", count: padding))\n".utf8)
    }

    @Test("writes lines in order, and has written them all when flush returns")
    func order() throws {
        let pipe = try Pipe()
        let writer = LogWriter(pipe.writing)
        for number in 0..<100 { writer.append(Self.line(number)) }
        writer.flush(within: .seconds(60))
        close(pipe.writing)
        #expect(pipe.read { _ in false }.split(separator: "\n") == (0..<100).map { "line \($0)" })
    }

    @Test("drops lines while there is no reader, and later reports where and how many", arguments: [0, 1000])
    func blocked(padding: Int) throws {
        let pipe = try Pipe()
        let writer = LogWriter(pipe.writing)
        writer.reportDropped { Array("dropped \($0)\n".utf8) }
        writer.append(Array(String(repeating: "=", count: 8191).utf8) + [10])
        pipe.waitUntilFull()
        let appended = 3 * LogWriter.maximumLines
        for number in 0..<appended { writer.append(Self.line(number, padding: padding)) }
        let text = pipe.read { $0.contains("dropped") && $0.hasSuffix("\n") }
        writer.append(Array("after\n".utf8))
        writer.flush(within: .seconds(60))
        close(pipe.writing)
        let lines = (text + pipe.read { _ in false }).split(separator: "\n").dropFirst()
        let kept = lines.count - 2
        #expect(kept < LogWriter.maximumLines)
        #expect(lines.prefix(kept).elementsEqual((0..<kept).map { "line \($0)" + String(repeating: ".", count: padding) }) { $0 == $1 })
        #expect(lines.suffix(2) == ["dropped \(appended - kept)", "after"])
    }

    @Test("gives up at the end of the process without a reader: at once when there has been none for long")
    func flushLimit() throws {
        let pipe = try Pipe()
        let writer = LogWriter(pipe.writing)
        for number in 0..<1000 { writer.append(Self.line(number)) }
        let clock = ContinuousClock()
        let first = clock.measure { writer.flush(within: .milliseconds(300)) }
        #expect(first < .seconds(10))
        let second = clock.measure { writer.flush(within: .milliseconds(1)) }
        #expect(second < .milliseconds(300))
        _ = pipe.read { $0.contains("line 999\n") }
    }
}

import CastModels
import NIOCore
import Testing

@testable import Dashboard

@Suite("What open event streams send")
struct EventStreamsTests {
    private var streams = EventStreams()

    private func frame(_ number: Int) -> ByteBuffer { ByteBuffer(string: "\(number)") }

    /// The events that a stream sends, as text.
    private mutating func next(_ id: EventStreams.ID, newest: UInt64?, canResume: Bool = true, at seconds: Int = 0) -> String {
        switch self.streams.next(id, newest: newest, canResume: { _ in canResume }, now: .seconds(seconds)) {
        case .snapshot: "snapshot"
        case .news(let news, let own): self.text(news, own)
        case .heartbeat: "heartbeat"
        case .nothing: "nothing"
        case .end: "end"
        }
    }

    private func text(_ news: EventStreams.News, _ own: EventStreams.Private) -> String {
        let missed = own.missed == EventStreams.Missed() ? nil : "missed \(own.missed.events) \(own.missed.lines)"
        let frames = Array(self.streams.events(from: news.firstEvent)) + Array(own.lines)
        return ([missed, news.since.map { "since \($0)" }].compactMap { $0 } + frames.map { String(buffer: $0) }).joined(separator: " ")
    }

    private mutating func add(_ key: String = "a", since: UInt64? = nil, log: LogLevel? = nil) throws -> EventStreams.ID {
        let id = self.streams.add(key: key, since: since, logLevel: log, now: .zero)
        return try #require(id)
    }

    @Test("a stream has everything first, then what changed, however often")
    mutating func everythingFirst() throws {
        let id = try self.add()
        #expect(self.next(id, newest: nil) == "nothing")
        self.streams.queue([self.frame(1)])
        #expect(self.next(id, newest: nil) == "nothing", "events wait for the documents")
        #expect(self.next(id, newest: 5) == "snapshot")
        #expect(self.next(id, newest: 9) == "since 5 1")
        self.streams.queue([self.frame(2), self.frame(3)])
        #expect(self.next(id, newest: 9) == "2 3")
        #expect(self.next(id, newest: 9) == "nothing")
        #expect(self.next(id, newest: 10, canResume: false) == "snapshot")
        self.streams.remove(id)
        #expect(self.next(id, newest: 10) == "end")
    }

    @Test("a stream goes on behind a known change, with a heartbeat when that is the last one")
    mutating func resumes() throws {
        let (known, last, unknown) = (try self.add(since: 3), try self.add(since: 5), try self.add(since: 4))
        #expect(self.next(known, newest: 5) == "since 3")
        #expect(self.next(last, newest: 5) == "heartbeat")
        #expect(self.next(last, newest: 5) == "nothing")
        #expect(self.next(unknown, newest: 5, canResume: false) == "snapshot")
    }

    @Test("a heartbeat comes after 15 seconds without anything else")
    mutating func heartbeat() throws {
        let id = try self.add()
        #expect(self.next(id, newest: 1, at: 1) == "snapshot")
        #expect(self.next(id, newest: 1, at: 15) == "nothing")
        #expect(self.next(id, newest: 1, at: 16) == "heartbeat")
        #expect(self.next(id, newest: 1, at: 30) == "nothing")
        #expect(self.next(id, newest: 1, at: 31) == "heartbeat")
    }

    @Test("one caller has four streams, all together 256")
    mutating func bounds() throws {
        var ids: [EventStreams.ID] = []
        for _ in 0..<4 { ids.append(try self.add()) }
        #expect(self.streams.add(key: "a", since: nil, logLevel: nil, now: .zero) == nil)
        self.streams.remove(ids[2])
        _ = try self.add()
        for number in 4..<256 { _ = try self.add("\(number / 4)") }
        #expect(self.streams.add(key: "b", since: nil, logLevel: nil, now: .zero) == nil)
        #expect(self.streams.count == 256)
    }

    @Test("a stream ends when 512 events wait")
    mutating func tooManyWait() throws {
        let (slow, other) = (try self.add("a"), try self.add("b"))
        #expect(self.next(other, newest: 1) == "snapshot")
        for number in 1...512 { self.streams.queue([self.frame(number)]) }
        #expect(self.next(other, newest: 1).split(separator: " ").count == 512)
        #expect(self.streams.ended(among: [slow, other]) == [])
        self.streams.queue([self.frame(513)])
        #expect(self.streams.ended(among: [slow, other]) == [slow])
        #expect(self.next(other, newest: 1) == "513")
    }

    @Test("streams have the same events, each from where it is")
    mutating func sameEvents() throws {
        let (quick, slow) = (try self.add("a"), try self.add("b"))
        for id in [quick, slow] { #expect(self.next(id, newest: 1) == "snapshot") }
        for number in 1...1_000 {
            self.streams.queue([self.frame(number)])
            #expect(self.next(quick, newest: 1) == "\(number)")
            if number % 500 == 0 { #expect(self.next(slow, newest: 1).split(separator: " ").count == 500) }
        }
        let late = try self.add("c")
        #expect(self.next(late, newest: 1) == "snapshot")
        self.streams.queue([self.frame(1_001)])
        for id in [quick, slow, late] { #expect(self.next(id, newest: 1) == "1001") }
        for id in [quick, slow, late] { self.streams.remove(id) }
        self.streams.queue([self.frame(1_002)])
        #expect(Array(self.streams.events(from: 0)) == [], "nothing is kept without a reader")
    }

    @Test("a stream keeps the newest 256 lines of the log, and counts the others")
    mutating func newestLines() throws {
        let (slow, other, plain) = (try self.add("a", log: .info), try self.add("b", log: .error), try self.add("c"))
        for id in [slow, other, plain] { #expect(self.next(id, newest: 1) == "snapshot") }
        self.streams.queue([self.frame(0)])
        for number in 1...1_000 { self.streams.queue(self.frame(number), of: .info) }
        #expect(self.streams.ended(among: [slow, other, plain]) == [])
        #expect(self.next(slow, newest: 1) == "missed 0 744 0 " + (745...1_000).map { "\($0)" }.joined(separator: " "))
        #expect(self.next(slow, newest: 1) == "nothing")
        for id in [other, plain] { #expect(self.next(id, newest: 1) == "0") }
    }

    @Test("a stream reports what was dropped before it reached it")
    mutating func dropped() throws {
        let (all, plain, late) = (try self.add(log: .info), try self.add(), try self.add())
        for id in [all, plain] { #expect(self.next(id, newest: 1) == "snapshot") }
        self.streams.missed(EventStreams.Missed())
        #expect(self.next(all, newest: 1) == "nothing")
        self.streams.missed(EventStreams.Missed(events: 2, lines: 3))
        self.streams.missed(EventStreams.Missed(lines: 4))
        self.streams.queue([self.frame(1)])
        #expect(self.next(all, newest: 1) == "missed 2 7 1")
        #expect(self.next(plain, newest: 1) == "missed 2 0 1")
        #expect(self.next(late, newest: 1) == "snapshot")
        #expect(self.next(late, newest: 1) == "missed 2 0 1")
        #expect(self.next(late, newest: 1) == "nothing")
    }

    @Test("a stream ends when a piece of a write takes 20 seconds, not when the whole does")
    mutating func slowPiece() throws {
        let (stuck, slow) = (try self.add(), try self.add())
        for id in [stuck, slow] { #expect(self.next(id, newest: 1) == "snapshot") }
        for seconds in [19, 38, 57] {
            self.streams.progressed(slow, now: .seconds(seconds))
            #expect(self.streams.cutStalled(now: .seconds(seconds)).contains(slow) == false)
        }
        #expect(self.next(stuck, newest: 1) == "end")
        #expect(self.streams.cutStalled(now: .seconds(76)) == [])
        #expect(self.streams.cutStalled(now: .seconds(77)) == [slow])
        self.streams.progressed(slow, now: .seconds(78))
        #expect(self.next(slow, newest: 1) == "end")
        // A piece that was written late makes no busy stream of one that waits.
        let idle = try self.add()
        #expect(self.next(idle, newest: 1) == "snapshot")
        #expect(self.next(idle, newest: 1) == "nothing")
        self.streams.progressed(idle, now: .seconds(1))
        #expect(self.streams.cutStalled(now: .seconds(1000)) == [])
    }

    @Test("a stream ends when a write takes 20 seconds, and not while it waits for something to send")
    mutating func slowWrite() throws {
        let (stuck, idle) = (try self.add(), try self.add())
        for id in [stuck, idle] { #expect(self.next(id, newest: 1) == "snapshot") }
        #expect(self.next(idle, newest: 1) == "nothing")
        #expect(self.streams.cutStalled(now: .seconds(19)) == [])
        #expect(self.streams.cutStalled(now: .seconds(20)) == [stuck])
        #expect(self.next(stuck, newest: 1) == "end")
        #expect(self.streams.cutStalled(now: .seconds(1000)) == [])
    }

    @Test("each stream has lines of the log from the level that it asked for")
    mutating func logLevel() throws {
        let (none, warnings, all) = (try self.add(), try self.add(log: .warning), try self.add(log: .trace))
        #expect(self.streams.logLevel == .trace)
        for id in [none, warnings, all] { #expect(self.next(id, newest: 1) == "snapshot") }
        self.streams.queue(self.frame(1), of: .debug)
        self.streams.queue(self.frame(2), of: .error)
        #expect(self.next(none, newest: 1) == "nothing")
        #expect(self.next(warnings, newest: 1) == "2")
        #expect(self.next(all, newest: 1) == "1 2")
        self.streams.remove(all)
        #expect(self.streams.logLevel == .warning)
    }
}

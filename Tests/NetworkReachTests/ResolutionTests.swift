import Dispatch
import Synchronization
import Testing

@testable import NetworkReach

@Suite struct ResolutionTableTests {
    private typealias Table = ResolutionTable<String, Int>

    private static func table(threads: Int, waiters: Int = 8, patience: Duration? = nil) -> Table {
        Table(threadLimit: threads, waiterLimit: waiters, patience: patience)
    }

    /// Adds a waiter.
    private static func ask(_ name: String, _ waiter: Int, of table: inout Table, at seconds: Int = 0) -> Table.Lookup? {
        let isTaken = table.add(waiter, for: name)
        #expect(isTaken)
        return table.request(name, now: .seconds(seconds))
    }

    @Test("all who ask for a name that is being looked up get the same answer")
    func shared() throws {
        var table = Self.table(threads: 3)
        let lookup = try #require(Self.ask("a", 1, of: &table))
        let second = Self.ask("a", 2, of: &table, at: 1000)
        #expect(second == nil)
        let waiters = table.ended(lookup, now: .seconds(1001)).waiters
        #expect(waiters == [1, 2])
        let later = Self.ask("a", 3, of: &table, at: 1001)
        #expect(later != nil, "an answer is not kept")
    }

    @Test("further names wait for a thread, in their order")
    func threads() throws {
        var table = Self.table(threads: 2)
        let started = ["a", "b", "c", "d"].enumerated().map { Self.ask($1, $0, of: &table) }
        #expect(started.map { $0?.name } == ["a", "b", nil, nil])
        let (waiters, next) = table.ended(try #require(started[1]), now: .zero)
        #expect(waiters == [1])
        #expect(next?.name == "c")
        let last = table.ended(try #require(started[0]), now: .zero).next
        #expect(last?.name == "d")
        let none = table.ended(try #require(next), now: .zero).next
        #expect(none == nil)
    }

    @Test("too many waiters are refused")
    func full() {
        var table = Self.table(threads: 1, waiters: 2)
        let taken = [(1, "a"), (2, "a"), (3, "a"), (3, "b")].map { table.add($0, for: $1) }
        #expect(taken == [true, true, false, true])
    }

    @Test("too many names are refused, and those that are looked up already are not")
    func names() {
        var table = Self.table(threads: 1, waiters: 2)
        let limit = ResolutionTable<String, Int>.nameLimit
        let taken = (0...limit).map { table.add($0, for: "name-\($0)") }
        #expect(taken == Array(repeating: true, count: limit) + [false])
        let isTaken = table.add(0, for: "name-0")
        #expect(isTaken)
    }

    @Test("lookups that never end are as many as threads, and a late answer serves those who wait")
    func bounded() throws {
        var table = Self.table(threads: 3, waiters: 1, patience: .seconds(30))
        var started = [Self.ask("a", 1, of: &table)]
        for index in 1..<20 { started.append(table.request("a", now: .seconds(index * 31))) }
        #expect(started.map { $0 != nil } == Array(repeating: true, count: 3) + Array(repeating: false, count: 17))
        let (waiters, next) = table.ended(try #require(started[1]), now: .seconds(1000))
        #expect(waiters == [1])
        #expect(next?.name == "a", "the one that was asked for meanwhile")
    }

    @Test("a young lookup is waited for", arguments: [(29, false), (30, true)])
    func patience(age: Int, isStarted: Bool) {
        var table = Self.table(threads: 3, patience: .seconds(30))
        _ = Self.ask("a", 1, of: &table)
        let second = table.request("a", now: .seconds(age))
        #expect((second != nil) == isStarted)
    }
}

@Suite struct HostResolverTests {
    @Test("a name is looked up once for all who ask meanwhile, and again for those who ask later")
    func once() async {
        let lookups = Mutex(0)
        let asked = DispatchSemaphore(value: 0)
        let resolver = HostResolver(threadName: "test-resolve", threadLimit: 2, waiterLimit: 8) { host, port in
            // Blocks until the test has asked four times.
            for _ in 0..<4 { asked.wait() }
            lookups.withLock { $0 += 1 }
            return .success([NumericAddress(family: .ipv4, host: host, port: port, bytes: [])])
        }
        let (answers, continuation) = AsyncStream<NumericAddress.Answer>.makeStream()
        for _ in 0..<4 {
            resolver.resolve("name", port: 1) { continuation.yield($0) }
            asked.signal()
        }
        var iterator = answers.makeAsyncIterator()
        for _ in 0..<4 { #expect((try? await iterator.next()?.get())?.first?.description == "name:1") }
        #expect(lookups.withLock { $0 } == 1)
        for _ in 0..<4 { asked.signal() }
        resolver.resolve("name", port: 1) { continuation.yield($0) }
        _ = await iterator.next()
        #expect(lookups.withLock { $0 } == 2)
    }

    @Test(
        "a numeric address needs no name service",
        arguments: [
            ("127.0.0.1", "127.0.0.1:1883"), ("::1", "[::1]:1883"), ("0:0::1", "[::1]:1883"), ("name", nil),
        ] as [(String, String?)])
    func numeric(host: String, expected: String?) {
        let addresses = try? NumericAddress.resolve(host, port: 1883, isNumeric: true).get()
        #expect(addresses?.first?.description == expected)
    }
}

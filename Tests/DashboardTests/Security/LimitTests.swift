import BridgeCore
import Testing

@testable import Dashboard

private func address(_ number: Int) throws -> NetworkAddress {
    try #require(NetworkAddress("10.\(number >> 16).\(number >> 8 & 255).\(number & 255)"))
}

@Suite("Guessed passwords") struct LoginThrottleTests {
    @Test("cost their sender twice as long after each, up to a quarter of an hour")
    func doubles() throws {
        var throttle = LoginThrottle()
        let client = try address(1)
        var now = Duration.zero
        var delays: [Duration] = []
        for _ in 0..<16 {
            #expect(throttle.delay(client, now: now) == nil)
            throttle.failed(client, now: now)
            let delay = throttle.delay(client, now: now) ?? .zero
            delays.append(delay)
            now += delay
        }
        #expect(delays.prefix(4).allSatisfy { $0 == .zero })
        #expect(delays[4...6] == [.seconds(2), .seconds(4), .seconds(8)])
        #expect(delays.last == .seconds(900) && delays.max() == .seconds(900))
        // Neither another address nor one that has the password waits.
        #expect(throttle.delay(try address(2), now: now) == nil)
        throttle.succeeded(client)
        throttle.failed(client, now: now)
        #expect(throttle.delay(client, now: now) == nil)
    }

    @Test("few a minute are no attack, and a household counts once")
    func window() throws {
        var throttle = LoginThrottle()
        let client = try address(1)
        for minute in 0..<20 { throttle.failed(client, now: .seconds(61 * minute)) }
        #expect(throttle.delay(client, now: .seconds(61 * 19)) == nil)
        for last in 1...5 { throttle.failed(try #require(NetworkAddress("2001:db8::\(last)")), now: .zero) }
        #expect(throttle.delay(try #require(NetworkAddress("2001:db8::ffff")), now: .zero) == .seconds(2))
    }

    @Test("take no more memory however many addresses guess")
    func bounded() throws {
        var throttle = LoginThrottle()
        let first = try address(0)
        for _ in 0..<5 { throttle.failed(first, now: .zero) }
        for number in 1...LoginThrottle.maximumCount { throttle.failed(try address(number), now: .milliseconds(number)) }
        #expect(throttle.delay(first, now: .milliseconds(1)) == nil)
    }
}

@Suite("The limits of clients") struct ClientLimitTests {
    @Test("the budget is refilled with time")
    func budget() throws {
        var budget = RequestBudget()
        let client = try address(1)
        var taken: [Bool] = []
        for _ in 0...600 { taken.append(budget.take(client, now: .zero)) }
        for _ in 0..<4 { taken.append(budget.take(client, now: .milliseconds(50))) }
        // 60 a second are 3 in 50 ms.
        #expect(taken.prefix(600).allSatisfy { $0 } && Array(taken.suffix(5)) == [false, true, true, true, false])
        for number in 2...RequestBudget.maximumCount + 2 { _ = budget.take(try address(number), now: .seconds(1)) }
        // Pushed out by the others, it begins again.
        let isAllowed = budget.take(client, now: .seconds(1))
        #expect(isAllowed)
    }

    @Test("connections: 64 of a client, 256 of all, and 16 of these for this machine alone")
    func connections() throws {
        var limits = ConnectionLimits()
        let client = try address(1)
        var opened: [Bool] = []
        for _ in 0...64 { opened.append(limits.open(client)) }
        limits.close(client)
        for _ in 0...1 { opened.append(limits.open(client)) }
        #expect(opened.prefix(64).allSatisfy { $0 } && Array(opened.suffix(3)) == [false, true, false])
        var others: [Bool] = []
        for number in 2..<179 { others.append(limits.open(try address(number))) }
        others.append(limits.open(nil))
        #expect(limits.count == 240 && others.prefix(176).allSatisfy { $0 } && Array(others.suffix(2)) == [false, false])
        let local = try ["127.0.0.1", "::1", "127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"].map { try #require(NetworkAddress($0)) }
        var probes: [Bool] = []
        for number in 0...17 { probes.append(limits.open(local[number % local.count])) }
        #expect(limits.count == 256 && probes.prefix(16).allSatisfy { $0 } && Array(probes.suffix(2)) == [false, false])
    }

    @Test("connections: a probe gets in beside a browser on this machine, whatever others hold")
    func probe() throws {
        var limits = ConnectionLimits()
        let local = try #require(NetworkAddress("127.0.0.1"))
        for _ in 0..<20 { _ = limits.open(local) }
        for number in 1...250 { _ = limits.open(try address(number)) }
        let (probe, other) = (limits.open(local), limits.open(try address(251)))
        #expect(probe && !other)
    }

    @Test("connections: clients that take all they get leave room for others", arguments: ["10.0.0.", "127.0.0."])
    func greedyClients(network: String) throws {
        var limits = ConnectionLimits()
        for number in 1...4 {
            let client: NetworkAddress = try #require(NetworkAddress(network + "\(number)"))
            for _ in 0..<64 { _ = limits.open(client) }
        }
        for number in 10...14 {
            let client: NetworkAddress = try #require(NetworkAddress(network + "\(number)"))
            let isAllowed = limits.open(client)
            #expect(isAllowed)
        }
    }

    @Test("sessions: 256, the one used longest ago goes")
    func sessions() {
        var table = SessionTable()
        for number in 0...255 { table.add([UInt8(number)], role: .view, now: .seconds(number)) }
        let used = table.use([0], now: .seconds(256))
        table.add([1, 1], role: .view, now: .seconds(257))
        let (evicted, kept) = (table.use([1], now: .seconds(258)), table.use([0], now: .seconds(258)))
        #expect(table.count == 256 && used == .view && evicted == nil && kept == .view)
    }

    @Test("whether a session holds can be asked without using it")
    func holds() throws {
        var table = SessionTable()
        table.add([1], role: .view, client: try address(1), now: .zero)
        let answers = [0, 6, 7].map { table.holds([1], now: .seconds(86_400 * $0)) }
        #expect(answers == [true, true, false] && !table.holds([2], now: .zero))
        let role = table.use([1], now: .seconds(86_400 * 7))
        #expect(role == nil)
    }

    @Test("sessions of a household and role: 16, those of others stay")
    func sessionsOfClient() throws {
        var table = SessionTable()
        let (client, other) = (try address(1), try address(2))
        table.add([100], role: .admin, client: client, now: .zero)
        table.add([101], role: .view, client: other, now: .zero)
        for number in 0...16 { table.add([UInt8(number)], role: .view, client: client, now: .seconds(1 + number)) }
        let roles = [[100], [101], [0], [1], [16]].map { table.use($0, now: .seconds(20)) }
        #expect(roles == [.admin, .view, nil, .view, .view] && table.count == 18)
    }

    @Test("a session that is used ends after 30 days")
    func longest() {
        var table = SessionTable()
        table.add([1], role: .view, now: .zero)
        var roles: [WebRole?] = []
        for day in 1...30 { roles.append(table.use([1], now: .seconds(86_400 * day))) }
        #expect(roles.prefix(29).allSatisfy { $0 == .view } && roles.last == .some(nil))
    }
}

@Suite("Passwords", .serialized) struct PasswordTests {
    @Test("are kept as scrypt and compared with it")
    func scrypt() throws {
        let hash = try PasswordHash.make("correct horse")
        for (text, isRight) in [("correct horse", true), ("correct horsE", false), ("", false)] {
            #expect(try hash.matches(text) == isRight)
        }
        #expect(PasswordHash(hash.text) == hash)
        #expect(try PasswordHash.make("correct horse") != hash)
        #expect("\(hash) \(String(reflecting: hash))" == "(secret) (secret)")
    }

    @Test("scrypt is that of RFC 7914, section 12")
    func vector() throws {
        let cost = try #require(PasswordHash.Cost(rounds: 16_384, blockSize: 8, parallelism: 1))
        let key = try #require(HexadecimalText.bytes("7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"))
        #expect(try PasswordHash(cost: cost, salt: Array("SodiumChloride".utf8), key: key).matches("pleaseletmein"))
    }

    @Test("the most memory that a hash may ask for is had")
    func largest() throws {
        let cost = try #require(PasswordHash.Cost(rounds: 1 << 17, blockSize: 8, parallelism: 1))
        #expect(try PasswordHash.make("correct horse", cost: cost).key.count == 32)
        #expect(PasswordHash.Cost(rounds: 1 << 18, blockSize: 8, parallelism: 1) == nil)
    }
}

import BridgeCore
import Testing

@testable import Dashboard

@Suite("The check of passwords") struct PasswordCheckTests {
    private static func check(_ password: String, now: @escaping @Sendable () -> Duration = { .zero }) throws -> PasswordCheck {
        let cost = try #require(PasswordHash.Cost(rounds: 1 << 14, blockSize: 8, parallelism: 1))
        let hash = try PasswordHash.make(password, cost: cost)
        return PasswordCheck([.view: hash, .admin: hash], now: now)
    }

    @Test("a password of two roles gives the higher one")
    func highest() async throws {
        let check = try Self.check("correct horse")
        let client = try #require(NetworkAddress("192.168.1.9"))
        #expect(await check.run("correct horse", from: client) == .role(.admin))
        await check.end()
    }

    @Test("a lower password does not set the failures back, the highest does", arguments: [WebRole.view, .admin])
    func failures(role: WebRole) async throws {
        let cost = try #require(PasswordHash.Cost(rounds: 1 << 14, blockSize: 8, parallelism: 1))
        let check = PasswordCheck(
            [.view: try .make("view", cost: cost), .admin: try .make("admin", cost: cost)], now: { .zero })
        let client = try #require(NetworkAddress("192.168.1.9"))
        for _ in 0..<LoginThrottle.freeFailures - 1 { #expect(await check.run("wrong", from: client) == .wrong) }
        #expect(await check.run(role.rawValue, from: client) == .role(role))
        #expect(await check.run("wrong", from: client) == .wrong)
        let next = await check.run(role.rawValue, from: client)
        #expect(next == (role == .admin ? .role(.admin) : .wait(.seconds(2))))
        await check.end()
    }

    @Test("many at once: eight wait, the others are refused, and who fails too often waits although he asked before")
    func busy() async throws {
        let check = try Self.check("correct horse")
        let client = try #require(NetworkAddress("192.168.1.9"))
        let outcomes = await withTaskGroup(of: PasswordCheck.Outcome.self) { group in
            for _ in 0..<40 { group.addTask { await check.run("wrong", from: client) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        // However they overlap, five are compared, since the time stands still.
        #expect(outcomes.count { $0 == .wrong } == 5)
        #expect(outcomes.allSatisfy { $0 == .wrong || $0 == .busy || $0 == .wait(.seconds(2)) })
        #expect(await check.run("correct horse", from: client) == .wait(.seconds(2)))
        await check.end()
    }

    @Test("who is cancelled does not wait, and nothing is compared after the end")
    func cancelled() async throws {
        let check = try Self.check("correct horse")
        let client = try #require(NetworkAddress("192.168.1.9"))
        let tasks = (0..<PasswordQueue.maximumPerClient).map { _ in
            Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await check.run("correct horse", from: client)
            }
        }
        for task in tasks { #expect(await task.value == .busy) }
        await check.end()
        #expect(await check.run("correct horse", from: client) == .busy)
    }

    @Test("ten clients that guess all the time keep nobody with the right password out")
    func guessers() async throws {
        let check = try Self.check("correct horse")
        let guessers = try (1...10).map { try #require(NetworkAddress("10.0.0.\($0)")) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for guesser in guessers {
                for _ in 0..<8 { group.addTask { while !Task.isCancelled { _ = await check.run("wrong", from: guesser) } } }
            }
            for number in 1...6 {
                let client = try #require(NetworkAddress("192.168.1.\(number)"))
                #expect(await check.run("correct horse", from: client) == .role(.admin))
            }
            group.cancelAll()
        }
        await check.end()
    }
}

@Suite("The queue of password checks") struct PasswordQueueTests {
    private static func check(_ client: String) throws -> PasswordQueue.Check {
        .init(password: client, client: try #require(NetworkAddress(client)), answer: { _ in })
    }

    /// Adds a check for each client.
    /// - Returns: the clients that had to give way.
    private static func add(_ clients: [String], to queue: inout PasswordQueue, failures: [String: Int] = [:]) throws -> [String] {
        try clients.compactMap { try queue.add(Self.check($0)) { failures[$0.description] ?? 0 }?.password }
    }

    @Test("the fewest wrong passwords come first, of equal ones the newest and the oldest in turn")
    func order() throws {
        var queue = PasswordQueue()
        let failures = ["10.0.0.1": 3, "10.0.0.2": 1]
        #expect(try Self.add(["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5", "10.0.0.6"], to: &queue).isEmpty)
        var order: [String] = []
        while let next = queue.next(failures: { failures[$0.description] ?? 0 }) { order.append(next.password) }
        #expect(order == ["10.0.0.6", "10.0.0.3", "10.0.0.5", "10.0.0.4", "10.0.0.2", "10.0.0.1"])
    }

    @Test("a client has eight places, and gives way to others that guessed or wait less")
    func bound() throws {
        var queue = PasswordQueue()
        let client = [String](repeating: "10.0.0.1", count: 9)
        #expect(try Self.add(client, to: &queue) == ["10.0.0.1"])
        for number in 2...8 { #expect(try Self.add([String](repeating: "10.0.0.\(number)", count: 8), to: &queue).isEmpty) }
        // All have eight; the newest of those with the most failures goes, or of all.
        #expect(try Self.add(["10.0.1.1"], to: &queue, failures: ["10.0.0.3": 2]) == ["10.0.0.3"])
        #expect(try Self.add(["10.0.1.2"], to: &queue) == ["10.0.0.8"])
        #expect(try Self.add(["10.0.1.3"], to: &queue, failures: ["10.0.1.3": 1]) == ["10.0.1.3"])
    }
}

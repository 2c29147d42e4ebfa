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
        let tasks = (0..<PasswordCheck.maximumWaiting).map { _ in
            Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await check.run("correct horse", from: client)
            }
        }
        for task in tasks { #expect(await task.value == .busy) }
        await check.end()
        #expect(await check.run("correct horse", from: client) == .busy)
    }
}

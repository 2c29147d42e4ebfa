import BridgeCore
import NIOPosix
import Synchronization

/// Compares passwords with the configured hashes: one at a time, on a thread of its own, because each takes a tenth of a second and 16 to
/// 128 MiB.
final class PasswordCheck: Sendable {
    enum Outcome: Sendable, Equatable {
        case role(WebRole)
        case wrong
        /// The address failed too often; it may try again after this delay.
        case wait(Duration)
        /// Too many other checks are waiting, or there is not enough memory.
        case busy
    }

    private struct State {
        var throttle = LoginThrottle()
        var waiting = 0
        var pool: NIOThreadPool?
        var hasStopped = false
    }

    /// The most checks that may wait; further ones are refused.
    static let maximumWaiting = 8

    /// The highest role first, so that it applies when passwords are equal.
    private let hashes: [(role: WebRole, hash: PasswordHash)]
    private let now: @Sendable () -> Duration
    private let state = Mutex(State())

    init(_ passwords: [WebRole: PasswordHash], now: @escaping @Sendable () -> Duration) {
        self.hashes = passwords.sorted { $0.key > $1.key }.map { ($0.key, $0.value) }
        self.now = now
    }

    func run(_ password: String, from address: NetworkAddress) async -> Outcome {
        if let delay = self.state.withLock({ $0.throttle.delay(address, now: self.now()) }) { return .wait(delay) }
        guard let pool = self.enter() else { return .busy }
        let (answers, answer) = AsyncStream<Outcome>.makeStream(bufferingPolicy: .bufferingOldest(1))
        pool.submit { work in
            answer.yield(work == .active ? self.compare(password, from: address) : .busy)
            self.state.withLock { $0.waiting -= 1 }
        }
        for await outcome in answers { return outcome }
        // A caller that is cancelled must not wait for the checks before its own.
        return .busy
    }

    /// Ends the thread, if there is one, after the current comparison.
    func end() async {
        let pool = self.state.withLock { state in
            defer { state.pool = nil }
            state.hasStopped = true
            return state.pool
        }
        try? await pool?.shutdownGracefully()
    }

    /// The thread starts with the first check, because most pages are signed in to once a month.
    private func enter() -> NIOThreadPool? {
        self.state.withLock { state in
            guard state.waiting < Self.maximumWaiting, !state.hasStopped else { return nil }
            state.waiting += 1
            if let pool = state.pool { return pool }
            let pool = NIOThreadPool(numberOfThreads: 1)
            pool.start()
            state.pool = pool
            return pool
        }
    }

    /// Runs on the thread. A check that waited behind failures of the same address is delayed by them as well.
    private func compare(_ password: String, from address: NetworkAddress) -> Outcome {
        if let delay = self.state.withLock({ $0.throttle.delay(address, now: self.now()) }) { return .wait(delay) }
        for (role, hash) in self.hashes {
            guard !self.state.withLock({ $0.hasStopped }), let isRight = try? hash.matches(password) else { return .busy }
            guard !isRight else {
                // Otherwise a caller who knows the password of a low role could guess that of the highest without delay.
                if role == self.hashes.first?.role { self.state.withLock { $0.throttle.succeeded(address) } }
                return .role(role)
            }
        }
        self.state.withLock { $0.throttle.failed(address, now: self.now()) }
        return .wrong
    }
}

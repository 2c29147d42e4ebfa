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
        /// The highest role first, so that it applies when passwords are equal.
        var hashes: [(role: WebRole, hash: PasswordHash)]
        var throttle = LoginThrottle()
        var queue = PasswordQueue()
        var pool: NIOThreadPool?
        var hasStopped = false
    }

    private let now: @Sendable () -> Duration
    private let state: Mutex<State>

    init(_ passwords: [WebRole: PasswordHash], now: @escaping @Sendable () -> Duration) {
        self.state = Mutex(State(hashes: Self.sorted(passwords)))
        self.now = now
    }

    private static func sorted(_ passwords: [WebRole: PasswordHash]) -> [(role: WebRole, hash: PasswordHash)] {
        passwords.sorted { $0.key > $1.key }.map { ($0.key, $0.value) }
    }

    /// Takes other passwords, for the checks that begin from now on.
    func apply(_ passwords: [WebRole: PasswordHash]) { self.state.withLock { $0.hashes = Self.sorted(passwords) } }

    func run(_ password: String, from address: NetworkAddress) async -> Outcome {
        if let delay = self.state.withLock({ $0.throttle.delay(address, now: self.now()) }) { return .wait(delay) }
        let (answers, answer) = AsyncStream<Outcome>.makeStream(bufferingPolicy: .bufferingOldest(1))
        guard let pool = self.enter(.init(password: password, client: address) { answer.yield($0) }) else { return .busy }
        // Each turn of the thread takes the check whose turn it is, which may be another one.
        pool.submit { work in
            guard let check = self.state.withLock({ $0.queue.next(failures: self.failures($0)) }) else { return }
            check.answer(work == .active ? self.compare(check.password, from: check.client) : .busy)
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
    private func enter(_ check: PasswordQueue.Check) -> NIOThreadPool? {
        let (pool, displaced) = self.state.withLock { state -> (NIOThreadPool?, PasswordQueue.Check?) in
            guard !state.hasStopped else { return (nil, nil) }
            if state.pool == nil {
                state.pool = NIOThreadPool(numberOfThreads: 1)
                state.pool?.start()
            }
            return (state.pool, state.queue.add(check, failures: self.failures(state)))
        }
        displaced?.answer(.busy)
        return pool
    }

    private func failures(_ state: borrowing State) -> (NetworkAddress) -> Int {
        let (throttle, now) = (state.throttle, self.now())
        return { throttle.failures(of: $0, now: now) }
    }

    /// Runs on the thread. A check that waited behind failures of the same address is delayed by them as well.
    private func compare(_ password: String, from address: NetworkAddress) -> Outcome {
        if let delay = self.state.withLock({ $0.throttle.delay(address, now: self.now()) }) { return .wait(delay) }
        let hashes = self.state.withLock { $0.hashes }
        for (role, hash) in hashes {
            guard !self.state.withLock({ $0.hasStopped }), let isRight = try? hash.matches(password) else { return .busy }
            guard !isRight else {
                // Otherwise a caller who knows the password of a low role could guess that of the highest without delay.
                if role == hashes.first?.role { self.state.withLock { $0.throttle.succeeded(address) } }
                return .role(role)
            }
        }
        self.state.withLock { $0.throttle.failed(address, now: self.now()) }
        return .wrong
    }
}

import NetworkReach
import Synchronization

/// Resolves the broker's name. A late answer is not lost: it starts the next attempt.
final class NameResolver: Sendable {
    private struct State {
        var isAsking = false
        var answer: NumericAddress.Answer?
    }

    private let host: String
    private let port: UInt16
    private let wake: WakeEvent
    private let resolver: HostResolver
    private let state = Mutex(State())

    init(host: String, port: UInt16, environment: MQTTEnvironment, wake: WakeEvent) {
        self.host = host
        self.port = port
        self.wake = wake
        self.resolver = HostResolver(
            threadName: "mqtt-resolve", threadLimit: 3, waiterLimit: 1, patience: .seconds(30), now: environment.now,
            lookUp: environment.resolve)
    }

    /// Starts a lookup unless one is running; signals the wake event when the answer has arrived.
    func begin() {
        let wasAsking = self.state.withLock { state in
            defer { state.isAsking = true }
            return state.isAsking
        }
        guard !wasAsking else { return self.resolver.resolve(self.host, port: self.port, nil) }
        self.resolver.resolve(self.host, port: self.port) { answer in
            self.state.withLock { $0 = State(answer: answer) }
            self.wake.signal()
        }
    }

    /// Returns the answer, once.
    func take() -> NumericAddress.Answer? {
        self.state.withLock { state in
            defer { state.answer = nil }
            return state.answer
        }
    }
}

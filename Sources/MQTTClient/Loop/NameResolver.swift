import Synchronization

/// Resolves the broker's name on threads that are never waited for.
final class NameResolver: Sendable {
    private let environment: MQTTEnvironment
    private let host: String
    private let port: UInt16
    private let wake: WakeEvent
    private let book = Mutex(LookupBook())

    init(host: String, port: UInt16, environment: MQTTEnvironment, wake: WakeEvent) {
        self.host = host
        self.port = port
        self.environment = environment
        self.wake = wake
    }

    /// Makes sure that an answer is there or under way; signals the wake event when it is there.
    func begin() {
        switch self.book.withLock({ $0.begin(now: self.environment.now()) }) {
        case .take: self.wake.signal()
        case .wait: break
        case .start(let number):
            let started = DetachedThread.start("mqtt-resolve") {
                let answer = self.environment.resolve(self.host, self.port)
                self.book.withLock { $0.ended(number, answer, now: self.environment.now()) }
                self.wake.signal()
            }
            if !started { self.book.withLock { $0.notStarted(number) } }
        }
    }

    /// The answer, once.
    func take() -> LookupBook.Answer? { self.book.withLock { $0.take() } }
}

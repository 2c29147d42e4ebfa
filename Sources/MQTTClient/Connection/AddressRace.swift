/// Order of connection attempts to several addresses (after RFC 8305): the next one starts 300 ms after the last, or as soon as one fails.
struct AddressRace: Sendable {
    static let stagger = Duration.milliseconds(300)

    enum Action: Equatable {
        case none
        /// Start connecting to the address with this index.
        case start(Int)
        /// No address is left and none is under way.
        case exhausted
    }

    private let count: Int
    private var started = 0
    private var underWay: Set<Int> = []
    /// When `tick` wants to be called; `nil` when all have started.
    private(set) var deadline: Duration?

    init(count: Int) { self.count = count }

    mutating func begin(now: Duration) -> Action { self.startNext(now: now) }

    mutating func tick(now: Duration) -> Action {
        guard let deadline, now >= deadline else { return .none }
        return self.startNext(now: now)
    }

    mutating func failed(_ index: Int, now: Duration) -> Action {
        self.underWay.remove(index)
        return self.startNext(now: now)
    }

    private mutating func startNext(now: Duration) -> Action {
        guard self.started < self.count else {
            self.deadline = nil
            return self.underWay.isEmpty ? .exhausted : .none
        }
        let index = self.started
        self.started += 1
        self.underWay.insert(index)
        self.deadline = self.started < self.count ? now + Self.stagger : nil
        return .start(index)
    }
}

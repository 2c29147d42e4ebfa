/// Keeps count of name look-ups, none of which can be cancelled: at most three run at a time, and a late answer serves the next attempt.
struct LookupBook: Sendable {
    typealias Answer = Result<[SocketAddress], MQTTLinkError>

    enum Step: Equatable {
        /// An answer is there: take it.
        case take
        /// One is under way: its answer will do.
        case wait
        /// Start a look-up and report its end with this number.
        case start(UInt64)
    }

    static let maximumUnderWay = 3
    /// A look-up older than this is thought lost, and an answer older than this useless.
    static let patience = Duration.seconds(30)

    private var underWay: [UInt64: Duration] = [:]
    private var lastNumber: UInt64 = 0
    private var answer: (value: Answer, at: Duration)?

    mutating func begin(now: Duration) -> Step {
        if let answer, case .success = answer.value, now <= answer.at + Self.patience { return .take }
        self.answer = nil
        let isYoungUnderWay = self.underWay.values.contains { now < $0 + Self.patience }
        guard !isYoungUnderWay, self.underWay.count < Self.maximumUnderWay else { return .wait }
        self.lastNumber += 1
        self.underWay[self.lastNumber] = now
        return .start(self.lastNumber)
    }

    mutating func ended(_ number: UInt64, _ answer: Answer, now: Duration) {
        self.underWay[number] = nil
        self.answer = (answer, now)
    }

    /// The look-up could not even start.
    mutating func notStarted(_ number: UInt64) { self.underWay[number] = nil }

    mutating func take() -> Answer? {
        defer { self.answer = nil }
        return self.answer?.value
    }
}

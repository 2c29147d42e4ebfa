/// Answers and events that wait for room, each in a bounded queue, and the count of what found none.
struct WaitingMessages {
    /// An answer, and the short one that takes its place when it is above the broker's limit.
    struct Answer: Hashable {
        var message: OutgoingMessage
        var tooLarge: OutgoingMessage

        /// What it takes while it waits.
        var byteCount: Int { self.message.packetSizeBound + self.tooLarge.packetSizeBound }
    }

    private(set) var counts = Publisher.Counts()
    private let limits: Publisher.Limits
    private var answers: [Answer] = []
    private var answerBytes = 0
    private var events: [OutgoingMessage] = []

    init(limits: Publisher.Limits) { self.limits = limits }

    var count: Int { self.answers.count + self.events.count }

    /// Takes an event in; the oldest gives way.
    mutating func append(event: OutgoingMessage) {
        if self.events.count >= self.limits.events {
            _ = self.popEvent()
            self.counts.droppedEvents += 1
        }
        self.events.append(event)
    }

    /// Takes in what is worth less than an event: it is dropped itself when some of these wait.
    mutating func append(passing message: OutgoingMessage) {
        guard self.events.count < self.limits.passing else { return self.dropEvent() }
        self.events.append(message)
    }

    /// Takes an answer in; the oldest give way, and are returned.
    mutating func append(answer: Answer) -> [OutgoingMessage] {
        var answer = answer
        // No other answer is lost to one that could never go out.
        if answer.byteCount > self.limits.answerBytes { answer.message = answer.tooLarge }
        var lost: [OutgoingMessage] = []
        while let oldest = self.answers.first,
            self.answers.count >= self.limits.answers || self.answerBytes + answer.byteCount > self.limits.answerBytes
        {
            lost.append(oldest.message)
            _ = self.popAnswer()
            self.counts.droppedAnswers += 1
        }
        self.answers.append(answer)
        self.answerBytes += answer.byteCount
        return lost
    }

    mutating func popAnswer() -> Answer? {
        guard !self.answers.isEmpty else { return nil }
        let answer = self.answers.removeFirst()
        self.answerBytes -= answer.byteCount
        return answer
    }

    mutating func popEvent() -> OutgoingMessage? { self.events.isEmpty ? nil : self.events.removeFirst() }

    /// An event that could not even wait, or that the broker refused.
    mutating func dropEvent() { self.counts.droppedEvents += 1 }

    /// An answer that could not even wait, or that the broker refused.
    mutating func dropAnswer() { self.counts.droppedAnswers += 1 }

    /// Drops everything: the link is gone.
    mutating func dropAll() {
        self.counts.droppedEvents += self.events.count
        self.counts.droppedAnswers += self.answers.count
        (self.events, self.answers, self.answerBytes) = ([], [], 0)
    }
}

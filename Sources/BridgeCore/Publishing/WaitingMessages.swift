/// The answers and events that wait for room, each in a bounded queue, and the numbers of dropped ones.
struct WaitingMessages {
    /// An answer, and the short form that replaces it when it exceeds the broker's limit.
    struct Answer: Hashable {
        var message: OutgoingMessage
        var tooLarge: OutgoingMessage

        /// The size of the answer while it waits, in bytes.
        var byteCount: Int { self.message.packetSizeBound + self.tooLarge.packetSizeBound }
    }

    private(set) var counts = Publisher.Counts()
    private let limits: Publisher.Limits
    private var answers: [Answer] = []
    private var answerBytes = 0
    private var events: [OutgoingMessage] = []

    init(limits: Publisher.Limits) { self.limits = limits }

    var count: Int { self.answers.count + self.events.count }

    /// Queues an event; if necessary, the oldest one is dropped.
    mutating func append(event: OutgoingMessage) {
        if self.events.count >= self.limits.events {
            _ = self.popEvent()
            self.counts.droppedEvents += 1
        }
        self.events.append(event)
    }

    /// Queues a message with lower priority than events: it is dropped when too many of these wait.
    mutating func append(passing message: OutgoingMessage) {
        guard self.events.count < self.limits.passing else { return self.dropEvent() }
        self.events.append(message)
    }

    /// Queues an answer; if necessary, the oldest ones are dropped and returned.
    mutating func append(answer: Answer) -> [OutgoingMessage] {
        var answer = answer
        // No other answer may be lost to one that could never be sent.
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

    /// Counts an event that could not be queued, or that the broker refused.
    mutating func dropEvent() { self.counts.droppedEvents += 1 }

    /// Counts an answer that could not be queued, or that the broker refused.
    mutating func dropAnswer() { self.counts.droppedAnswers += 1 }

    /// Drops all answers, and all events unless these are kept, because the link ended.
    mutating func dropAll(keepingEvents: Bool) {
        self.counts.droppedAnswers += self.answers.count
        (self.answers, self.answerBytes) = ([], 0)
        guard !keepingEvents else { return }
        self.counts.droppedEvents += self.events.count
        self.events = []
    }
}

import NIOCore

/// Decides which questions a browser sends and which changes it reports. Does no I/O and owns no timer.
struct BrowseStateMachine {
    struct Query: Equatable {
        let link: InterfaceScope
        let questions: [Question]
        let knownAnswers: [ResourceRecord]
        /// Whether to request unicast answers from an ephemeral port as well.
        let isOneShotToo: Bool
    }

    struct Work {
        var changes: [ServiceChange] = []
        var queries: [Query] = []
    }

    private let browseQuestion: Question
    private var assembler: ServiceAssembler
    private var backoffs: [InterfaceScope: QueryBackoff] = [:]

    init(serviceType: DNSName, limits: Limits) {
        self.browseQuestion = Question(name: serviceType, type: .ptr)
        self.assembler = ServiceAssembler(serviceType: serviceType, limits: limits)
    }

    var serviceCount: Int { self.assembler.serviceCount }

    var oneShotQuestion: Question { Question(name: self.browseQuestion.name, type: .ptr, wantsUnicast: true) }

    /// A link is ready, for the first time or again: its questions start from the beginning.
    /// - Parameter hasMoved: whether the link may be in another network, so that the records received on it are in doubt.
    mutating func linkReady(_ scope: InterfaceScope, hasMoved: Bool, now: NIODeadline, random: (ClosedRange<Double>) -> Double) {
        self.assembler.addLink(scope)
        if hasMoved { self.assembler.doubtLink(scope, now: now) }
        let delay = TimeAmount.microseconds(Int64(random(QueryBackoff.firstDelayMilliseconds) * 1000))
        self.backoffs[scope] = QueryBackoff(now: now, firstDelay: delay)
    }

    mutating func linkRemoved(_ scope: InterfaceScope, now: NIODeadline) {
        self.assembler.removeLink(scope, now: now)
        self.backoffs[scope] = nil
    }

    mutating func receive(
        _ message: DNSMessage, on scope: InterfaceScope, isOneShot: Bool, now: NIODeadline, random: (ClosedRange<Double>) -> Double
    ) -> [ServiceChange] {
        self.assembler.receive(message, on: scope, isOneShot: isOneShot, now: now, random: random)
    }

    /// Performs what is due; call it at `nextDeadline`.
    mutating func advance(to now: NIODeadline) -> Work {
        let (changes, refreshes) = self.assembler.advance(to: now)
        let chases = self.assembler.dueChases(now: now)
        var work = Work(changes: changes)
        for scope in self.backoffs.keys.sorted() {
            let isBrowsing = self.backoffs[scope]?.fire(now: now) == true
            let wanted = (chases[scope] ?? []) + (refreshes[scope] ?? []) + (isBrowsing ? [self.browseQuestion] : [])
            var seen: Set<Question> = []
            let questions = wanted.filter { seen.insert($0).inserted }
            guard !questions.isEmpty else { continue }
            let asksForPointers = seen.contains(self.browseQuestion)
            // The question with known answers comes last, next to them.
            work.queries.append(
                Query(
                    link: scope, questions: questions.filter { $0 != self.browseQuestion } + (asksForPointers ? [self.browseQuestion] : []),
                    knownAnswers: asksForPointers ? self.assembler.knownAnswers(on: scope, now: now) : [],
                    isOneShotToo: isBrowsing && self.backoffs[scope]?.sent == 1))
        }
        return work
    }

    var nextDeadline: NIODeadline? {
        (self.backoffs.values.map(\.next) + [self.assembler.nextDeadline].compactMap { $0 }).min()
    }
}

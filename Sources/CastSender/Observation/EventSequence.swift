/// Transitions in the order in which they happened, none of them conflated.
///
/// A loop gets every event since the sequence was asked for. The newest are kept for it up to a bound; who falls further behind is told
/// with `missed` how many were lost, and should look at the present state. Any number of loops may run, also over copies; each has a
/// place of its own. A loop ends when its task is cancelled or the thing observed is gone, after its last event.
public struct EventSequence<Event: Sendable>: AsyncSequence, Sendable {
    /// What a loop gets: an event, or the number of those it missed.
    public enum Element: Sendable {
        case event(Event)
        /// So many events came faster than this loop took them, and are lost to it; at least 1.
        case missed(Int)
    }

    public typealias Failure = Never

    private let buffer: ObservationBuffer<Event>
    private let start: UInt64

    init(buffer: ObservationBuffer<Event>) {
        self.buffer = buffer
        self.start = buffer.end
    }

    public func makeAsyncIterator() -> Iterator { Iterator(buffer: self.buffer, place: self.start) }

    /// One loop's place in the sequence.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private let buffer: ObservationBuffer<Event>
        private var place: UInt64

        init(buffer: ObservationBuffer<Event>, place: UInt64) {
            self.buffer = buffer
            self.place = place
        }

        public mutating func next() async -> Element? { await self.next(isolation: nil) }

        /// What is there already; `nil` when there is nothing yet or any more.
        mutating func nextIfAny() -> Element? {
            switch self.buffer.read(&self.place) {
            case .element(let event): .event(event)
            case .missed(let count): .missed(count)
            case .finished, .nothingYet: nil
            }
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while !Task.isCancelled {
                switch self.buffer.read(&self.place) {
                case .element(let event): return .event(event)
                case .missed(let count): return .missed(count)
                case .finished: return nil
                case .nothingYet: await self.buffer.wait(at: self.place)
                }
            }
            return nil
        }
    }
}

extension EventSequence.Element: Equatable where Event: Equatable {}
extension EventSequence.Element: Hashable where Event: Hashable {}

/// Where events are told; each `sequence` begins when it is asked for.
struct EventSource<Event: Sendable>: Sendable {
    /// The events kept for slow readers, unless told otherwise.
    static var defaultCapacity: Int { 64 }

    private let buffer: ObservationBuffer<Event>

    /// - Parameter capacity: the most events kept, at least 1.
    init(capacity: Int = Self.defaultCapacity) { self.buffer = ObservationBuffer(capacity: capacity) }

    var sequence: EventSequence<Event> { EventSequence(buffer: self.buffer) }

    /// Tells every reader. Ignored after `finish`.
    func send(_ event: Event) { self.buffer.append(event) }

    /// Ends every loop once it has had the last event.
    func finish() { self.buffer.finish() }

    /// How many readers wait.
    var waiterCount: Int { self.buffer.waiterCount }
}

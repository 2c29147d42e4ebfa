/// Events in order of occurrence; none is conflated.
///
/// A loop receives every event since it obtained the sequence. A bounded number of the newest events is kept for it. A loop that falls
/// further behind receives `missed` with the number of lost events and should read the current state. Any number of loops may run, also
/// over copies; each has its own position. A loop ends after the last event when its task is cancelled or the observed object has ended.
public struct EventSequence<Event: Sendable>: AsyncSequence, Sendable {
    /// An element of a loop: an event, or the number of missed events.
    public enum Element: Sendable {
        case event(Event)
        /// The number of events that were lost because the loop was too slow; at least 1.
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

    /// The position of one loop in the sequence.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private let buffer: ObservationBuffer<Event>
        private var place: UInt64

        init(buffer: ObservationBuffer<Event>, place: UInt64) {
            self.buffer = buffer
            self.place = place
        }

        public mutating func next() async -> Element? { await self.next(isolation: nil) }

        /// Returns an element without waiting; `nil` when there is none.
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

/// The sending side of an event sequence; each `sequence` begins when it is obtained.
struct EventSource<Event: Sendable>: Sendable {
    /// The default number of events kept for slow readers.
    static var defaultCapacity: Int { 64 }

    private let buffer: ObservationBuffer<Event>

    /// - Parameter capacity: the largest number of kept events, at least 1.
    init(capacity: Int = Self.defaultCapacity) { self.buffer = ObservationBuffer(capacity: capacity) }

    var sequence: EventSequence<Event> { EventSequence(buffer: self.buffer) }

    /// Sends an event to every reader. Ignored after `finish`.
    func send(_ event: Event) { self.buffer.append(event) }

    /// Ends every loop after the last event.
    func finish() { self.buffer.finish() }

    /// The number of waiting readers.
    var waiterCount: Int { self.buffer.waiterCount }
}

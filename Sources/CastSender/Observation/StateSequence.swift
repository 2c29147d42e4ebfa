/// A state and its changes: every loop receives the current value at once and then each newer one.
///
/// A slow reader receives only the newest value, never a backlog. Any number of loops may run, also over copies; each has its own position.
/// A loop ends after the last value when its task is cancelled or the observed object has ended.
public struct StateSequence<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = Never

    private let buffer: ObservationBuffer<Value>

    init(buffer: ObservationBuffer<Value>) { self.buffer = buffer }

    public func makeAsyncIterator() -> Iterator { Iterator(buffer: self.buffer) }

    /// The position of one loop in the sequence.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private var values: EventSequence<Value>.Iterator

        init(buffer: ObservationBuffer<Value>) { self.values = .init(buffer: buffer, place: 0) }

        public mutating func next() async -> Value? { await self.next(isolation: nil) }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            while let element = await self.values.next(isolation: actor) { if case .event(let value) = element { return value } }
            return nil
        }
    }
}

/// The writing side of a state; readers use `sequence`.
struct StateSource<Value: Sendable>: Sendable {
    private let buffer = ObservationBuffer<Value>(capacity: 1)

    init(_ value: Value) { self.buffer.append(value) }

    var sequence: StateSequence<Value> { StateSequence(buffer: self.buffer) }

    /// The current value; present from the start.
    var newest: Value? { self.buffer.newest }

    /// Sets the value and notifies every reader. Ignored after `finish`.
    func set(_ value: Value) { self.buffer.append(value) }

    /// Sets the value and notifies every reader if it differs. For one writer at a time.
    func setIfChanged(_ value: Value) where Value: Equatable {
        if self.buffer.newest != value { self.buffer.append(value) }
    }

    /// Ends every loop after the last value.
    func finish() { self.buffer.finish() }

    /// The number of waiting readers.
    var waiterCount: Int { self.buffer.waiterCount }
}

/// A state and its changes, newest first: every loop over it gets the present value at once and then each newer one.
///
/// A slow reader gets only the newest value, never a queue of old ones. Any number of loops may run, also over copies; each has a
/// place of its own. A loop ends when its task is cancelled or the thing observed is gone, after its last value.
public struct StateSequence<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = Never

    private let buffer: ObservationBuffer<Value>

    init(buffer: ObservationBuffer<Value>) { self.buffer = buffer }

    public func makeAsyncIterator() -> Iterator { Iterator(buffer: self.buffer) }

    /// One loop's place in the sequence.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private let buffer: ObservationBuffer<Value>
        private var place: UInt64 = 0

        init(buffer: ObservationBuffer<Value>) { self.buffer = buffer }

        public mutating func next() async -> Value? { await self.next(isolation: nil) }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            while !Task.isCancelled {
                switch self.buffer.read(&self.place) {
                case .element(let value): return value
                case .missed: continue
                case .finished: return nil
                case .nothingYet: await self.buffer.wait(at: self.place)
                }
            }
            return nil
        }
    }
}

/// Where a state is kept and changed; `sequence` is what others read.
struct StateSource<Value: Sendable>: Sendable {
    private let buffer = ObservationBuffer<Value>(capacity: 1)

    init(_ value: Value) { self.buffer.append(value) }

    var sequence: StateSequence<Value> { StateSequence(buffer: self.buffer) }

    /// The present value; there is one from the start.
    var newest: Value? { self.buffer.newest }

    /// Tells every reader. Ignored after `finish`.
    func set(_ value: Value) { self.buffer.append(value) }

    /// Tells every reader unless nothing is new. For one writer at a time.
    func setIfChanged(_ value: Value) where Value: Equatable {
        if self.buffer.newest != value { self.buffer.append(value) }
    }

    /// Ends every loop once it has had the last value.
    func finish() { self.buffer.finish() }

    /// How many readers wait.
    var waiterCount: Int { self.buffer.waiterCount }
}

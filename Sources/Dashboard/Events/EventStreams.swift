import BridgeCore
import CastModels
import NIOCore

/// Decides what each open event stream sends next, who may open a stream, and which stream is cut off. Pure.
///
/// A stream stores the numbers of the last change and the last event that it sent, so a slow reader gets the newest values at once, and the
/// events after that number. Events are queued once for all streams. A stream that has not sent an event which is dropped ends, because its
/// reader relies on having all. Log lines are queued in each stream that wants them; the oldest are dropped.
struct EventStreams {
    struct Limits: Sendable {
        /// The most streams of one session, token or address. Browsers open at most six connections.
        var perKey = 4
        var streams = 256
        /// The most events that are queued.
        var events = 512
        /// The most log lines queued in a stream.
        var lines = 256
        /// The pause before a heartbeat on a stream that sends nothing else.
        var heartbeat = Duration.seconds(15)
        /// How long the connection may take to write one piece (`ResponseBodyWriter.writePieces`).
        var stall = Duration.seconds(20)

        init() {}
    }

    struct ID: Sendable, Hashable { fileprivate var number: UInt64 }

    /// The next step of a stream.
    enum Work {
        case snapshot
        case news(News, Private)
        case heartbeat
        /// Send nothing; ask again after `wake` or a change.
        case nothing
        /// The stream was cut off or has ended.
        case end
    }

    /// The part that all streams at the same numbers send.
    struct News: Hashable {
        /// Send what changed after this number; `nil` for no documents.
        var since: UInt64?
        /// The number of the first event to send.
        var firstEvent: UInt64
    }

    /// The part of one stream.
    struct Private: Equatable {
        /// The number of events and lines dropped before these.
        var missed = Missed()
        /// Oldest first.
        var lines = CircularBuffer<ByteBuffer>()
    }

    /// The number of events and log lines that a stream did not get.
    struct Missed: Equatable {
        var events = 0
        var lines = 0
    }

    private struct Stream {
        var key: String
        /// The last change that the reader received; `nil` for none.
        var sequence: UInt64?
        var logLevel: LogLevel?
        /// The number of the first event that it has not sent.
        var firstEvent: UInt64
        var own = Private()
        var hasBegun = false
        /// When the stream last sent something.
        var sentAt: Duration
        /// When the stream got work or wrote a piece of it; `nil` while it has nothing to send.
        var busySince: Duration?

        mutating func append(_ line: ByteBuffer, limit: Int) {
            if self.own.lines.count >= limit {
                self.own.lines.removeFirst()
                self.own.missed.lines += 1
            }
            self.own.lines.append(line)
        }
    }

    private let limits: Limits
    private var streams: [ID: Stream] = [:]
    private var nextNumber: UInt64 = 0
    /// The last events, oldest first.
    private var events = CircularBuffer<ByteBuffer>()
    private var nextEvent: UInt64 = 0

    init(limits: Limits = Limits()) { self.limits = limits }

    var count: Int { self.streams.count }
    var isEmpty: Bool { self.streams.isEmpty }

    /// The lowest log level that any stream wants; `nil` when none wants log lines.
    var logLevel: LogLevel? { self.streams.values.compactMap(\.logLevel).min() }

    /// Opens a stream.
    /// - Parameters:
    ///   - key: who reads it.
    ///   - sequence: the last change that the reader received; `nil` for none.
    /// - Returns: `nil` when there are too many.
    mutating func add(key: String, since sequence: UInt64?, logLevel: LogLevel?, now: Duration) -> ID? {
        guard self.streams.count < self.limits.streams, self.streams.values.count(where: { $0.key == key }) < self.limits.perKey else {
            return nil
        }
        self.nextNumber += 1
        let id = ID(number: self.nextNumber)
        self.streams[id] = Stream(
            key: key, sequence: sequence, logLevel: logLevel, firstEvent: self.nextEvent, sentAt: now, busySince: now)
        return id
    }

    mutating func remove(_ id: ID) {
        self.streams[id] = nil
        if self.streams.isEmpty { self.events = CircularBuffer() }
    }

    /// Queues events for every stream. A stream that is too far behind is cut off.
    mutating func queue(_ events: [ByteBuffer]) {
        guard !events.isEmpty, !self.streams.isEmpty else { return }
        self.forgetSent()
        self.events.append(contentsOf: events)
        self.nextEvent += UInt64(events.count)
        guard self.events.count > self.limits.events else { return }
        self.events.removeFirst(self.events.count - self.limits.events)
        for (id, stream) in self.streams where stream.firstEvent < self.oldestEvent { self.streams[id] = nil }
    }

    /// Removes the events that every stream has sent.
    private mutating func forgetSent() {
        let first = self.streams.values.map(\.firstEvent).min() ?? self.nextEvent
        self.events.removeFirst(Int(max(first, self.oldestEvent) - self.oldestEvent))
    }

    private var oldestEvent: UInt64 { self.nextEvent - UInt64(self.events.count) }

    /// The events from this number on, oldest first.
    func events(from number: UInt64) -> some Sequence<ByteBuffer> {
        self.events.suffix(Int(min(self.nextEvent - min(number, self.nextEvent), UInt64(self.events.count))))
    }

    /// Queues a log line for the streams that want its level. In a full queue it replaces the oldest line.
    mutating func queue(_ line: ByteBuffer, of level: LogLevel) {
        for id in Array(self.streams.keys) {
            guard let lowest = self.streams[id]?.logLevel, level >= lowest else { continue }
            self.streams[id]?.append(line, limit: self.limits.lines)
        }
    }

    /// Counts events and lines, of unknown levels, that were dropped before they reached the streams.
    mutating func missed(_ missed: Missed) {
        guard missed != Missed() else { return }
        for id in Array(self.streams.keys) {
            self.streams[id]?.own.missed.events += missed.events
            if self.streams[id]?.logLevel != nil { self.streams[id]?.own.missed.lines += missed.lines }
        }
    }

    /// Returns the next step of the stream. Its previous piece is written by then.
    /// - Parameter newest: the number of the newest change; `nil` while the documents are not known.
    mutating func next(_ id: ID, newest: UInt64?, canResume: (UInt64) -> Bool, now: Duration) -> Work {
        guard var stream = self.streams[id] else { return .end }
        defer { if self.streams[id] != nil { self.streams[id] = stream } }
        let work = self.work(&stream, newest: newest, canResume: canResume, now: now)
        if case .nothing = work {
            stream.busySince = nil
        } else {
            (stream.busySince, stream.sentAt, stream.hasBegun) = (now, now, true)
        }
        return work
    }

    /// Notes that a piece of what the stream sends was written.
    mutating func progressed(_ id: ID, now: Duration) {
        if self.streams[id]?.busySince != nil { self.streams[id]?.busySince = now }
    }

    private func work(_ stream: inout Stream, newest: UInt64?, canResume: (UInt64) -> Bool, now: Duration) -> Work {
        // Documents are sent before anything else.
        if let newest {
            var since: UInt64?
            if stream.sequence != newest {
                since = stream.sequence.flatMap { canResume($0) ? $0 : nil }
                stream.sequence = newest
                if since == nil { return .snapshot }
            }
            if since != nil || stream.firstEvent != self.nextEvent || stream.own != Private() {
                defer { (stream.firstEvent, stream.own) = (self.nextEvent, Private()) }
                return .news(News(since: since, firstEvent: stream.firstEvent), stream.own)
            }
        }
        // Also sent to a reader that misses nothing, so that it knows it is connected: some proxies never deliver anything.
        if newest != nil, !stream.hasBegun { return .heartbeat }
        return now - stream.sentAt >= self.limits.heartbeat ? .heartbeat : .nothing
    }

    /// Cuts off streams whose readers do not read.
    /// - Returns: the streams that were cut off.
    mutating func cutStalled(now: Duration) -> [ID] {
        let stalled = self.streams.filter { $0.value.busySince.map { now - $0 >= self.limits.stall } ?? false }.keys
        for id in stalled { self.streams[id] = nil }
        return Array(stalled)
    }

    /// Returns those of `known` that do not exist any more.
    func ended(among known: some Sequence<ID>) -> [ID] { known.filter { self.streams[$0] == nil } }
}

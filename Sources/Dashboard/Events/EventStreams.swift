import BridgeCore
import CastModels
import NIOCore

/// Decides what each open event stream sends next, who may open one, and who is cut off. Pure.
///
/// A stream remembers which change and which event it has sent, so a reader that is late gets the newest values at once, and the events from
/// there on. Events wait once for all streams. A stream that has not sent one which is dropped ends, because its reader relies on having all.
/// Lines of the log wait in each stream that wants them; of those the oldest go.
struct EventStreams {
    /// Bounds and times.
    struct Limits: Sendable {
        /// Streams of one session, token or address; a browser opens no more than six connections.
        var perKey = 4
        var streams = 256
        /// Events that wait for a stream.
        var events = 512
        /// Lines of the log that wait in a stream.
        var lines = 256
        /// Between two heartbeats of a stream on which nothing else is sent.
        var heartbeat = Duration.seconds(15)
        /// How long the connection may take for one piece of a write (`ResponseBodyWriter.writePieces`).
        var stall = Duration.seconds(20)

        init() {}
    }

    struct ID: Sendable, Hashable { fileprivate var number: UInt64 }

    /// What a stream sends now.
    enum Work {
        case snapshot
        case news(News, Private)
        case heartbeat
        /// Nothing; ask again after `wake` or a change.
        case nothing
        /// It was cut off or ended.
        case end
    }

    /// What all streams that are as far send.
    struct News: Hashable {
        /// What changed after this number; `nil`: no documents.
        var since: UInt64?
        /// The number of the first event to send.
        var firstEvent: UInt64
    }

    /// What one stream sends besides.
    struct Private: Equatable {
        /// What was dropped before.
        var missed = Missed()
        /// Oldest first.
        var lines = CircularBuffer<ByteBuffer>()
    }

    /// How many events and lines of the log a stream has not got.
    struct Missed: Equatable {
        var events = 0
        var lines = 0
    }

    private struct Stream {
        var key: String
        /// The change that its reader has; `nil`: none.
        var sequence: UInt64?
        var logLevel: LogLevel?
        /// The number of the first event that it has not sent.
        var firstEvent: UInt64
        var own = Private()
        var hasBegun = false
        /// When it last sent something.
        var sentAt: Duration
        /// When it got work or wrote a piece of it; `nil` while it waits for work.
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
    /// The number of the next event.
    private var nextEvent: UInt64 = 0

    init(limits: Limits = Limits()) { self.limits = limits }

    var count: Int { self.streams.count }
    var isEmpty: Bool { self.streams.isEmpty }

    /// The lowest level of the log that a stream wants; `nil`: none wants any.
    var logLevel: LogLevel? { self.streams.values.compactMap(\.logLevel).min() }

    /// Opens a stream.
    /// - Parameters:
    ///   - key: who reads it.
    ///   - sequence: the change that the reader has seen; `nil`: none.
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

    /// Queues events for every stream. A stream for which too many wait is cut off.
    mutating func queue(_ events: [ByteBuffer]) {
        guard !events.isEmpty, !self.streams.isEmpty else { return }
        self.forgetSent()
        self.events.append(contentsOf: events)
        self.nextEvent += UInt64(events.count)
        guard self.events.count > self.limits.events else { return }
        self.events.removeFirst(self.events.count - self.limits.events)
        for (id, stream) in self.streams where stream.firstEvent < self.oldestEvent { self.streams[id] = nil }
    }

    /// Forgets events that every stream has sent.
    private mutating func forgetSent() {
        let first = self.streams.values.map(\.firstEvent).min() ?? self.nextEvent
        self.events.removeFirst(Int(max(first, self.oldestEvent) - self.oldestEvent))
    }

    private var oldestEvent: UInt64 { self.nextEvent - UInt64(self.events.count) }

    /// The events from this number on, oldest first.
    func events(from number: UInt64) -> some Sequence<ByteBuffer> {
        self.events.suffix(Int(min(self.nextEvent - min(number, self.nextEvent), UInt64(self.events.count))))
    }

    /// Queues a line of the log for the streams that want its level. Where too many wait, it takes the place of the oldest.
    mutating func queue(_ line: ByteBuffer, of level: LogLevel) {
        for id in Array(self.streams.keys) {
            guard let lowest = self.streams[id]?.logLevel, level >= lowest else { continue }
            self.streams[id]?.append(line, limit: self.limits.lines)
        }
    }

    /// Events and lines, of unknown levels, were dropped before they came here.
    mutating func missed(_ missed: Missed) {
        guard missed != Missed() else { return }
        for id in Array(self.streams.keys) {
            self.streams[id]?.own.missed.events += missed.events
            if self.streams[id]?.logLevel != nil { self.streams[id]?.own.missed.lines += missed.lines }
        }
    }

    /// What the stream sends now, after what it got before is written.
    /// - Parameter newest: the last change; `nil` while the documents are not known.
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

    /// A piece of what the stream sends is written.
    mutating func progressed(_ id: ID, now: Duration) {
        if self.streams[id]?.busySince != nil { self.streams[id]?.busySince = now }
    }

    private func work(_ stream: inout Stream, newest: UInt64?, canResume: (UInt64) -> Bool, now: Duration) -> Work {
        // Nothing else goes before the documents.
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
        // A reader that has everything already learns that it is connected: behind some proxies nothing ever arrives.
        if newest != nil, !stream.hasBegun { return .heartbeat }
        return now - stream.sentAt >= self.limits.heartbeat ? .heartbeat : .nothing
    }

    /// Cuts streams off whose readers do not read.
    /// - Returns: those.
    mutating func cutStalled(now: Duration) -> [ID] {
        let stalled = self.streams.filter { $0.value.busySince.map { now - $0 >= self.limits.stall } ?? false }.keys
        for id in stalled { self.streams[id] = nil }
        return Array(stalled)
    }

    /// The streams that are not among `known` any more.
    func ended(among known: some Sequence<ID>) -> [ID] { known.filter { self.streams[$0] == nil } }
}

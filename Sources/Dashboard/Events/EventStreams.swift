import BridgeCore
import CastModels
import NIOCore

/// Decides what each open event stream sends next, who may open a stream, and which stream is cut off. Pure.
///
/// A stream stores the number of the last change that it sent, so a slow reader gets the newest values at once. Only events and log lines
/// are queued, in a queue of each stream. Too many events end the stream, because its reader relies on having all; of log lines the oldest
/// are dropped.
struct EventStreams {
    /// The limits of streams.
    struct Limits: Sendable {
        /// The most streams of one session, token or address. Browsers open at most six connections.
        var perKey = 4
        var streams = 256
        /// The most events queued in a stream.
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
        /// Send what changed after this number.
        case changes(since: UInt64)
        /// - Parameter missed: the number of events and lines dropped before these.
        case frames([ByteBuffer], missed: Missed)
        case heartbeat
        /// Send nothing; ask again after `wake` or a change.
        case nothing
        /// The stream was cut off or has ended.
        case end
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
        var events: [ByteBuffer] = []
        /// Oldest first.
        var lines = CircularBuffer<ByteBuffer>()
        var missed = Missed()
        var hasBegun = false
        /// When the stream last sent something.
        var sentAt: Duration
        /// When the stream got work or wrote a piece of it; `nil` while it has nothing to send.
        var busySince: Duration?

        mutating func append(_ line: ByteBuffer, limit: Int) {
            if self.lines.count >= limit {
                self.lines.removeFirst()
                self.missed.lines += 1
            }
            self.lines.append(line)
        }

        var hasFrames: Bool { !self.events.isEmpty || !self.lines.isEmpty || self.missed != Missed() }
    }

    private let limits: Limits
    private var streams: [ID: Stream] = [:]
    private var nextNumber: UInt64 = 0

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
        self.streams[id] = Stream(key: key, sequence: sequence, logLevel: logLevel, sentAt: now, busySince: now)
        return id
    }

    mutating func remove(_ id: ID) { self.streams[id] = nil }

    /// Queues an event for every stream. A stream whose queue is full is cut off.
    mutating func queue(_ event: ByteBuffer) {
        for id in Array(self.streams.keys) {
            guard let count = self.streams[id]?.events.count else { continue }
            if count >= self.limits.events { self.streams[id] = nil } else { self.streams[id]?.events.append(event) }
        }
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
            self.streams[id]?.missed.events += missed.events
            if self.streams[id]?.logLevel != nil { self.streams[id]?.missed.lines += missed.lines }
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
        if let newest, stream.sequence != newest {
            defer { stream.sequence = newest }
            if let sequence = stream.sequence, canResume(sequence) { return .changes(since: sequence) }
            return .snapshot
        }
        // Documents are sent before anything else.
        if newest != nil, stream.hasFrames {
            defer { (stream.events, stream.lines, stream.missed) = ([], CircularBuffer(), Missed()) }
            return .frames(stream.events + stream.lines, missed: stream.missed)
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

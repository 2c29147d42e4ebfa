import BridgeCore
import CastModels
import LogKeys
import Logging
import NIOCore
import ServiceLifecycle

/// Reads the bridge for all clients of the page: keeps the documents and feeds the event streams.
///
/// The bridge is watched while there is a reader and for `linger` afterwards, so that a page that reconnects misses nothing. Each change
/// is encoded once for all streams.
///
/// ```
///  BridgeWatch ─► DocumentVersions ─► EventStreams ─► one `next` for each stream ─► response body
/// ```
package actor EventHub: Service {
    /// How long the bridge is watched after the last reader has left.
    static let linger = Duration.seconds(60)

    private struct Connection {
        /// Returns whether the session that opened the stream is still valid.
        let isAdmitted: @Sendable () -> Bool
        /// Called when the stream is cut off.
        let close: @Sendable () -> Void
    }

    private let bridge: any BridgeAccess
    private let now: @Sendable () -> Duration
    private let logger: Logger
    private var versions: DocumentVersions
    private var streams: EventStreams
    /// Streams that wait for something to send.
    private var waiting: [EventStreams.ID: CheckedContinuation<Void, Never>] = [:]
    private var connections: [EventStreams.ID: Connection] = [:]
    /// Requests that wait for the documents.
    private var requests: [CheckedContinuation<Void, Never>] = []
    private var encoded = EncodedChanges()
    private var watch: (any BridgeWatch)?
    private var usedAt: Duration
    private var hasEnded = false
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    /// - Parameter now: reads a monotonic clock.
    package init(bridge: any BridgeAccess, logger: Logger, now: @escaping @Sendable () -> Duration = EventHub.uptime) {
        self.init(bridge: bridge, logger: logger, limits: EventStreams.Limits(), now: now)
    }

    init(bridge: any BridgeAccess, logger: Logger, limits: EventStreams.Limits, now: @escaping @Sendable () -> Duration) {
        self.bridge = bridge
        self.now = now
        self.logger = logger
        self.versions = DocumentVersions(boot: String(UInt64.random(in: .min ... .max), radix: 36))
        self.streams = EventStreams(limits: limits)
        self.usedAt = now()
        (self.wakes, self.wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    private static let start = ContinuousClock.now
    /// The approximate time since the start of the process.
    package static let uptime: @Sendable () -> Duration = { ContinuousClock.now - EventHub.start }

    // MARK: Running

    /// Watches the bridge whenever there is a reader, until the service group shuts down; then every stream ends.
    package func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in self.wakes { await self.watchWhileUsed() }
        }
        self.end()
    }

    private func watchWhileUsed() async {
        while !Task.isCancelled, self.isUsed {
            let watch = await self.bridge.watch()
            self.watch = watch
            watch.watchLog(from: self.streams.logLevel)
            await withTaskGroup { group in
                group.addTask {
                    while let changes = await watch.next() { await self.received(changes) }
                }
                group.addTask {
                    // Ends with the reader, or after `linger` without a reader.
                    while await self.tick(watch), (try? await Task.sleep(for: .seconds(1), tolerance: .milliseconds(250))) != nil {}
                    watch.end()
                }
                await group.next()
                group.cancelAll()
            }
            watch.end()
            self.watch = nil
            // The bridge ended the watch, because it stops or because this reader was too slow.
            if !Task.isCancelled, self.isUsed { try? await Task.sleep(for: .seconds(1)) }
        }
        self.versions.forget()
        self.encoded.removeAll()
    }

    private var isUsed: Bool { !self.streams.isEmpty || !self.requests.isEmpty || self.now() - self.usedAt < Self.linger }

    /// - Returns: whether to go on watching.
    private func tick(_ watch: any BridgeWatch) -> Bool {
        for id in self.streams.cutStalled(now: self.now()) {
            self.logger.debug("event stream cut off", metadata: [.reason: "reader does not read"])
            self.close(id)
        }
        for (id, connection) in self.connections where !connection.isAdmitted() {
            self.logger.debug("event stream cut off", metadata: [.reason: "session has ended"])
            self.streams.remove(id)
            self.close(id)
        }
        self.resumeAll()
        return self.isUsed
    }

    private func end() {
        self.hasEnded = true
        for id in self.connections.keys { self.streams.remove(id) }
        self.connections = [:]
        self.resumeAll()
        for request in self.requests { request.resume() }
        self.requests = []
    }

    // MARK: The bridge's side

    private func received(_ changes: BridgeChanges) {
        let former = self.versions.sequence
        self.versions.apply(changes)
        let hasChanged = self.versions.sequence != former
        if hasChanged || !changes.events.isEmpty { self.encoded.removeAll(withSnapshot: hasChanged) }
        self.streams.missed(EventStreams.Missed(events: changes.missedEvents, lines: changes.missedLogLines))
        self.streams.queue(changes.events.map { EventText.frame("event", data: EventText.event($0)) })
        for entry in changes.log { self.streams.queue(EventText.frame("log", data: entry.json), of: entry.line.level) }
        if self.versions.isWhole {
            for request in self.requests { request.resume() }
            self.requests = []
        }
        for id in self.streams.ended(among: self.connections.keys) {
            self.logger.debug("event stream cut off", metadata: [.reason: "too much waits"])
            self.close(id)
        }
        self.resumeAll()
    }

    private func resumeAll() {
        for continuation in self.waiting.values { continuation.resume() }
        self.waiting = [:]
    }

    // MARK: Documents

    /// Calls `body` with all documents, once they are known.
    /// - Throws: `not_ready` when the program stops.
    func documents<Result: Sendable>(_ body: @Sendable (DocumentVersions) -> Result) async throws(WebError) -> Result {
        self.use()
        if !self.versions.isWhole, !self.hasEnded {
            await withCheckedContinuation { self.requests.append($0) }
        }
        guard self.versions.isWhole else { throw .notReady }
        return body(self.versions)
    }

    /// Returns the body of `state`. It is encoded once for all clients, like the snapshots of streams.
    func state() async throws(WebError) -> ByteBuffer {
        try await self.documents { _ in }
        // The documents may have been forgotten in between.
        guard self.versions.isWhole else { throw .notReady }
        return self.snapshot().state
    }

    /// Returns the body of `changes`.
    /// - Parameter id: the id of the last change that the reader received; any other text gets all documents.
    func changes(since id: String?) async throws(WebError) -> [UInt8] {
        try await self.documents { versions in
            let changes = id.flatMap { versions.sequence(of: $0) }.flatMap { versions.changes(since: $0) }
            return EventText.changes(changes ?? versions.all, id: versions.id, isSnapshot: changes == nil)
        }
    }

    private func use() {
        self.usedAt = self.now()
        self.wake.yield()
    }

    // MARK: Streams

    /// Opens a stream.
    /// - Parameters:
    ///   - key: who reads it.
    ///   - id: the id of the last change that the reader received.
    ///   - isAdmitted: returns whether the reader is still allowed to read; called every second.
    ///   - close: closes the connection when the stream is cut off.
    /// - Throws: `rate_limited` when there are too many.
    func open(
        key: String, since id: String?, logLevel: LogLevel?, isAdmitted: @escaping @Sendable () -> Bool = { true },
        close: @escaping @Sendable () -> Void
    ) throws(WebError) -> EventStreams.ID {
        guard !self.hasEnded else { throw .notReady }
        self.use()
        let sequence = id.flatMap { self.versions.sequence(of: $0) }
        guard let stream = self.streams.add(key: key, since: sequence, logLevel: logLevel, now: self.now()) else {
            throw .rateLimited("Too many event streams are open; close one.", retryAfter: .seconds(15))
        }
        self.connections[stream] = Connection(isAdmitted: isAdmitted, close: close)
        self.watch?.watchLog(from: self.streams.logLevel)
        return stream
    }

    /// Waits for the next piece of a stream. The previous piece is written by then.
    /// - Returns: `nil` when the stream has ended.
    func next(_ id: EventStreams.ID) async -> ByteBuffer? {
        while true {
            let newest = self.versions.isWhole ? self.versions.sequence : nil
            let work = self.streams.next(id, newest: newest, canResume: { self.versions.knowsChanges(since: $0) }, now: self.now())
            switch work {
            case .snapshot: return self.snapshot().frame
            case .news(let news, let own):
                if own == EventStreams.Private() { return self.frames(of: news) }
                var frames = ByteBuffer()
                if own.missed != EventStreams.Missed() { frames = EventText.frame("missed", data: EventText.missed(own.missed)) }
                frames.writeImmutableBuffer(self.frames(of: news))
                for line in own.lines { frames.writeImmutableBuffer(line) }
                return frames
            case .heartbeat: return EventText.frame("hb", data: Array("{}".utf8))
            case .end: return nil
            case .nothing: await withCheckedContinuation { self.waiting[id] = $0 }
            }
        }
    }

    /// Notes that a piece of what `next` returned was written.
    func progressed(_ id: EventStreams.ID) { self.streams.progressed(id, now: self.now()) }

    /// Removes the stream, because its reader has disconnected.
    func leave(_ id: EventStreams.ID) {
        self.streams.remove(id)
        self.connections[id] = nil
        self.usedAt = self.now()
        self.waiting.removeValue(forKey: id)?.resume()
        self.watch?.watchLog(from: self.streams.logLevel)
    }

    package var streamCount: Int { self.streams.count }

    private func close(_ id: EventStreams.ID) {
        self.connections.removeValue(forKey: id)?.close()
        self.waiting.removeValue(forKey: id)?.resume()
    }

    private func snapshot() -> EventText.Snapshot {
        self.encoded.snapshot { EventText.Snapshot(self.versions.all, id: self.versions.id) }
    }

    private func frames(of news: EventStreams.News) -> ByteBuffer {
        if let frames = self.encoded[news] { return frames }
        var frames = ByteBuffer()
        if let since = news.since {
            let changes = self.versions.changes(since: since) ?? self.versions.all
            frames = EventText.changesFrame(changes, id: self.versions.id)
        }
        for event in self.streams.events(from: news.firstEvent) { frames.writeImmutableBuffer(event) }
        self.encoded.keep(frames, of: news)
        return frames
    }
}

extension WebError {
    static let notReady = WebError(.serviceUnavailable, "not_ready", "The bridge does not work yet, or is about to end.")
}

import BridgeCore
import CastSender
import EventLoopTiming
import LogKeys
import Logging
import NetworkReach

/// What played, what failed and which devices were offline, over restarts. Events wait in memory for five minutes, or until they are many.
final class EventHistory {
    /// The longest time that an event waits to be written.
    static let interval = Duration.seconds(300)
    /// So many are written at once: a large fleet has more in that time than may wait, and they take memory.
    static let batch = 256
    /// The events that wait while the disk takes none; the oldest go.
    static let waitingLimit = 1_000
    private static let textLimit = 300
    private static let patience = Duration.seconds(1)

    /// Forms an event when it is needed, because a status must not wait for it.
    private typealias Event = @Sendable () -> JSONObject?

    private let context: BridgeContext
    /// `nil` keeps nothing.
    private let file: HistoryFile?
    private var waiting: [Event] = []
    /// Those that are being written.
    private var leaving: [Event]?
    private var lastCleaning: MonotonicTime?
    private var hasFailed = false
    private var lastReading: Task<[JSONObject], Never>?
    private var ender: CheckedContinuation<Void, Never>?
    private lazy var deadline = self.context.loop.deadline { [weak self] in self?.isDue() }

    init(_ context: BridgeContext) {
        self.context = context
        let days = context.settings.historyDays
        self.file = days > 0 ? context.program.stateDirectory.map { HistoryFile(directory: $0, days: days) } : nil
        if days == 0 { context.program.stateDirectory?.remove(HistoryFile.name) }
    }

    func happened(_ event: PublishedEvent, on device: DeviceAgent, at time: Timestamp) {
        switch event.kind {
        case .mediaEnded, .loadFailed, .sessionEnded: break
        // Other changes of media end nothing.
        case .mediaChanged where event.facts["reason"] == "item": break
        default: return
        }
        let (slug, id, name) = (device.state.slug, JSONValue.string(device.id), JSONValue.string(device.state.device.friendlyName))
        self.note { [mapper = self.context.mapper] in
            (mapper.event(event, of: slug, at: time), ["id": id, "slug": .string(slug), "name": name])
        }
    }

    func happened(_ event: BridgeEvent, at time: Timestamp) {
        guard event.kind == .deviceOnline || event.kind == .deviceOffline else { return }
        self.note { [mapper = self.context.mapper] in (mapper.bridgeEvent(event, at: time), [:]) }
    }

    /// Reads the newest events, one reading after the other, since each takes the memory of the file.
    nonisolated(nonsending) func read(of device: String?, since: Timestamp, failed: Bool, limit: Int) async -> [JSONObject] {
        let (read, former) = (self.reading(of: device, since: since, failed: failed, limit: limit), self.lastReading)
        let reading = Task {
            _ = await former?.value
            return await Blocking.run(read) ?? []
        }
        self.lastReading = reading
        defer { if self.lastReading == reading { self.lastReading = nil } }
        return await reading.value
    }

    /// Returns a closure that reads the newest events from the disk, the newest first.
    /// - Parameters:
    ///   - device: an id or slug; `nil` for all devices.
    ///   - failed: whether only failures are returned.
    func reading(of device: String?, since: Timestamp, failed: Bool, limit: Int) -> @Sendable () -> [JSONObject] {
        guard let file else { return { [] } }
        let (waiting, now) = ((self.leaving ?? []) + self.waiting, self.context.now.wall)
        return {
            let start = max(since, file.start(now: now))
            func matches(_ event: JSONObject) -> Bool {
                guard let time = HistoryFile.time(event), time >= start else { return false }
                if failed, event["event_type"] != "load_failed", event["reason"] != "error", event["previous_reason"] != "error" {
                    return false
                }
                return device == nil || event["id"]?.stringValue == device || event["slug"]?.stringValue == device
            }
            let new = waiting.reversed().compactMap { $0() }.filter(matches)
            return Array((new + file.events(newest: limit, except: new, where: matches)).prefix(limit))
        }
    }

    private func note(_ form: @escaping @Sendable () -> (message: OutgoingMessage, about: JSONObject)) {
        guard self.file != nil else { return }
        if self.waiting.count >= Self.waitingLimit { self.waiting.removeFirst() }
        self.waiting.append { [redaction = self.context.settings.redaction] in
            let (message, about) = form()
            return Self.event(redaction.redacted(message).payload, about)
        }
        self.plan()
    }

    /// Many are written at once, unless the disk took none; others wait.
    private func plan() {
        guard self.leaving == nil, !self.waiting.isEmpty else { return }
        if self.waiting.count >= Self.batch, !self.hasFailed { return self.write() }
        if self.deadline.time == nil { self.deadline.set(self.context.time + Self.interval) }
    }

    /// Returns a message of MQTT as an object without levels, with the device that it is about.
    private static func event(_ payload: [UInt8], _ about: JSONObject) -> JSONObject? {
        guard let message = try? JSONParser.parse(payload), let time = message["ts"], let kind = message["event_type"] else { return nil }
        var event: JSONObject = ["ts": time, "event_type": kind]
        for member in about.members + (message["data"]?.objectValue?.members ?? []) where member.value != .null && member.key != "device" {
            event[member.key] = member.value.stringValue.map { .string($0.shortened(to: Self.textLimit)) } ?? member.value
        }
        return event
    }

    // MARK: The file

    private func isDue() {
        if let ender { return self.end(ender) }
        self.write()
    }

    private func write() {
        guard let file, self.leaving == nil, !self.waiting.isEmpty else { return }
        let (events, now) = (self.waiting, self.context.now)
        let cleans = self.lastCleaning.map { now.monotonic - $0 >= .seconds(86_400) } ?? true
        if cleans { self.lastCleaning = now.monotonic }
        (self.leaving, self.waiting) = (events, [])
        let done = self.context.loop.entrance { [weak self] (problem: StateDirectory.Problem?) in self?.wrote(problem) }
        let append: @Sendable () -> Void = {
            done(file.append(events.compactMap { $0() }, now: now.wall, removesOld: cleans))
        }
        if !DetachedThread.start("history", append) { append() }
    }

    private func wrote(_ problem: StateDirectory.Problem?) {
        if let problem {
            self.waiting = ((self.leaving ?? []) + self.waiting).suffix(Self.waitingLimit)
            self.context.logger.log(
                level: self.hasFailed ? .debug : .warning, "the history can't be kept on disk",
                metadata: [.file: "\(HistoryFile.name)", .reason: "\(problem.cause)", .remedy: "\(problem.remedy)"])
        }
        (self.leaving, self.hasFailed) = (nil, problem != nil)
        if let ender {
            // More happened while these were written.
            if problem == nil, !self.waiting.isEmpty { return self.write() }
            return self.end(ender)
        }
        self.plan()
    }

    /// Returns when everything is on disk, at the latest after a second.
    nonisolated(nonsending) func end() async {
        self.write()
        self.deadline.cancel()
        guard self.leaving != nil else { return }
        await withCheckedContinuation {
            self.ender = $0
            self.deadline.set(self.context.time + Self.patience)
        }
    }

    private func end(_ ender: CheckedContinuation<Void, Never>) {
        self.ender = nil
        self.deadline.cancel()
        ender.resume()
    }
}

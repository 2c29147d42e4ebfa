import BridgeCore
import CastModels
import Synchronization

/// A bridge whose documents a test changes.
final class ModelBridge: BridgeAccess {
    struct State {
        var documents: [String: String] = [
            "bridge/state": #""online""#, "bridge/devices": "[]", "tv/availability": #""online""#,
            "tv/info": #"{"schema":1,"id":"0123","aliases":["telly"]}"#, "tv/state": #"{"schema":1,"player":"idle"}"#,
        ]
        var watches: [ModelWatch] = []
        var begun = 0
        var commands: [String] = []
        /// Whether commands are answered; else they wait until they are cancelled.
        var answers = true
        var answer = DirectAnswer(code: .done, isError: false, body: Array(#"{"code":"done"}"#.utf8))
        var pictures: [String: Result<ArtworkPicture, ArtworkFailure>] = [:]
        var asked: [String] = []
        var log: [LogEntry] = []
        var histories: [String: LinkHistory] = [:]
    }

    private let state = Mutex(State())

    func set<T: Sendable>(_ change: (inout State) -> T) -> T { self.state.withLock { change(&$0) } }

    /// Watches that have not ended.
    var watches: [ModelWatch] { self.set { $0.watches.filter { !$0.hasEnded } } }

    func watch() async -> any BridgeWatch {
        self.set { state in
            let watch = ModelWatch(state.documents)
            state.watches.append(watch)
            state.begun += 1
            return watch
        }
    }

    /// Changes documents; `nil`: removed.
    func change(_ documents: [String: String?]) {
        for (topic, text) in documents { self.set { $0.documents[topic] = text } }
        let changes = documents.map { DocumentChange(topic: $0.key, value: $0.value.map { Array($0.utf8) }) }
        for watch in self.watches { watch.put { $0.put(changes) } }
    }

    func happen(_ topic: String, _ payload: String) {
        for watch in self.watches { watch.put { $0.put(DirectEvent(topic: topic, payload: Array(payload.utf8))) } }
    }

    func log(_ level: LogLevel, _ label: String, _ message: String) {
        let entry = LogEntry(line: LogLine(level: level, source: label, message: message), time: Timestamp(milliseconds: 0))
        self.set { $0.log.append(entry) }
        for watch in self.watches where watch.wants(level) { watch.put { $0.put(entry) } }
    }

    func perform(_ topic: String, payload: [UInt8], by caller: String) async -> DirectAnswer {
        let (answers, answer) = self.set { state in
            state.commands.append("\(topic) \(String(decoding: payload, as: UTF8.self))")
            return (state.answers, state.answer)
        }
        if !answers { try? await Task.sleep(for: .seconds(600)) }
        return answer
    }

    func artwork(of device: String, item: Int?, width: Int?) async -> Result<ArtworkPicture, ArtworkFailure> {
        self.set { state in
            state.asked.append("\(device) \(item.map { "\($0)" } ?? "-") \(width.map { "\($0)" } ?? "-")")
            return state.pictures[device] ?? .failure(.unknownDevice)
        }
    }

    func picture(of choice: MediaChoice) async -> Result<ArtworkPicture, ArtworkFailure> {
        self.set { state in
            state.asked.append("\(choice)")
            return state.pictures["\(choice)"] ?? .failure(.noArtwork)
        }
    }

    func linkHistory(of device: String) async -> LinkHistory? { self.set { $0.histories[device] } }

    func history(of device: String?, since: Timestamp, failed: Bool, limit: Int) async -> [JSONObject] {
        let event: JSONObject = [
            "ts": .string("2026-11-21T14:03:39.900Z"), "event_type": "load_failed", "id": "d1", "slug": "kitchen", "name": "Kitchen",
            "title": "A song", "content_id": "http://media.invalid/a.mp3", "code": "load_failed",
        ]
        return [Timestamp(rfc3339: "2026-11-21T14:03:39.900Z").map { $0 >= since } == true && device ?? "d1" == "d1" ? event : nil]
            .compactMap(\.self)
    }

    func logLines(from level: LogLevel, of component: GlobPattern?) -> [LogEntry] {
        self.set { $0.log }.filter { $0.matches(from: level, of: component) }
    }

    var configuration: JSONObject { ["mqtt": ["base": "cast2mqtt"]] }
}

final class ModelWatch: BridgeWatch {
    private struct State {
        var mailbox = ChangeMailbox()
        var level: LogLevel?
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init(_ documents: [String: String]) {
        (self.wakes, self.wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.put { mailbox in
            mailbox.put(documents.map { DocumentChange(topic: $0.key, value: Array($0.value.utf8)) })
            mailbox.complete()
        }
    }

    var hasEnded: Bool { self.state.withLock { $0.hasEnded } }

    func put(_ change: (inout ChangeMailbox) -> Void) {
        self.state.withLock { change(&$0.mailbox) }
        self.wake.yield()
    }

    func wants(_ level: LogLevel) -> Bool { self.state.withLock { $0.level.map { level >= $0 } ?? false } }

    func next() async -> BridgeChanges? {
        var wakes = self.wakes.makeAsyncIterator()
        while true {
            if let changes = self.state.withLock({ $0.mailbox.take() }) { return changes }
            guard await wakes.next() != nil else { return nil }
        }
    }

    func watchLog(from level: LogLevel?) { self.state.withLock { $0.level = level } }

    func end() {
        self.state.withLock { $0.hasEnded = true }
        self.wake.finish()
    }
}

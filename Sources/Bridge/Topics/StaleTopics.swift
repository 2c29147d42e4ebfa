import BridgeCore
import CastSender
import HomeAssistantDiscovery
import LogKeys
import Logging
import MQTTClient

/// Finds and clears stale retained topics: once per process those of earlier runs, and all stale ones on request of a client. Every ten
/// minutes it looks for documents that the broker has lost, which are sent again. One `RetainedScan` runs at a time.
final class StaleTopics {
    private static let maximumTopicsNamed = 500
    static let checkInterval = Duration.seconds(600)
    /// After it, what was sent again must have arrived.
    private static let checkAgainPause = Duration.seconds(10)

    private let context: BridgeContext
    private let connection: BrokerConnection
    private let publisher: PublisherRunner
    /// The topics of this run, which a scan must not clear, are below the slugs of these and among the topics of those.
    private let names: DeviceNames
    private let announcements: Announcements
    private let onCleaned: (CommandResult) -> Void
    private var scan: RetainedScan?
    private var completion: ((RetainedScan?) -> Void)?
    private lazy var deadline = self.context.loop.deadline { [weak self] in self?.wake() }
    private var isDueAtStart: Bool
    /// The findings, while the broker is asked to clear them.
    private var cleaning: Cleaning?
    private var isCleaningRequested = false
    private lazy var checkDeadline = self.context.loop.deadline { [weak self] in self?.check() }
    /// The documents that were lost and sent again. Those that are lost when they are checked again can't be read here.
    private var sentAgain: Set<String> = []
    private var unreadable: Set<String> = []

    private struct Cleaning {
        var found: Set<String>
        /// The data for the answer.
        var data: JSONObject
    }

    /// - Parameter onCleaned: receives the answer of each cleaning that `clean` began.
    init(
        _ context: BridgeContext, connection: BrokerConnection, publisher: PublisherRunner, names: DeviceNames,
        announcements: Announcements, onCleaned: @escaping (CommandResult) -> Void
    ) {
        self.context = context
        self.isDueAtStart = context.settings.topicOptions.cleansOnStart
        self.connection = connection
        self.publisher = publisher
        self.names = names
        self.announcements = announcements
        self.onCleaned = onCleaned
    }

    func linkDown() {
        (self.sentAgain, self.unreadable) = ([], [])
        self.checkDeadline.cancel()
        self.end()
        if self.isCleaningRequested { self.finish(CommandResult(.timeout, message: "The link to the broker broke meanwhile.")) }
    }

    /// Ends a scan without a result, because its findings do not apply to the next connection.
    func end() { self.end(nil) }

    // MARK: Lost documents

    /// Everything is published.
    func online() { self.checkDeadline.set(self.context.time + Self.checkInterval) }

    private func check() {
        self.checkDeadline.set(self.context.time + Self.checkInterval)
        guard self.scan == nil, self.connection.session?.limits.retainAvailable == true else { return }
        let retained = self.publisher.retained.filter {
            self.sentAgain.isEmpty ? !self.unreadable.contains($0) : self.sentAgain.contains($0)
        }
        self.begin(.checking(retained)) { [weak self] scan in if let self, let scan { self.checked(scan.missing) } }
    }

    private func checked(_ missing: Set<String>) {
        guard self.sentAgain.isEmpty else {
            self.unreadable.formUnion(missing)
            return self.sentAgain = []
        }
        guard !missing.isEmpty else { return }
        self.context.logger.notice("broker lost retained messages; sending them again", metadata: [.topics: "\(missing.count)"])
        self.sentAgain = missing
        self.checkDeadline.set(self.context.time + Self.checkAgainPause)
        self.publisher.vanished(missing)
    }

    // MARK: The scan

    /// Starts a scan; none may be running.
    /// - Parameter completion: receives the finished scan; `nil` when the broker refused it or the link was lost.
    private func begin(_ purpose: RetainedScan.Purpose, completion: @escaping (RetainedScan?) -> Void) {
        let settings = self.context.settings
        self.scan = RetainedScan(
            purpose, topics: settings.topics, instance: settings.instance, names: TopicMapper.retainedNames,
            evidence: AnnouncementEvidence(prefix: settings.homeAssistant.prefix, instance: settings.instance))
        self.completion = completion
        self.perform(self.scan?.begin() ?? .none)
    }

    /// - Returns: whether the message belongs to the scan alone.
    func received(_ message: IncomingMessage) -> Bool {
        guard message.retain, self.scan != nil else { return false }
        let isTaken = self.scan?.received(
            topic: message.topic, payload: message.payload, retain: true, isCommand: self.context.parser.isCommandTopic(message.topic),
            now: self.context.time)
        self.deadline.set(self.scan?.deadline)
        return isTaken ?? false
    }

    private func wake() {
        guard let former = self.scan?.topicFilters, let action = self.scan?.wake(now: self.context.time) else { return }
        guard action != .none else { return self.deadline.set(self.scan?.deadline) }
        if !former.isEmpty { self.connection.unsubscribe(former) }
        self.perform(action)
    }

    private func perform(_ action: RetainedScan.Action) {
        switch action {
        case .none: break
        case .askForCommands: self.subscribe(self.connection.commandSubscriptions(retainHandling: .send))
        case .subscribe(let filters):
            let qos: MQTTQoS = self.scan?.purpose == .cleaning ? .atLeastOnce : .atMostOnce
            self.subscribe(filters.map { MQTTSubscription(filter: $0, qos: qos, noLocal: true) })
        case .finished: self.end(self.scan)
        }
    }

    private func subscribe(_ filters: [MQTTSubscription]) {
        let isOptional = if case .checking = self.scan?.purpose { true } else { false }
        self.connection.subscribe(filters, isOptional: isOptional) { [weak self] outcome in
            guard let self, self.scan != nil else { return }
            guard case .acknowledged = outcome else { return self.end(nil) }
            self.scan?.subscribed(now: self.context.time)
            self.deadline.set(self.scan?.deadline)
        }
    }

    private func end(_ result: RetainedScan?) {
        let completion = self.completion
        (self.scan, self.completion) = (nil, nil)
        self.deadline.cancel()
        completion?(result)
    }

    // MARK: At the start

    func subscribed() {
        guard self.isDueAtStart, self.scan == nil else { return }
        guard self.connection.allowsWildcards else {
            self.isDueAtStart = false
            return
        }
        self.begin(.start) { [weak self] scan in
            // Without a result the scan is due again at the next connection.
            if let self, let scan { self.finishStart(scan) }
        }
    }

    private func finishStart(_ scan: RetainedScan) {
        self.isDueAtStart = false
        let findings = scan.findings(slugs: self.names.registry.allSlugs, announcements: self.announcements.topics)
        if !findings.announcements.isEmpty {
            self.context.logger.info("clearing announcements of an earlier run", metadata: [.topics: "\(findings.announcements.count)"])
            self.publisher.clear(findings.announcements)
        }
        for device in findings.documents {
            self.context.logger.info("clearing documents of an earlier run", metadata: [.device: "\(device.slug)"])
            self.publisher.clear(device.topics)
        }
        self.publisher.pump()
    }

    // MARK: On request

    /// Scans the whole broker, and clears the findings if `apply` is set. `onCleaned` receives the answer.
    /// - Returns: a refusal, when no scan begins; otherwise `nil`.
    func clean(apply: Bool) -> CommandResult? {
        guard self.connection.allowsWildcards else {
            return CommandResult(.notSupported, message: "The broker allows no wildcards, so nothing can be looked for.")
        }
        if let scan, case .checking = scan.purpose {
            self.connection.unsubscribe(scan.topicFilters)
            self.end()
        }
        guard self.scan == nil, !self.isCleaningRequested else {
            return CommandResult(.rateLimited, message: "Another search is still under way.")
        }
        self.isCleaningRequested = true
        self.begin(.cleaning) { [weak self] scan in
            guard let self, self.isCleaningRequested else { return }
            guard let scan else { return self.finish(CommandResult(.timeout, message: "The link to the broker broke meanwhile.")) }
            self.found(scan.findings(slugs: self.names.registry.allSlugs) { self.publisher.holds($0) }, apply: apply)
        }
        return nil
    }

    private func found(_ findings: RetainedScan.Findings, apply: Bool) {
        let documents = findings.documents.flatMap(\.topics)
        let named = findings.commands.map { ($0, "command") } + documents.map { ($0, "document") }
        let list = named.prefix(Self.maximumTopicsNamed).map { topic, kind in
            JSONValue.object(["topic": .string(topic), "kind": .string(kind)])
        }
        let topics = findings.commands + documents
        self.cleaning = Cleaning(found: Set(topics), data: ["found": .integer(Int64(topics.count)), "topics": .array(list)])
        guard apply, !topics.isEmpty else { return self.finishCleaning(isApplied: false, refused: []) }
        self.context.logger.notice("clearing stale topics on request", metadata: [.topics: "\(topics.count)"])
        self.publisher.clear(topics)
        self.publisher.schedulePump()
    }

    /// The broker has answered for all topics to clear, on request or at the start.
    func cleared(refused: Set<String>) { self.finishCleaning(isApplied: true, refused: refused) }

    private func finishCleaning(isApplied: Bool, refused: Set<String>) {
        guard let cleaning else { return }
        let kept = cleaning.found.intersection(refused).count
        var data = cleaning.data
        data.append("cleared", .bool(isApplied && kept == 0))
        data.append("refused", .integer(Int64(kept)))
        self.finish(.done(data))
    }

    private func finish(_ result: CommandResult) {
        self.cleaning = nil
        self.isCleaningRequested = false
        self.onCleaned(result)
    }
}

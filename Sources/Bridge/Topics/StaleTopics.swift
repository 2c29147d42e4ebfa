import BridgeCore
import CastSender
import HomeAssistantDiscovery
import Logging

/// What of this run must stay on the broker whatever a scan finds.
protocol TopicCensus: AnyObject {
    /// The slugs of all devices.
    var slugs: Set<String> { get }
    /// The topics of announcements that are in use or on record.
    var announcementTopics: Set<String> { get }
}

/// Finds and clears retained topics that should not be on the broker: once in a process those of earlier runs, and whatever is stale when a
/// client asks for it. One `RetainedScan` runs at a time.
final class StaleTopics {
    /// Most topics that an answer names.
    private static let maximumTopicsNamed = 500

    private let context: BridgeContext
    private let scanner: RetainedScanner
    private let connection: BrokerConnection
    private let publisher: PublisherRunner
    private unowned let census: any TopicCensus
    private let onCleaned: (CommandResult) -> Void
    /// Whether the search of the start is still to be done.
    private var isDueAtStart: Bool
    /// What was found, while the broker is asked to clear it.
    private var cleaning: Cleaning?
    private var isCleaningRequested = false

    private struct Cleaning {
        var found: Set<String>
        /// What the answer reports of it.
        var data: JSONObject
    }

    /// - Parameter onCleaned: gets the answer of each cleaning that `clean` began.
    init(
        _ context: BridgeContext, connection: BrokerConnection, publisher: PublisherRunner, census: any TopicCensus,
        onCleaned: @escaping (CommandResult) -> Void
    ) {
        self.context = context
        self.isDueAtStart = context.settings.topicOptions.cleansOnStart
        self.scanner = RetainedScanner(context, connection: connection)
        self.connection = connection
        self.publisher = publisher
        self.census = census
        self.onCleaned = onCleaned
    }

    /// - Returns: whether the message belongs to a search alone.
    func received(_ message: IncomingMessage) -> Bool { self.scanner.received(message) }

    func linkDown() {
        self.scanner.abandon()
        if self.isCleaningRequested { self.finish(CommandResult(.timeout, message: "The link to the broker broke meanwhile.")) }
    }

    func end() { self.scanner.abandon() }

    private func scan(_ purpose: RetainedScan.Purpose) -> RetainedScan {
        let settings = self.context.settings
        return RetainedScan(
            purpose, topics: settings.topics, instance: settings.instance, names: TopicMapper.retainedNames,
            evidence: AnnouncementEvidence(prefix: settings.homeAssistant.prefix, instance: settings.instance))
    }

    // MARK: At the start

    func subscribed() {
        guard self.isDueAtStart, !self.scanner.isRunning else { return }
        guard self.connection.allowsWildcards else {
            self.isDueAtStart = false
            return
        }
        self.scanner.begin(self.scan(.start)) { [weak self] scan in
            // Without a result the search is still due at the next connection.
            if let self, let scan { self.finishStart(scan) }
        }
    }

    private func finishStart(_ scan: RetainedScan) {
        self.isDueAtStart = false
        let findings = scan.findings(slugs: self.census.slugs, announcements: self.census.announcementTopics)
        if !findings.announcements.isEmpty {
            self.context.logger.info("clearing announcements of an earlier run", metadata: ["topics": "\(findings.announcements.count)"])
            self.publisher.clear(findings.announcements)
        }
        for device in findings.documents {
            self.context.logger.info("clearing documents of an earlier run", metadata: ["device": "\(device.slug)"])
            self.publisher.clear(device.topics)
        }
        self.publisher.pump()
    }

    // MARK: On request

    /// Searches the whole broker, and clears what it finds if `apply` says so. `onCleaned` gets the answer.
    /// - Returns: a refusal, when no search begins.
    func clean(apply: Bool) -> CommandResult? {
        guard self.connection.allowsWildcards else {
            return CommandResult(.notSupported, message: "The broker allows no wildcards, so nothing can be looked for.")
        }
        guard !self.scanner.isRunning, !self.isCleaningRequested else {
            return CommandResult(.rateLimited, message: "Another search is still under way.")
        }
        self.isCleaningRequested = true
        self.scanner.begin(self.scan(.cleaning)) { [weak self] scan in
            guard let self, self.isCleaningRequested else { return }
            guard let scan else { return self.finish(CommandResult(.timeout, message: "The link to the broker broke meanwhile.")) }
            self.found(scan.findings(slugs: self.census.slugs) { self.publisher.holds($0) }, apply: apply)
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
        self.context.logger.notice("clearing stale topics on request", metadata: ["topics": "\(topics.count)"])
        self.publisher.clear(topics)
        self.publisher.schedulePump()
    }

    /// The broker has answered for all that was to be cleared, on request or at the start.
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

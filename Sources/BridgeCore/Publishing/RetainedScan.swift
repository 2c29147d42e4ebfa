import CastModels

/// Detects retained messages outside the topic tree that this instance published.
public protocol RetainedEvidence: Sendable {
    /// The topic filter of such messages.
    var topicFilter: String { get }
    /// Returns whether this instance published the message; `nil` when the topic does not match the filter.
    func isOurs(topic: String, payload: [UInt8]) -> Bool?
}

/// Scans the retained messages of the broker for stale ones, or for lost ones. Does no I/O and owns no timer.
///
/// A scan subscribes in steps, collects each step's messages until the broker is silent, and decides at the end. Only evidence counts: an
/// `info` with a schema, its own slug and our instance, or a message that a `RetainedEvidence` detects.
///
/// ```
///  idle ─begin─► subscribing ─subscribed─► listening ─wake, silence or limit─► next step, or finished
/// ```
public struct RetainedScan: Sendable {
    /// The longest duration of a step.
    public static let longest = Duration.seconds(10)

    public enum Purpose: Sendable, Hashable {
        /// Finds the topics of an earlier run for devices that are unknown now, also when the record is lost: one step with few topics of
        /// each device.
        case start
        /// Finds all topics that no device of this run publishes, and retained commands: one step for each document, so that no filter
        /// overlaps with another and no message arrives twice.
        case cleaning
        /// Finds which of these topics are no longer retained: in steps of a few topics by name, which also a broker with a small packet
        /// limit accepts, and which delay no status.
        case checking([String])

        /// The silence that ends a step.
        public var silence: Duration { self == .start ? .seconds(2) : .seconds(1) }
        /// The largest number of scanned items: at the start slugs and namespace states, each; for cleaning topics.
        public var limit: Int { self == .start ? 10_000 : 50_000 }
    }

    public enum Action: Sendable, Hashable {
        case none
        /// Subscribe as for commands, but let the broker send retained messages, and call `subscribed`.
        case askForCommands
        /// Subscribe to these filters, call `subscribed`, and unsubscribe at the next action.
        case subscribe([String])
        /// Read `findings`.
        case finished
    }

    /// Retained topics that should not be on the broker.
    public struct Findings: Sendable, Hashable {
        /// Retained commands, which the bridge never executes.
        public var commands: [String] = []
        /// Announcements that belong to no device of this run.
        public var announcements: [String] = []
        /// Documents that are no longer updated.
        public var documents: [StaleDocuments] = []

        public var isEmpty: Bool { self.commands.isEmpty && self.announcements.isEmpty && self.documents.isEmpty }
    }

    /// The stale documents below one slug.
    public struct StaleDocuments: Sendable, Hashable {
        public var slug: String
        /// The topics in clearing order, `availability` last.
        public var topics: [String]
    }

    private enum State: Hashable {
        case idle
        case subscribing(step: Int)
        case listening(step: Int, since: MonotonicTime, lastReceived: MonotonicTime)
        case finished
    }

    public let purpose: Purpose
    private let tree: TopicTree
    private let instance: String
    private let evidence: (any RetainedEvidence)?
    /// Every name below a slug under which a document may be retained.
    private let names: [String]
    /// The filters of each step; an empty list asks for commands.
    private let steps: [[String]]
    private var state = State.idle
    private var commands: Set<String> = []
    private var announcements: Set<String> = []
    /// The names that were found below each slug.
    private var documents: [String: Set<String>] = [:]
    private var count = 0
    /// The number of namespace states among `documents`; a slug may have any number of them.
    private var channelStateCount = 0
    /// The slugs whose `info` has our schema and our instance.
    private var ours: Set<String> = []
    /// The checked topics that were not received.
    public private(set) var missing: Set<String> = []
    /// The number of them in the current step.
    private var missingInStep = 0

    /// The number of topics in a step of a check, and the pause after a complete step.
    private static let checkedAtOnce = 10
    private static let checkPause = Duration.milliseconds(50)
    /// After this many steps without any message a check ends: the broker has lost everything.
    private static let fruitlessSteps = 10

    private static let startNames = ["availability", "state", "info"]

    /// - Parameters:
    ///   - names: every name below a slug under which a document may be retained, such as `state` or `status/volume`.
    ///   - evidence: detects announcements; used at the start only.
    public init(
        _ purpose: Purpose, topics tree: TopicTree, instance: String, names: [String], evidence: (any RetainedEvidence)? = nil
    ) {
        self.purpose = purpose
        self.tree = tree
        self.instance = instance
        self.names = names
        switch purpose {
        case .start:
            self.evidence = evidence
            self.steps = [
                Self.startNames.map { tree.device("+", $0) } + [tree.channelStates] + (evidence.map { [$0.topicFilter] } ?? [])
            ]
        case .cleaning:
            self.evidence = nil
            let plain = names.filter { !$0.contains("/") }.map { [tree.device("+", $0)] }
            let folders = Set(names.compactMap { name in name.firstIndex(of: "/").map { String(name[..<$0]) } })
            self.steps = [[]] + plain + folders.sorted().map { [tree.device("+", "\($0)/+")] } + [[tree.channelStates]]
        case .checking(let topics):
            self.evidence = nil
            self.missing = Set(topics)
            self.steps = stride(from: 0, to: topics.count, by: Self.checkedAtOnce).map { Array(topics[$0...].prefix(Self.checkedAtOnce)) }
        }
    }

    /// The filters of the current step; empty while the scan requests commands.
    public var topicFilters: [String] {
        switch self.state {
        case .idle, .finished: []
        case .subscribing(let step), .listening(let step, _, _): self.steps[step]
        }
    }

    /// Returns the first action. A scan runs once; after a lost link the caller creates a new one.
    public mutating func begin() -> Action {
        guard self.state == .idle else { return .none }
        return self.enter(0)
    }

    /// Handles the acknowledgement of the step's subscriptions.
    public mutating func subscribed(now: MonotonicTime) {
        guard case .subscribing(let step) = self.state else { return }
        self.state = .listening(step: step, since: now, lastReceived: now)
    }

    /// Handles a message; only messages with the retain flag count.
    /// - Parameter isCommand: whether its topic is a command topic.
    /// - Returns: whether the message belongs to the scan alone.
    public mutating func received(topic: String, payload: [UInt8], retain: Bool, isCommand: Bool, now: MonotonicTime) -> Bool {
        guard retain else { return false }
        switch self.purpose {
        case .start: return self.receivedAtStart(topic, payload, now)
        case .cleaning: return self.receivedWhenCleaning(topic, payload, isCommand: isCommand, now)
        case .checking:
            if !payload.isEmpty, self.missing.remove(topic) != nil { self.missingInStep -= 1 }
            if case .listening(let step, let since, _) = self.state { self.state = .listening(step: step, since: since, lastReceived: now) }
            return false
        }
    }

    /// When to call `wake`; `nil` while the broker has not acknowledged a subscription.
    public var deadline: MonotonicTime? {
        guard case .listening(_, let since, let lastReceived) = self.state else { return nil }
        if case .checking = self.purpose, self.missingInStep == 0 { return lastReceived + Self.checkPause }
        return min(since + Self.longest, lastReceived + self.purpose.silence)
    }

    public mutating func wake(now: MonotonicTime) -> Action {
        guard case .listening(let step, _, _) = self.state, let deadline, deadline <= now else { return .none }
        return self.enter(step + 1)
    }

    /// Returns the result of the scan.
    /// - Parameters:
    ///   - slugs: the slugs of all devices known at this moment.
    ///   - announcements: the topics of announcements that are in use or recorded.
    ///   - isHeld: returns whether a document of this run is on the broker at a topic.
    public func findings(slugs: Set<String>, announcements: Set<String> = [], isHeld: (String) -> Bool = { _ in false }) -> Findings {
        var findings = Findings(
            commands: self.commands.sorted(), announcements: self.announcements.subtracting(announcements).sorted())
        for (slug, seen) in self.documents.sorted(by: { $0.key < $1.key }) {
            let isOurs = self.ours.contains(slug)
            var names = seen
            switch self.purpose {
            case .start:
                guard isOurs, !slugs.contains(slug) else { continue }
                names.formUnion(self.names + ["availability"])
            case .cleaning, .checking: guard isOurs || slugs.contains(slug) else { continue }
            }
            let topics = TopicTree.clearingOrder(names.map { self.tree.device(slug, $0) }).filter { !isHeld($0) }
            if !topics.isEmpty { findings.documents.append(StaleDocuments(slug: slug, topics: topics)) }
        }
        return findings
    }

    private mutating func enter(_ step: Int) -> Action {
        if case .checking(let topics) = self.purpose, step == Self.fruitlessSteps, self.missing.count == topics.count {
            return self.enter(self.steps.count)
        }
        guard step < self.steps.count else {
            self.state = .finished
            return .finished
        }
        self.state = .subscribing(step: step)
        self.missingInStep = self.steps[step].count
        return self.steps[step].isEmpty ? .askForCommands : .subscribe(self.steps[step])
    }

    /// Handles a message of the scan at start. Messages before the acknowledgement are ignored, because another subscription may have
    /// caused them.
    private mutating func receivedAtStart(_ topic: String, _ payload: [UInt8], _ now: MonotonicTime) -> Bool {
        guard case .listening(let step, let since, _) = self.state else { return false }
        if let isOurs = self.evidence?.isOurs(topic: topic, payload: payload) {
            if isOurs, self.announcements.count < self.purpose.limit { self.announcements.insert(topic) }
        } else {
            guard !payload.isEmpty, let (slug, name) = self.tree.deviceDocument(topic),
                Self.startNames.contains(name) || self.channelStateCount < self.purpose.limit && TopicTree.isChannelState(name),
                self.documents[slug] != nil || self.documents.count < self.purpose.limit
            else { return false }
            self.take(slug, name, payload)
        }
        self.state = .listening(step: step, since: since, lastReceived: now)
        return false
    }

    private mutating func receivedWhenCleaning(_ topic: String, _ payload: [UInt8], isCommand: Bool, _ now: MonotonicTime) -> Bool {
        let step: Int
        switch self.state {
        case .subscribing(let present): step = present
        case .listening(let present, let since, _):
            step = present
            self.state = .listening(step: present, since: since, lastReceived: now)
        case .idle, .finished: return false
        }
        guard !payload.isEmpty, self.count < self.purpose.limit else { return true }
        if isCommand {
            if self.commands.insert(topic).inserted { self.count += 1 }
            return true
        }
        guard step > 0, let (slug, name) = self.tree.deviceDocument(topic) else { return false }
        // Bridges publish only states of valid namespaces.
        if !name.hasPrefix("ns/") || TopicTree.isChannelState(name) { self.take(slug, name, payload) }
        return true
    }

    private mutating func take(_ slug: String, _ name: String, _ payload: [UInt8]) {
        if self.documents[slug, default: []].insert(name).inserted {
            self.count += 1
            if name.hasPrefix("ns/") { self.channelStateCount += 1 }
        }
        guard name == "info", let info = try? JSONParser.parse(payload), info["schema"]?.intValue != nil else { return }
        if info["slug"]?.stringValue == slug, info["instance"]?.stringValue == self.instance { self.ours.insert(slug) }
    }
}

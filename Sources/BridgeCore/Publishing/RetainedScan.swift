import CastModels

/// Recognises retained messages outside the topic tree as published by this instance.
package protocol RetainedEvidence: Sendable {
    /// The filter to which such messages belong.
    var topicFilter: String { get }
    /// Whether this instance published the message; `nil` when the topic does not match the filter.
    func isOurs(topic: String, payload: [UInt8]) -> Bool?
}

/// Looks at what the broker retains and finds what should not be there. Does no I/O and owns no timer.
///
/// A scan subscribes in steps, collects each step's messages until the broker is silent, and decides at the end. Only evidence counts: an
/// `info` with a schema, its own slug and our instance, or what a `RetainedEvidence` recognises.
///
/// ```
///  idle ─begin─► subscribing ─subscribed─► listening ─wake, silence or limit─► next step, or finished
/// ```
package struct RetainedScan: Sendable {
    /// A step ends after this time in any case.
    package static let longest = Duration.seconds(10)

    /// What a scan looks for.
    package enum Purpose: Sendable, Hashable {
        /// What an earlier run left of devices that are unknown now, also when the record is lost: one step with few topics of each device.
        case start
        /// Everything that no device of this run publishes, and retained commands: each document in a step of its own, so that no filter
        /// overlaps with another and no message comes twice.
        case cleaning

        /// A step ends after this much silence.
        package var silence: Duration { self == .start ? .seconds(2) : .seconds(1) }
        /// The limit of what is looked at: slugs and states of namespaces, each, at the start; topics when cleaning.
        package var limit: Int { self == .start ? 10_000 : 50_000 }
    }

    /// What the caller must do next.
    package enum Action: Sendable, Hashable {
        case none
        /// Subscribe as for commands, but have the broker send what it retains, and call `subscribed`.
        case askForCommands
        /// Subscribe to these filters, call `subscribed`, and unsubscribe at the next action.
        case subscribe([String])
        /// Read `findings`.
        case finished
    }

    /// Retained topics that should not be on the broker.
    package struct Findings: Sendable, Hashable {
        /// Retained commands, which the bridge never obeys.
        package var commands: [String] = []
        /// Announcements that no device of this run needs.
        package var announcements: [String] = []
        /// Documents that nothing keeps up to date.
        package var documents: [StaleDocuments] = []

        package var isEmpty: Bool { self.commands.isEmpty && self.announcements.isEmpty && self.documents.isEmpty }
    }

    /// Documents below one slug that should not be on the broker.
    package struct StaleDocuments: Sendable, Hashable {
        package var slug: String
        /// In the order in which to clear them, `availability` last.
        package var topics: [String]
    }

    private enum State: Hashable {
        case idle
        case subscribing(step: Int)
        case listening(step: Int, since: MonotonicTime, lastReceived: MonotonicTime)
        case finished
    }

    package let purpose: Purpose
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
    /// The names that were seen below each slug.
    private var documents: [String: Set<String>] = [:]
    /// How many topics were taken in.
    private var count = 0
    /// How many of `documents` are states of namespaces: a slug may have any number of them.
    private var channelStateCount = 0
    /// Slugs whose `info` carries our schema and our instance.
    private var ours: Set<String> = []

    private static let startNames = ["availability", "state", "info"]

    /// - Parameters:
    ///   - names: every name below a slug under which a document may be retained, such as `state` or `status/volume`.
    ///   - evidence: recognises announcements; looked for at the start only.
    package init(
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
        }
    }

    /// The filters of the present step; empty while the scan asks for commands.
    package var topicFilters: [String] {
        switch self.state {
        case .idle, .finished: []
        case .subscribing(let step), .listening(let step, _, _): self.steps[step]
        }
    }

    /// Begins with the first step. A scan runs once; after the link is lost the caller makes a new one.
    package mutating func begin() -> Action {
        guard self.state == .idle else { return .none }
        return self.enter(0)
    }

    /// The subscriptions of the step are acknowledged.
    package mutating func subscribed(now: MonotonicTime) {
        guard case .subscribing(let step) = self.state else { return }
        self.state = .listening(step: step, since: now, lastReceived: now)
    }

    /// A message arrived; only those with the retain flag count.
    /// - Parameter isCommand: whether its topic is one of a command.
    /// - Returns: whether the message belongs to the scan alone.
    package mutating func received(topic: String, payload: [UInt8], retain: Bool, isCommand: Bool, now: MonotonicTime) -> Bool {
        guard retain else { return false }
        switch self.purpose {
        case .start: return self.receivedAtStart(topic, payload, now)
        case .cleaning: return self.receivedWhenCleaning(topic, payload, isCommand: isCommand, now)
        }
    }

    /// When to call `wake`; `nil` while the broker has not acknowledged a subscription.
    package var deadline: MonotonicTime? {
        guard case .listening(_, let since, let lastReceived) = self.state else { return nil }
        return min(since + Self.longest, lastReceived + self.purpose.silence)
    }

    /// Ends the step if its time has come.
    package mutating func wake(now: MonotonicTime) -> Action {
        guard case .listening(let step, _, _) = self.state, let deadline, deadline <= now else { return .none }
        return self.enter(step + 1)
    }

    /// What the scan found.
    /// - Parameters:
    ///   - slugs: of every device that is known at this moment.
    ///   - announcements: topics of announcements that are in use or on record.
    ///   - isHeld: whether a document of this run is on the broker at a topic.
    package func findings(slugs: Set<String>, announcements: Set<String> = [], isHeld: (String) -> Bool = { _ in false }) -> Findings {
        var findings = Findings(
            commands: self.commands.sorted(), announcements: self.announcements.subtracting(announcements).sorted())
        for (slug, seen) in self.documents.sorted(by: { $0.key < $1.key }) {
            let isOurs = self.ours.contains(slug)
            var names = seen
            switch self.purpose {
            case .start:
                guard isOurs, !slugs.contains(slug) else { continue }
                names.formUnion(self.names + ["availability"])
            case .cleaning: guard isOurs || slugs.contains(slug) else { continue }
            }
            let topics = TopicTree.clearingOrder(names.map { self.tree.device(slug, $0) }).filter { !isHeld($0) }
            if !topics.isEmpty { findings.documents.append(StaleDocuments(slug: slug, topics: topics)) }
        }
        return findings
    }

    private mutating func enter(_ step: Int) -> Action {
        guard step < self.steps.count else {
            self.state = .finished
            return .finished
        }
        self.state = .subscribing(step: step)
        return self.steps[step].isEmpty ? .askForCommands : .subscribe(self.steps[step])
    }

    /// Nothing that arrives before the acknowledgement counts: it may be from another subscription.
    private mutating func receivedAtStart(_ topic: String, _ payload: [UInt8], _ now: MonotonicTime) -> Bool {
        guard case .listening(let step, let since, _) = self.state else { return false }
        if let isOurs = self.evidence?.isOurs(topic: topic, payload: payload) {
            if isOurs, self.announcements.count < self.purpose.limit { self.announcements.insert(topic) }
        } else {
            guard !payload.isEmpty, let (slug, name) = self.tree.deviceDocument(topic),
                Self.startNames.contains(name) || self.mayTakeChannelState(name),
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
        // No bridge publishes states of other namespaces than valid ones.
        if !name.hasPrefix("ns/") || TopicTree.isChannelState(name) { self.take(slug, name, payload) }
        return true
    }

    private func mayTakeChannelState(_ name: String) -> Bool {
        self.channelStateCount < self.purpose.limit && TopicTree.isChannelState(name)
    }

    private mutating func take(_ slug: String, _ name: String, _ payload: [UInt8]) {
        if self.documents[slug, default: []].insert(name).inserted {
            self.count += 1
            if name.hasPrefix("ns/") { self.channelStateCount += 1 }
        }
        if self.provesOurs(name, payload, slug) { self.ours.insert(slug) }
    }

    private func provesOurs(_ name: String, _ payload: [UInt8], _ slug: String) -> Bool {
        guard name == "info", let info = try? JSONParser.parse(payload), info["schema"]?.intValue != nil else { return false }
        return info["slug"]?.stringValue == slug && info["instance"]?.stringValue == self.instance
    }
}

import CastModels

/// Looks over the whole broker for what should not be there: retained commands, and documents of this instance that it does not want.
///
/// Goes through its topic filters in steps, so that no message arrives twice. Does no I/O and owns no timer.
public struct LeftoverSearch: Sendable {
    /// A step ends after this much silence …
    public static let silence = Duration.seconds(1)
    /// … and after this in any case.
    public static let longest = Duration.seconds(10)
    /// Most topics that are looked at.
    public static let maximumTopics = 50_000

    /// What the owner must do next.
    public enum Action: Sendable, Hashable {
        case none
        /// Subscribe as for commands, but have the broker send what it keeps, and call `subscribed`.
        case askForCommands
        /// Subscribe to these, call `subscribed`, and unsubscribe with the next action.
        case subscribe([String])
        /// Ask for `leftovers`.
        case finished
    }

    /// Something that should not be on the broker.
    public struct Leftover: Sendable, Hashable {
        public enum Kind: String, Sendable, Hashable {
            /// A command with the retain flag, which nobody will ever obey.
            case command
            /// A document that nobody keeps up to date.
            case document
        }

        public var topic: String
        public var kind: Kind
    }

    private enum State: Hashable {
        case idle
        case subscribing(step: Int)
        case listening(step: Int, since: MonotonicTime, lastHeard: MonotonicTime)
        case finished
    }

    private let topics: TopicTree
    private let instance: String
    private let steps: [[String]]
    private var state = State.idle
    private var commands: Set<String> = []
    /// Below each slug.
    private var documents: [String: Set<String>] = [:]
    private var count = 0
    /// Slugs whose `info` carries our schema and our instance.
    private var ours: Set<String> = []

    /// - Parameters:
    ///   - names: every name below a slug that may hold something retained, as `state` or `status/volume`.
    public init(topics: TopicTree, instance: String, names: [String]) {
        self.topics = topics
        self.instance = instance
        let documents = names.filter { !$0.contains("/") }.map { topics.device("+", $0) }
        let folders = Set(names.compactMap { $0.split(separator: "/").first.map(String.init) }).filter { folder in
            names.contains { $0.hasPrefix(folder + "/") }
        }
        self.steps = [[]] + documents.map { [$0] } + folders.sorted().map { [topics.device("+", "\($0)/+")] }
    }

    /// What the present step is subscribed to; empty for that of the commands.
    public var topicFilters: [String] {
        switch self.state {
        case .idle, .finished: []
        case .subscribing(let step), .listening(let step, _, _): self.steps[step]
        }
    }

    public mutating func begin() -> Action {
        self.state = .subscribing(step: 0)
        return .askForCommands
    }

    /// The step's subscriptions are acknowledged.
    public mutating func subscribed(now: MonotonicTime) {
        guard case .subscribing(let step) = self.state else { return }
        self.state = .listening(step: step, since: now, lastHeard: now)
    }

    /// A message that the broker kept from before.
    /// - Returns: whether it belongs to the search alone.
    public mutating func received(topic: String, payload: [UInt8], isCommand: Bool, now: MonotonicTime) -> Bool {
        let step: Int
        switch self.state {
        case .subscribing(let present): step = present
        case .listening(let present, let since, _):
            step = present
            self.state = .listening(step: present, since: since, lastHeard: now)
        case .idle, .finished: return false
        }
        guard !payload.isEmpty, self.count < Self.maximumTopics else { return true }
        if isCommand {
            if self.commands.insert(topic).inserted { self.count += 1 }
            return true
        }
        guard step > 0, let (slug, name) = self.topics.deviceDocument(topic) else { return false }
        if self.documents[slug, default: []].insert(name).inserted { self.count += 1 }
        if LeftoverEvidence.isOurs(document: name, payload: payload, slug: slug, instance: self.instance) { self.ours.insert(slug) }
        return true
    }

    /// When to call `wake`; `nil` while the broker has not answered a subscription.
    public var deadline: MonotonicTime? {
        guard case .listening(_, let since, let lastHeard) = self.state else { return nil }
        return min(since + Self.longest, lastHeard + Self.silence)
    }

    /// Looks at the time.
    public mutating func wake(now: MonotonicTime) -> Action {
        guard case .listening(let step, _, _) = self.state, let deadline, deadline <= now else { return .none }
        guard step + 1 < self.steps.count else {
            self.state = .finished
            return .finished
        }
        self.state = .subscribing(step: step + 1)
        return .subscribe(self.steps[step + 1])
    }

    /// What was found, in the order in which to clear it: `availability` last of each device.
    /// - Parameters:
    ///   - slugs: of every device known at this moment.
    ///   - isHeld: whether a document of this run is to be there.
    public func leftovers(slugs: Set<String>, isHeld: (String) -> Bool) -> [Leftover] {
        var found = self.commands.sorted().map { Leftover(topic: $0, kind: .command) }
        for (slug, names) in self.documents.sorted(by: { $0.key < $1.key }) where self.ours.contains(slug) || slugs.contains(slug) {
            let topics = TopicTree.clearingOrder(names.map { self.topics.device(slug, $0) })
            found += topics.filter { !isHeld($0) }.map { Leftover(topic: $0, kind: .document) }
        }
        return found
    }
}

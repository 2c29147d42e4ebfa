import CastModels

/// Finds retained topics that an earlier life of this instance left behind for devices it no longer knows, also when its memory is lost.
///
/// Only evidence counts: a retained `info` with our schema and our instance. Does no I/O and owns no timer.
public struct StartUpSweep: Sendable {
    /// The sweep ends after this much silence …
    public static let silence = Duration.seconds(2)
    /// … and after this in any case.
    public static let longest = Duration.seconds(10)
    /// Most slugs that are looked at.
    public static let maximumSlugs = 10_000

    /// A slug of which this instance left something.
    public struct Leftover: Sendable, Hashable {
        public var slug: String
        /// To clear, in this order: `availability` last.
        public var topics: [String]
    }

    private let topics: TopicTree
    private let instance: String
    /// Every name below a slug that this program ever published retained.
    private let names: [String]
    private var seen: [String: Set<String>] = [:]
    private var ours: Set<String> = []
    private var started: MonotonicTime?
    private var lastHeard: MonotonicTime?

    /// - Parameters:
    ///   - names: what to clear of a device, as `state` or `status/volume`.
    public init(topics: TopicTree, instance: String, names: [String]) {
        self.topics = topics
        self.instance = instance
        self.names = names
    }

    /// What to subscribe to meanwhile; unsubscribe after the end.
    public var topicFilters: [String] { Self.evidence.map { self.topics.device("+", $0) } }

    private static let evidence = ["availability", "state", "info"]

    /// The subscriptions are acknowledged. A sweep runs once.
    public mutating func begin(now: MonotonicTime) {
        guard self.started == nil else { return }
        self.started = now
        self.lastHeard = now
    }

    /// The link broke: what was heard so far says nothing about the next broker session.
    public mutating func interrupted() {
        (self.seen, self.ours, self.started, self.lastHeard) = ([:], [], nil, nil)
    }

    /// A message of one of the filters; only leftovers (with the retain flag) count.
    public mutating func received(topic: String, payload: [UInt8], retain: Bool, now: MonotonicTime) {
        guard self.started != nil, retain, !payload.isEmpty, let (slug, name) = self.topics.deviceDocument(topic),
            Self.evidence.contains(name)
        else { return }
        guard self.seen[slug] != nil || self.seen.count < Self.maximumSlugs else { return }
        self.lastHeard = now
        self.seen[slug, default: []].insert(name)
        if LeftoverEvidence.isOurs(document: name, payload: payload, slug: slug, instance: self.instance) { self.ours.insert(slug) }
    }

    /// Something else arrived that was asked for at the same time.
    public mutating func heard(now: MonotonicTime) { if self.started != nil { self.lastHeard = now } }

    /// When to call `finish` next; `nil` before the beginning.
    public var deadline: MonotonicTime? {
        guard let started, let lastHeard else { return nil }
        return min(started + Self.longest, lastHeard + Self.silence)
    }

    /// What is left over, once the time has come; `nil` before.
    /// - Parameter slugs: of every device known at this moment; theirs is never touched.
    public func finish(keeping slugs: Set<String>, now: MonotonicTime) -> [Leftover]? {
        guard let deadline, deadline <= now else { return nil }
        let orphans = self.ours.subtracting(slugs).sorted()
        return orphans.map { Leftover(slug: $0, topics: self.topicsToClear(of: $0)) }
    }

    private func topicsToClear(of slug: String) -> [String] {
        let names = Set(self.names).union(self.seen[slug] ?? []).union(["availability"])
        return TopicTree.clearingOrder(names.map { self.topics.device(slug, $0) })
    }
}

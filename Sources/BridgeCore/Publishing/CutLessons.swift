import CastModels

/// Learns from links that the broker ended, instead of refusing a message: which messages it ends them for, and how many a second it takes.
///
/// After such an end, messages are sent one at a time for a while, so that a further one names its cause: what was unanswered alone twice in a
/// row, or once with a reason code, is held back. Without a reason code the first end is taken for one of the broker or the network, which ask
/// for the full state soon. After two of a kind, such as `+/media` or all below `homeassistant/`, all of that kind are. Without a
/// reason code, only messages of at least the same size are: the broker may have a limit that it does not report.
struct CutLessons: Sendable {
    /// How long lessons apply: permissions and limits change.
    static let memory = Duration.seconds(6 * 3600)
    /// The number of messages that are sent one at a time, with QoS 1, so that each is answered.
    static let probation = 256
    static let slowest = 4
    /// The longest time between two ends without a reason code that may have one cause: a large state has been sent again by then.
    static let related = Duration.seconds(600)

    /// The largest number of messages a second; `nil` for no limit.
    private(set) var pace: Int?
    /// The number of messages that are still to be sent one at a time.
    private(set) var probation = 0
    /// The message that was unanswered alone when the last link ended.
    private var suspect: String?
    /// The sizes in bytes from which topics and kinds are held back; 0 holds back everything.
    private var held: [String: Int] = [:]
    private(set) var forgetAt: MonotonicTime?
    /// When the broker last ended a link without a reason code.
    private var lastUnexplained: MonotonicTime?
    /// The beginning of every topic of the tree, with its `/`.
    private let base: String

    init(base: String) { self.base = base }

    /// Whether every message may be sent as it is.
    var isEmpty: Bool { self.probation == 0 && self.held.isEmpty && self.pace == nil }

    /// Returns the size from which messages of a topic are held back; `nil` for none.
    func limit(of topic: String) -> Int? {
        guard !self.held.isEmpty else { return nil }
        return [self.held[topic], self.held[self.kind(of: topic)]].compactMap { $0 }.min()
    }

    /// The broker answered a message during a probation.
    mutating func answered(_ topic: String) {
        self.probation -= 1
        if topic == self.suspect { self.suspect = nil }
    }

    /// - Parameter size: the size of the last message, in bytes.
    /// - Returns: whether the next link will differ, and what is held back from now on.
    mutating func learn(from cut: Publisher.Cut, unanswered: [String], size: Int) -> (isNew: Bool, held: String?) {
        let wasAlone = self.probation > 0 && unanswered.count == 1
        switch cut.reasonCode {
        case 0x93, 0x96, 0x97:
            (self.pace, self.forgetAt) = (max(Self.slowest, (self.pace ?? 1024) / 4), cut.time + Self.memory)
            return (true, nil)
        case nil:
            defer { self.lastUnexplained = cut.time }
            if let last = self.lastUnexplained, cut.time - last <= Self.related { self.probation = Self.probation }
        case .some(0x80...0x83), 0x87, 0x90, 0x95, .some(0x99...0x9B): self.probation = Self.probation
        default: return (false, nil)
        }
        guard wasAlone, let topic = unanswered.first else { return (false, nil) }
        let isSuspect = topic == self.suspect
        self.suspect = isSuspect ? nil : topic
        guard isSuspect || cut.reasonCode != nil else { return (false, nil) }
        self.forgetAt = cut.time + Self.memory
        return (true, self.hold(topic, from: cut.reasonCode == nil || cut.reasonCode == 0x95 ? size : 0))
    }

    /// - Returns: the topic or its kind.
    private mutating func hold(_ topic: String, from size: Int) -> String {
        let kind = self.kind(of: topic)
        // A smaller one ended the link, too, so its size is not the reason.
        self.held[topic] = self.held[topic] == nil ? size : 0
        let sizes = self.held.filter { self.kind(of: $0.key) == kind }.values
        guard kind != topic, sizes.count > 1 else { return topic }
        self.held[kind] = sizes.min()
        return kind
    }

    mutating func forget() { self = CutLessons(base: self.base) }

    /// Returns what topics with equal permissions have in common: `base/+/media` or `base/+/status/#`, outside the tree the first level.
    private func kind(of topic: String) -> String {
        let isInside = topic.utf8.starts(with: self.base.utf8)
        let levels = topic.dropFirst(isInside ? self.base.count : 0).split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        if !isInside { return "\(levels[0])/#" }
        // Clients choose these topics.
        if levels[0] == "client" { return "\(self.base)client/#" }
        return levels.count < 2 || levels[0] == "bridge" ? topic : "\(self.base)+/\(levels[1])" + (levels.count > 2 ? "/#" : "")
    }
}

extension Publisher {
    /// The end of a link by the broker: the reason code of its DISCONNECT, `nil` when it only closed the connection.
    public typealias Cut = (reasonCode: UInt8?, time: MonotonicTime)
}

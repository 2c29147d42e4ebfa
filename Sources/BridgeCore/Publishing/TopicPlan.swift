import CastModels

/// The order in which retained topics of some owners are moved or removed, so that readers always have the topics that they need. The
/// broker confirms each step before the next one begins. Does no I/O and owns no timer.
///
/// ```
///  move of a device      documents below the new slug ─► announcement ─► old topics cleared
///  removal               announcements cleared ─► pause ─► documents cleared
/// ```
public struct TopicPlan: Sendable, Hashable {
    /// How long Home Assistant may take to remove the entities of a cleared announcement. If their topics change before that, it creates
    /// the entities again under other names.
    public static let pause = Duration.seconds(2)

    public enum Action: Sendable, Hashable {
        case none
        /// Let the publisher settle these owners, and report each with `settled`.
        case settle([DocumentOwner])
        /// Call `wake` at this time.
        case wake(at: MonotonicTime)
        /// The broker has answered for every step.
        case finished
    }

    /// Whether the owners' documents are still wanted.
    public enum Purpose: Sendable, Hashable {
        /// The documents get other topics.
        case move
        /// All topics of the owners are removed.
        case removal
    }

    private enum Step: Hashable {
        case settle([DocumentOwner])
        case pause
    }

    private enum State: Hashable {
        case idle
        case settling(step: Int, open: Set<DocumentOwner>)
        case pausing(step: Int, until: MonotonicTime)
        case finished
    }

    public let purpose: Purpose
    private let steps: [Step]
    private var state = State.idle

    private init(_ purpose: Purpose, _ steps: [Step]) { (self.purpose, self.steps) = (purpose, steps) }

    /// Moves a device's documents to the topics of its new slug.
    public static func move(of device: Device.ID) -> Self {
        Self(.move, [.settle([.device(device)]), .settle([.discovery(device)]), .settle([.device(device)])])
    }

    /// Removes everything retained of a device.
    /// - Parameter isAnnounced: whether the record contains announcements of it.
    public static func removal(of device: Device.ID, isAnnounced: Bool) -> Self {
        self.removal(announcements: isAnnounced ? [.discovery(device)] : [], documents: [.device(device)])
    }

    /// Removes everything retained of these owners.
    /// - Parameters:
    ///   - announcements: the owners with topics outside the tree. Include only those that have any, because announcements cause the pause.
    ///   - documents: owners with topics in the tree, in the order in which they are cleared.
    public static func removal(announcements: [DocumentOwner], documents: [DocumentOwner]) -> Self {
        var steps: [Step] = announcements.isEmpty ? [] : [.settle(announcements), .pause]
        if !documents.isEmpty { steps.append(.settle(documents)) }
        return Self(.removal, steps)
    }

    /// Whether unwanted topics must stay on the broker for now: `true` until the last step begins.
    public var keepsOldTopics: Bool {
        switch self.state {
        case .idle: true
        case .settling(let step, _), .pausing(let step, _): step < self.steps.count - 1
        case .finished: false
        }
    }

    /// Returns the first action. A plan begins once; a slug that changes again gets a new plan.
    public mutating func begin(now: MonotonicTime) -> Action {
        guard self.state == .idle else { return .none }
        return self.enter(0, now)
    }

    /// Handles that the broker has answered for everything of this owner.
    public mutating func settled(_ owner: DocumentOwner, now: MonotonicTime) -> Action {
        guard case .settling(let step, var open) = self.state, open.remove(owner) != nil else { return .none }
        guard open.isEmpty else {
            self.state = .settling(step: step, open: open)
            return .none
        }
        return self.enter(step + 1, now)
    }

    /// Call it at the time that `wake(at:)` named.
    public mutating func wake(now: MonotonicTime) -> Action {
        guard case .pausing(let step, let until) = self.state else { return .none }
        return until <= now ? self.enter(step + 1, now) : .wake(at: until)
    }

    private mutating func enter(_ step: Int, _ now: MonotonicTime) -> Action {
        guard step < self.steps.count else {
            self.state = .finished
            return .finished
        }
        switch self.steps[step] {
        case .settle(let owners):
            self.state = .settling(step: step, open: Set(owners))
            return .settle(owners)
        case .pause:
            self.state = .pausing(step: step, until: now + Self.pause)
            return .wake(at: now + Self.pause)
        }
    }
}

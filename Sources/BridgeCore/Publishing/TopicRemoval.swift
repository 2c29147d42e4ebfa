import CastModels

/// Takes everything retained of some owners off the broker in the order its readers need: first what announces them to Home Assistant, then,
/// after a pause in which the entities go, their documents. Does no I/O and owns no timer.
public struct TopicRemoval: Sendable, Hashable {
    /// Home Assistant makes entities anew, under other names, when their topics change before they are gone.
    public static let pause = Duration.seconds(2)

    /// What the owner must do next.
    public enum Action: Sendable, Hashable {
        case none
        /// Have the publisher settle these owners, of which nothing is wanted any more, and report each with `settled`.
        case settle([DocumentOwner])
        /// Call `wake` at this time.
        case wake(at: MonotonicTime)
        /// The broker has answered for everything.
        case finished
    }

    private enum State: Hashable {
        case idle
        case clearingAnnouncements(open: Set<DocumentOwner>)
        case pausing(until: MonotonicTime)
        case clearingDocuments(open: Set<DocumentOwner>)
        case finished
    }

    private let announcements: [DocumentOwner]
    private let documents: [DocumentOwner]
    private var state = State.idle

    /// - Parameters:
    ///   - announcements: owners with topics outside the tree; only those that have any, since each costs the pause.
    ///   - documents: owners with topics in it, in the order in which they go.
    public init(announcements: [DocumentOwner], documents: [DocumentOwner]) {
        self.announcements = announcements
        self.documents = documents
    }

    /// The removal of one device.
    /// - Parameter isAnnounced: whether the record names topics outside the tree.
    public init(of device: Device.ID, isAnnounced: Bool) {
        self.init(announcements: isAnnounced ? [.discovery(device)] : [], documents: [.device(device)])
    }

    /// Whether the documents still stand as they are.
    public var keepsDocuments: Bool {
        switch self.state {
        case .idle, .clearingAnnouncements, .pausing: true
        case .clearingDocuments, .finished: false
        }
    }

    public mutating func begin() -> Action {
        guard self.state == .idle else { return .none }
        guard !self.announcements.isEmpty else { return self.clearDocuments() }
        self.state = .clearingAnnouncements(open: Set(self.announcements))
        return .settle(self.announcements)
    }

    /// The broker has answered for everything of this owner.
    public mutating func settled(_ owner: DocumentOwner, now: MonotonicTime) -> Action {
        switch self.state {
        case .clearingAnnouncements(var open):
            guard open.remove(owner) != nil else { return .none }
            guard open.isEmpty else {
                self.state = .clearingAnnouncements(open: open)
                return .none
            }
            self.state = .pausing(until: now + Self.pause)
            return .wake(at: now + Self.pause)
        case .clearingDocuments(var open):
            guard open.remove(owner) != nil else { return .none }
            self.state = open.isEmpty ? .finished : .clearingDocuments(open: open)
            return open.isEmpty ? .finished : .none
        case .idle, .pausing, .finished: return .none
        }
    }

    /// Looks at the time.
    public mutating func wake(now: MonotonicTime) -> Action {
        switch self.state {
        case .pausing(let until): until <= now ? self.clearDocuments() : .wake(at: until)
        case .idle, .clearingAnnouncements, .clearingDocuments, .finished: .none
        }
    }

    private mutating func clearDocuments() -> Action {
        self.state = self.documents.isEmpty ? .finished : .clearingDocuments(open: Set(self.documents))
        return self.documents.isEmpty ? .finished : .settle(self.documents)
    }
}

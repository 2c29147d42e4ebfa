import CastModels

/// Takes everything retained of a device off the broker in the order its readers need: first what announces it to Home Assistant, then,
/// after a pause in which the entities go, its documents. Does no I/O and owns no timer.
public struct DeviceRemoval: Sendable, Hashable {
    /// Home Assistant makes entities anew, under other names, when their topics change before they are gone.
    public static let pause = Duration.seconds(2)

    /// What the owner must do next.
    public enum Action: Sendable, Hashable {
        case none
        /// Have the publisher settle this owner, of which nothing is wanted any more, and report with `settled`.
        case settle(DocumentOwner)
        /// Call `wake` at this time.
        case wake(at: MonotonicTime)
        /// The broker has answered for everything: forget the device.
        case finished
    }

    private enum State: Hashable {
        case idle, clearingAnnouncement
        case pausing(until: MonotonicTime)
        case clearingDocuments, finished
    }

    private let device: Device.ID
    private var state = State.idle

    public init(of device: Device.ID) { self.device = device }

    /// Whether the device's own documents still stand as they are.
    public var keepsDocuments: Bool {
        switch self.state {
        case .idle, .clearingAnnouncement, .pausing: true
        case .clearingDocuments, .finished: false
        }
    }

    /// - Parameter isAnnounced: whether the record names topics outside the tree.
    public mutating func begin(isAnnounced: Bool) -> Action {
        guard self.state == .idle else { return .none }
        return isAnnounced ? self.clearAnnouncement() : self.clearDocuments()
    }

    /// The broker has answered for everything of this owner.
    public mutating func settled(_ owner: DocumentOwner, now: MonotonicTime) -> Action {
        switch (self.state, owner) {
        case (.clearingAnnouncement, .discovery(self.device)):
            self.state = .pausing(until: now + Self.pause)
            return .wake(at: now + Self.pause)
        case (.clearingDocuments, .device(self.device)):
            self.state = .finished
            return .finished
        case (.idle, _), (.clearingAnnouncement, _), (.pausing, _), (.clearingDocuments, _), (.finished, _): return .none
        }
    }

    /// Looks at the time.
    public mutating func wake(now: MonotonicTime) -> Action {
        switch self.state {
        case .pausing(let until): until <= now ? self.clearDocuments() : .wake(at: until)
        case .idle, .clearingAnnouncement, .clearingDocuments, .finished: .none
        }
    }

    private mutating func clearAnnouncement() -> Action {
        self.state = .clearingAnnouncement
        return .settle(.discovery(self.device))
    }

    private mutating func clearDocuments() -> Action {
        self.state = .clearingDocuments
        return .settle(.device(self.device))
    }
}

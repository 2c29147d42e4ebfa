import CastModels

/// Moves a device's documents to the topics of a new slug so that a reader always has one of the two: the new ones are published, then
/// what announces them to Home Assistant, and only then the old ones are cleared. Does no I/O and owns no timer.
public struct TopicMove: Sendable, Hashable {
    /// What the owner must do next.
    public enum Action: Sendable, Hashable {
        case none
        /// Have the publisher settle this owner and report with `settled`.
        case settle(DocumentOwner)
        /// The old topics are gone, as far as the broker lets them.
        case finished
    }

    private enum State: Hashable { case idle, publishing, announcing, clearing, finished }

    private let device: Device.ID
    private var state = State.idle

    public init(of device: Device.ID) { self.device = device }

    /// Whether the old topics have to stay yet.
    public var keepsOldTopics: Bool {
        switch self.state {
        case .idle, .publishing, .announcing: true
        case .clearing, .finished: false
        }
    }

    /// The device's state has its new slug. Also for a slug that changes again meanwhile.
    public mutating func begin() -> Action {
        self.state = .publishing
        return .settle(.device(self.device))
    }

    /// The broker has answered for everything of this owner.
    public mutating func settled(_ owner: DocumentOwner) -> Action {
        switch (self.state, owner) {
        case (.publishing, .device(self.device)):
            self.state = .announcing
            return .settle(.discovery(self.device))
        case (.announcing, .discovery(self.device)):
            self.state = .clearing
            return .settle(.device(self.device))
        case (.clearing, .device(self.device)):
            self.state = .finished
            return .finished
        case (.idle, _), (.publishing, _), (.announcing, _), (.clearing, _), (.finished, _): return .none
        }
    }
}

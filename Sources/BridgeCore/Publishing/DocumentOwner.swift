import CastModels

/// Whose documents: each owner's retained topics are formed, compared, sent and recorded together.
package enum DocumentOwner: Sendable, Hashable {
    /// `<base>/bridge/…`, without `bridge/state`, which the publisher sends itself.
    case bridge
    /// `<base>/<slug>/…`.
    case device(Device.ID)
    /// What announces the bridge itself to Home Assistant, outside the tree.
    case bridgeDiscovery
    /// What announces a device to Home Assistant, outside the tree.
    case discovery(Device.ID)

    /// The device it belongs to; `nil` for the bridge's own.
    package var device: Device.ID? {
        switch self {
        case .device(let id), .discovery(let id): id
        case .bridge, .bridgeDiscovery: nil
        }
    }

    /// Whether it announces to Home Assistant: sent in its own pace, beside the full retained state.
    package var isAnnouncement: Bool {
        switch self {
        case .bridgeDiscovery, .discovery: true
        case .bridge, .device: false
        }
    }

    /// Announcements name topics, so they follow the documents; the bridge goes before its devices.
    package var order: Int {
        switch self {
        case .bridge: 0
        case .device: 1
        case .bridgeDiscovery: 2
        case .discovery: 3
        }
    }
}

/// What becomes of the topics of an owner that a round of its documents does not contain.
package enum RemainingTopics: Sendable, Hashable {
    /// The round is all there should be.
    case cleared
    /// The round is a part.
    case kept
    /// Those that begin with this are kept: what an earlier run left stands until more is known. Any other was moved, and is cleared.
    case keptBelow(String)

    func keeps(_ topic: String) -> Bool {
        switch self {
        case .cleared: false
        case .kept: true
        case .keptBelow(let prefix): topic.utf8.starts(with: prefix.utf8)
        }
    }
}

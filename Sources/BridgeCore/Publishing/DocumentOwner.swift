import CastModels

/// The owner of a group of retained topics, which are formed, compared, sent and recorded together.
///
/// In order: announcements name topics, so they follow the documents; the bridge precedes its devices, which are sorted by id.
public enum DocumentOwner: Sendable, Hashable, Comparable {
    /// The bridge: `<base>/bridge/…`, without `bridge/state`, which the publisher sends itself.
    case bridge
    /// A device: `<base>/<slug>/…`.
    case device(Device.ID)
    /// The Home Assistant announcement of the bridge, outside the tree.
    case bridgeDiscovery
    /// The Home Assistant announcement of a device, outside the tree.
    case discovery(Device.ID)

    /// The device; `nil` for the bridge.
    public var device: Device.ID? {
        switch self {
        case .device(let id), .discovery(let id): id
        case .bridge, .bridgeDiscovery: nil
        }
    }

    /// Whether it is an announcement to Home Assistant, which is sent at its own pace, independently of the full retained state.
    public var isAnnouncement: Bool {
        switch self {
        case .bridgeDiscovery, .discovery: true
        case .bridge, .device: false
        }
    }
}

/// The treatment of an owner's topics that a round of its documents does not contain.
public enum RemainingTopics: Sendable, Hashable {
    /// They are cleared, because the round is complete.
    case cleared
    /// They are kept, because the round is partial.
    case kept
    /// Topics with this prefix are kept until more is known, because an earlier run published them. All others were moved and are cleared.
    case keptBelow(String)

    func keeps(_ topic: String) -> Bool {
        switch self {
        case .cleared: false
        case .kept: true
        case .keptBelow(let prefix): topic.utf8.starts(with: prefix.utf8)
        }
    }
}

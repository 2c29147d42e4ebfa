import CastModels

/// The namespaces of a device that have a topic `ns/<namespace>/state`, and which of them are connected: the running application supports
/// them, and the link to the device is up.
///
/// Derived from the device's status alone: no channel is opened for it, so no application is kept open.
public struct ChannelStates: Sendable, Hashable {
    /// The namespaces that may have a topic.
    private let allowed: NamespacePolicy
    /// The namespaces listed without a wildcard, which have a topic from the start.
    private let listed: [String]
    /// The connected namespaces in alphabetical order.
    public private(set) var connected: [String] = []
    /// The namespaces that match a pattern and were connected earlier, the last one first; as many as may be connected at once.
    private var former: [String] = []

    enum Change {
        case none
        case values
        /// Values changed, and a namespace no longer has a topic.
        case topics
    }

    public init(_ allowed: NamespacePolicy = NamespacePolicy()) {
        self.allowed = allowed
        self.listed = allowed.listed
    }

    /// Whether no namespace is allowed, so that there are never changes.
    var isOff: Bool { self.allowed.isEmpty }

    /// Every namespace with a topic, in alphabetical order.
    var all: [String] { Set(self.connected + self.listed + self.former).sorted() }

    func isConnected(_ namespace: String) -> Bool { self.connected.contains(namespace) }

    /// - Parameter spoken: the namespaces of the running application; empty while the link is down.
    mutating func update(_ spoken: [String]) -> Change {
        let connected = self.allowed.channels(of: spoken)
        guard connected != self.connected else { return .none }
        let before = Set(self.all)
        let closed = self.connected.filter { !connected.contains($0) && !self.listed.contains($0) }
        let former = closed + self.former.filter { !connected.contains($0) && !closed.contains($0) }
        self.former = Array(former.prefix(NamespacePolicy.maximumChannels))
        self.connected = connected
        return before.isSubset(of: self.all) ? .values : .topics
    }
}

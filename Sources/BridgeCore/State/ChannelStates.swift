import CastModels

/// The namespaces of a device that have a topic `ns/<namespace>/state`, and which of them are connected: the application that runs speaks
/// them, and the link to the device is up.
///
/// Follows from the device's status alone: no channel is opened to learn it, so that it holds no application open.
package struct ChannelStates: Sendable, Hashable {
    /// Which namespaces have a topic at all.
    private let allowed: NamespacePolicy
    /// Those listed without a wildcard have a topic from the start.
    private let listed: [String]
    /// In alphabetical order.
    package private(set) var connected: [String] = []
    /// Those of patterns that were connected before, the last one first; as many as may be connected at once.
    private var former: [String] = []

    /// The kinds of changes by an update.
    enum Change {
        case none
        /// Values.
        case values
        /// Values, and a namespace has no topic any more.
        case topics
    }

    package init(_ allowed: NamespacePolicy = NamespacePolicy()) {
        self.allowed = allowed
        self.listed = allowed.listed
    }

    /// Whether no namespace is allowed: then nothing ever changes.
    var isOff: Bool { self.allowed.isEmpty }

    /// Every namespace that has a topic, in alphabetical order.
    var all: [String] { Set(self.connected + self.listed + self.former).sorted() }

    func isConnected(_ namespace: String) -> Bool { self.connected.contains(namespace) }

    /// - Parameter spoken: the namespaces of the application that runs; empty while the link is down.
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

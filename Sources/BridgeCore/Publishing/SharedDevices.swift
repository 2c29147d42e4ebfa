import CastModels

/// Finds the devices that another bridge of the same broker publishes too, from the retained `bridge/state` and `bridge/devices` of every
/// base that we may read. Does no I/O and owns no timer.
public struct SharedDevices: Sendable {
    public struct Finding: Sendable, Hashable {
        public let id: Device.ID
        /// The base of the other bridge.
        public let base: String
    }

    /// More bases than any broker has; those that come later are left out.
    static let maximumBases = 1000

    /// The filters whose retained messages are to be read: bases of one or two levels, and of as many as ours has.
    public let filters: [String]
    private let own: String
    private var online: Set<String> = []
    private var devices: [String: [Device.ID]] = [:]

    public init(topics: TopicTree) {
        self.own = topics.base
        let levels = topics.base.utf8.count { $0 == UInt8(ascii: "/") } + 1
        self.filters = Set([1, 2, levels]).sorted().flatMap { levels in
            let base = Array(repeating: "+", count: levels).joined(separator: "/")
            return [TopicTree(base: base).bridge("state"), TopicTree(base: base).bridge("devices")]
        }
    }

    /// Handles a message of another bridge.
    /// - Parameter ours: our own devices.
    /// - Returns: whether the message is of another bridge.
    public mutating func received(_ message: IncomingMessage, ours: @autoclosure () -> Set<Device.ID>) -> Bool {
        let isState = message.topic.hasSuffix("/bridge/state")
        guard isState || message.topic.hasSuffix("/bridge/devices") else { return false }
        let base = String(message.topic.dropLast(isState ? "/bridge/state".count : "/bridge/devices".count))
        guard base != self.own else { return false }
        if isState {
            guard message.payload == Array("online".utf8), self.online.count < Self.maximumBases else {
                self.online.remove(base)
                return true
            }
            self.online.insert(base)
        } else if self.devices.count < Self.maximumBases {
            let (list, ours) = ((try? JSONParser.parse(message.payload))?.arrayValue ?? [], ours())
            // A bridge also lists known devices that it does not reach; only we may reach those.
            self.devices[base] = list.filter { $0["online"]?.boolValue == true }.compactMap { $0["id"]?.stringValue }.filter(ours.contains)
        }
        return true
    }

    /// What was found, sorted; a bridge that is offline does not count.
    public var findings: [Finding] {
        self.devices.filter { self.online.contains($0.key) }.sorted { $0.key < $1.key }
            .flatMap { base, ids in Set(ids).sorted().map { Finding(id: $0, base: base) } }
    }
}

/// A change to outgoing messages of one type, to test senders with wrong, odd and missing fields.
public struct Distortion: Sendable, Hashable {
    /// The largest number of distortions.
    static let maximumCount = 64

    /// The `type` of the messages.
    public var type: String
    /// The members to set, by their path: `status.0.media.duration`.
    public var changes: [String: JSON]
    /// The paths of members to remove.
    public var removals: [String]

    public init(type: String, changes: [String: JSON] = [:], removals: [String] = []) {
        self.type = type
        self.changes = changes
        self.removals = removals
    }

    func applied(to message: JSON) -> JSON {
        var message = message
        for (path, value) in self.changes.sorted(by: { $0.key < $1.key }) { message.set(value, at: Self.parts(path)[...]) }
        for path in self.removals { message.set(nil, at: Self.parts(path)[...]) }
        return message
    }

    private static func parts(_ path: String) -> [Substring] { path.split(separator: ".") }
}

extension JSON {
    /// Sets or removes the value at a path; a path that does not exist changes nothing.
    fileprivate mutating func set(_ value: JSON?, at path: ArraySlice<Substring>) {
        guard let first = path.first else { return }
        if case .array(var elements) = self {
            guard let index = Int(first), elements.indices.contains(index) else { return }
            if path.count > 1 {
                elements[index].set(value, at: path.dropFirst())
            } else if let value {
                elements[index] = value
            } else {
                elements.remove(at: index)
            }
            self = .array(elements)
        } else if path.count == 1 {
            self[String(first)] = value
        } else if var inner = self[String(first)] {
            inner.set(value, at: path.dropFirst())
            self[String(first)] = inner
        }
    }
}

extension SimulatedReceiver {
    func distorted(_ message: JSON) -> JSON {
        guard !self.distortions.isEmpty, let type = message["type"]?.text else { return message }
        return self.distortions.filter { $0.type == type }.reduce(message) { $1.applied(to: $0) }
    }
}

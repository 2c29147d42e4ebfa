/// A change to outgoing messages of one type, to test senders with wrong, odd and missing fields.
public struct Distortion: Sendable, Hashable {
    /// The largest number of distortions, and of types of each fate.
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

/// The changes and omissions that control verbs asked for, by the `type` of the messages that they concern.
struct Tampering: Sendable {
    enum Fate {
        /// A request gets no answer and changes nothing.
        case ignored
        /// A request is answered and changes nothing.
        case pretended
    }

    private var distortions: [Distortion] = []
    private var types: [Fate: Set<String>] = [:]

    func applies(_ fate: Fate, to type: String?) -> Bool { type.map { self.types[fate]?.contains($0) ?? false } ?? false }

    func distorted(_ message: JSON) -> JSON {
        guard !self.distortions.isEmpty, let type = message["type"]?.text else { return message }
        return self.distortions.filter { $0.type == type }.reduce(message) { $1.applied(to: $0) }
    }

    mutating func distort(_ distortion: Distortion) throws(SimulatorError) {
        guard self.distortions.count < Distortion.maximumCount else { throw SimulatorError(.wrongState, "too many distortions") }
        self.distortions.append(distortion)
    }

    mutating func endDistortions() { self.distortions = [] }

    mutating func set(_ type: String, _ fate: Fate, _ isOn: Bool) throws(SimulatorError) {
        if isOn, self.types[fate, default: []].count >= Distortion.maximumCount { throw SimulatorError(.wrongState, "too many types") }
        if isOn { self.types[fate, default: []].insert(type) } else { self.types[fate]?.remove(type) }
    }
}

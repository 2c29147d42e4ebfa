import CastModels

/// Orders what the leaders of a pair have handed over: record and settings have one version, which increases with each change.
public struct PairVersion: Sendable, Hashable, Comparable {
    /// The term of the leader, or the next one if its broker has forgotten terms.
    public var term: Int
    public var change: Int

    public init(term: Int, change: Int = 0) { (self.term, self.change) = (term, change) }

    public static func < (one: Self, other: Self) -> Bool { (one.term, one.change) < (other.term, other.change) }
}

/// The record of a leader as retained documents, from which another member continues: one document for each part of the devices, so that a
/// change of one device is small.
///
/// The parts are those of the state file, which has no secrets. A device stays in its part, whatever else is known.
public struct PairRecord: Sendable {
    /// The number of parts; with 2 000 devices one has about 40 kB.
    public static let parts = 64
    /// The largest document that is read, in bytes.
    static let maximumBytes = 1 << 20
    private static let header = "header"

    /// The newest content of each document, by its name.
    private var documents: [String: [UInt8]] = [:]

    public init() {}

    public var isEmpty: Bool { self.documents.isEmpty }

    /// Divides a state file.
    public init(_ file: StateFile) {
        var file = file
        // In the same order each time, so that equal parts are equal bytes.
        file.devices.sort { $0.id < $1.id }
        var lines = file.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)[...]
        self.documents[Self.header] = lines.popFirst().map(Array.init)
        for (device, line) in zip(file.devices, lines) { self.documents["\(Self.part(of: device.id))", default: []] += line + [0x0A] }
    }

    private static func part(of id: Device.ID) -> Int { Int(Self.digest(id) % UInt32(Self.parts)) }

    /// FNV-1a, which is the same in every process.
    static func digest(_ text: String) -> UInt32 { text.utf8.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 } }

    /// Takes a retained document of another member.
    /// - Parameter name: the last level of its topic.
    public mutating func received(_ payload: [UInt8], name: String) {
        guard name == Self.header || Int(name).map({ (0..<Self.parts).contains($0) }) == true, payload.count <= Self.maximumBytes else {
            return
        }
        self.documents[name] = payload.isEmpty ? nil : payload
    }

    /// What the other member knew; `nil` without a readable beginning.
    public var file: StateFile? {
        guard let header = self.documents[Self.header] else { return nil }
        var bytes = header + [0x0A]
        for part in 0..<Self.parts { bytes += self.documents["\(part)"] ?? [] }
        let (file, problems) = StateFile.read(bytes)
        let isUnreadable = problems.contains { $0.line == 1 }
        return isUnreadable ? nil : file
    }

    /// Returns the documents that differ from those that were sent before.
    /// - Parameter former: `nil` when it is unknown what the broker retains.
    public func messages(since former: Self?, topics: TopicTree) -> [OutgoingMessage] {
        // The header with the version comes last: who has it has the rest.
        let names = (0..<Self.parts).map { "\($0)" } + [Self.header]
        return names.compactMap { name in
            let document = self.documents[name]
            if let former, document == former.documents[name] { return nil }
            let topic = topics.pair("record/\(name)")
            guard let document else { return .clearing(topic) }
            return OutgoingMessage(topic: topic, payload: document, qos: 1, retain: true, content: .message)
        }
    }
}

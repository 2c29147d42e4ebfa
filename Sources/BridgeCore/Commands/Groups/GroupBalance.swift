import CastModels

/// Remembers the volume ratio of a group's members, so that it survives silence. Does no I/O.
public struct GroupBalance: Sendable, Hashable {
    /// One member and its level, 0 to 1; `nil` when not reported.
    public struct Member: Sendable, Hashable {
        public var id: Device.ID
        public var level: Double?
        /// The loudest that it may be, 0 to 1.
        public var limit: Double

        public init(id: Device.ID, level: Double?, limit: Double = 1) { (self.id, self.level, self.limit) = (id, level, limit) }
    }

    /// How far a reported level may differ from the requested one and still count as the same: devices round.
    private static let tolerance = 0.02

    /// The level of each member relative to the loudest one.
    private var shares: [Device.ID: Double] = [:]
    /// The levels that were last requested here, without the limits of members.
    private var wanted: [Device.ID: Double] = [:]

    public init() {}

    /// Updates the ratio from the current levels of the members.
    public mutating func observe(_ members: [Member]) {
        let levels = self.levels(of: members)
        let ids = Set(members.map(\.id))
        self.shares = self.shares.filter { ids.contains($0.key) }
        self.wanted = self.wanted.filter { ids.contains($0.key) }
        guard let loudest = levels.values.max(), loudest > 0 else { return }
        for member in members {
            guard let level = levels[member.id] else { continue }
            // A member silenced together with the group keeps its share.
            if level == 0, self.wanted[member.id] == 0, self.shares[member.id] != nil { continue }
            self.shares[member.id] = level / loudest
        }
    }

    /// Returns the level of each member after `change`, which applies to the average. The ratio is kept, so the loudest member may limit
    /// the change; a member at its own limit stays behind, and is where it was once the others are below it.
    /// - Parameters:
    ///   - step: the size of one step of `change`, 0 to 1; `nil` is the default step.
    ///   - limit: the largest average, 0 to 1.
    ///   - members: all members with their current levels.
    public mutating func levels(
        after change: RequestedVolume, step: Double? = nil, limit: Double = 1, members: [Member]
    ) -> [Device.ID: Double] {
        self.observe(members)
        guard !members.isEmpty else { return [:] }
        let present = self.levels(of: members)
        let average = present.values.reduce(0, +) / Double(max(1, present.count))
        let target = min(change.level(reported: average, step: step), limit)
        var shares: [Device.ID: Double] = [:]
        // Without a known ratio all members get the same level.
        for member in members { shares[member.id] = self.shares[member.id] ?? 1 }
        let mean = shares.values.reduce(0, +) / Double(shares.count)
        guard mean > 0, let loudest = shares.values.max() else { return [:] }
        let scale = min(target / mean, 1 / loudest)
        let levels = shares.mapValues { min(max($0 * scale, 0), 1) }
        self.shares = shares
        self.wanted = levels
        return members.reduce(into: levels) { $0[$1.id] = $0[$1.id].map { [limit = $1.limit] in min($0, limit) } }
    }

    /// Notes that a member's level could not be set.
    public mutating func failed(_ id: Device.ID) { self.wanted[id] = nil }

    /// Returns the exact levels where the reported ones match those requested here, otherwise the reported ones.
    private func levels(of members: [Member]) -> [Device.ID: Double] {
        var levels: [Device.ID: Double] = [:]
        for member in members {
            guard let level = member.level else {
                levels[member.id] = self.wanted[member.id]
                continue
            }
            let ours = self.wanted[member.id].flatMap { abs(min($0, member.limit) - level) <= Self.tolerance ? $0 : nil }
            levels[member.id] = ours ?? level
        }
        return levels
    }
}

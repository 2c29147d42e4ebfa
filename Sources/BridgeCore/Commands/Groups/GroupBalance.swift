import CastModels

/// How loud the members of a group are beside each other, remembered so that silence doesn't make them equal. Does no I/O.
package struct GroupBalance: Sendable, Hashable {
    /// One member and its level, 0 to 1; `nil` when not told.
    package struct Member: Sendable, Hashable {
        package var id: Device.ID
        package var level: Double?

        package init(id: Device.ID, level: Double?) {
            self.id = id
            self.level = level
        }
    }

    /// How far a device's level may be from the one it was asked for and still be ours: devices round.
    private static let tolerance = 0.02

    /// Each member's level in proportion to the loudest one's.
    private var shares: [Device.ID: Double] = [:]
    /// What was last asked for here.
    private var wanted: [Device.ID: Double] = [:]

    package init() {}

    /// Takes in how loud the members are now.
    package mutating func observe(_ members: [Member]) {
        let levels = self.levels(of: members)
        let ids = Set(members.map(\.id))
        self.shares = self.shares.filter { ids.contains($0.key) }
        self.wanted = self.wanted.filter { ids.contains($0.key) }
        guard let loudest = levels.values.max(), loudest > 0 else { return }
        for member in members {
            guard let level = levels[member.id] else { continue }
            // Silenced together with the group, it comes back with it.
            if level == 0, self.wanted[member.id] == 0, self.shares[member.id] != nil { continue }
            self.shares[member.id] = level / loudest
        }
    }

    /// The level of each member after `change`, which is about the average of all; the ratio is kept, so the loudest one may set a limit.
    /// - Parameters:
    ///   - step: how far one step of `change` is, 0 to 1; `nil` is the default step.
    ///   - members: all of them as they are now.
    package mutating func levels(after change: VolumeChange, step: Double? = nil, members: [Member]) -> [Device.ID: Double] {
        self.observe(members)
        guard !members.isEmpty else { return [:] }
        let present = self.levels(of: members)
        let average = present.values.reduce(0, +) / Double(max(1, present.count))
        let target = change.level(reported: average, step: step)
        var shares: [Device.ID: Double] = [:]
        // Without any memory all are equal.
        for member in members { shares[member.id] = self.shares[member.id] ?? 1 }
        let mean = shares.values.reduce(0, +) / Double(shares.count)
        guard mean > 0, let loudest = shares.values.max() else { return [:] }
        let scale = min(target / mean, 1 / loudest)
        let levels = shares.mapValues { min(max($0 * scale, 0), 1) }
        self.shares = shares
        self.wanted = levels
        return levels
    }

    /// A member's level could not be set.
    package mutating func failed(_ id: Device.ID) { self.wanted[id] = nil }

    /// The exact levels where they are ours, else the told ones.
    private func levels(of members: [Member]) -> [Device.ID: Double] {
        var levels: [Device.ID: Double] = [:]
        for member in members {
            guard let level = member.level else {
                levels[member.id] = self.wanted[member.id]
                continue
            }
            let ours = self.wanted[member.id].flatMap { abs($0 - level) <= Self.tolerance ? $0 : nil }
            levels[member.id] = ours ?? level
        }
        return levels
    }
}

import CastModels

/// Decides which announcement plays when, and when what it interrupted is given back. Does no I/O.
///
/// An announcement locks its footprint: the device that plays it and, for a group, all members. Equal priorities keep their order, a higher one
/// interrupts. What was interrupted is given back once no announcement plays or waits on any of its devices, so that several in a row take
/// and give back once.
public struct AnnouncementQueue: Sendable {
    /// Identifies an announcement on one device; never reused.
    public typealias ID = UInt64

    public enum Action: Sendable, Hashable {
        /// Play it and report its end with `ended`.
        case start(ID)
        /// Stop playing it and report that with `interrupted`; it starts again later, unless it is `ended`.
        case interrupt(ID)
        /// Give back what played on this device and the members below it, and report that with `restored`.
        case restore(Device.ID)
    }

    private struct Entry: Sendable {
        var id: ID
        var device: Device.ID
        var footprint: Set<Device.ID>
        /// Equal announcements become one while nothing is heard of them.
        var content: Announcement
        var isPlaying = false
        var isInterrupted = false

        var isUrgent: Bool { self.content.priority == .high }
    }

    /// The largest number of announcements that wait.
    public static let maximumWaiting = 200

    /// What plays, and what waits, in its order.
    private var entries: [Entry] = []
    /// The footprints of devices whose former state is kept.
    private var held: [Device.ID: Set<Device.ID>] = [:]
    private var restoring: Set<Device.ID> = []
    private var lastID: ID = 0

    public init() {}

    public var isEmpty: Bool { self.entries.isEmpty && self.held.isEmpty }

    /// Adds an announcement.
    /// - Returns: its id, which is that of an equal one that waits, and the actions; `nil` when too many wait.
    public mutating func submit(_ content: Announcement, on device: Device.ID, footprint: Set<Device.ID>) -> (id: ID, actions: [Action])? {
        // As long as nothing is heard of an equal one, both are the same.
        let silent = self.entries.filter { !$0.isInterrupted && (!$0.isPlaying || self.held[$0.device] == nil) }
        if let equal = silent.first(where: { $0.device == device && $0.content == content }) { return (equal.id, []) }
        guard self.entries.count(where: { !$0.isPlaying }) < Self.maximumWaiting else { return nil }
        self.lastID += 1
        let entry = Entry(id: self.lastID, device: device, footprint: footprint.union([device]), content: content)
        self.insert(entry, before: { !$0.isUrgent && entry.isUrgent })
        return (entry.id, self.advance())
    }

    /// Notes that the former state of `device` is kept, because something plays there now.
    public mutating func hold(_ device: Device.ID, footprint: Set<Device.ID>) {
        self.held[device, default: []].formUnion(footprint.union([device]))
    }

    /// Handles the end of an announcement, or of its wait.
    public mutating func ended(_ id: ID) -> [Action] {
        self.entries.removeAll { $0.id == id }
        return self.advance()
    }

    /// Handles that an announcement no longer plays, because a more urgent one begins; it is the next of its kind.
    /// - Returns: `nil` when it was not to be interrupted.
    public mutating func interrupted(_ id: ID) -> [Action]? {
        guard let index = self.entries.firstIndex(where: { $0.id == id && $0.isPlaying && $0.isInterrupted }) else { return nil }
        var entry = self.entries.remove(at: index)
        entry.isPlaying = false
        self.insert(entry, before: { !$0.isUrgent })
        return self.advance()
    }

    /// Handles that what a device played is given back, or that this is given up.
    public mutating func restored(_ device: Device.ID) -> [Action] {
        self.restoring.remove(device)
        self.held[device] = nil
        return self.advance()
    }

    /// Whether the former state of a device is kept.
    public func holds(_ device: Device.ID) -> Bool { self.held[device] != nil }

    private mutating func insert(_ entry: Entry, before isLater: (Entry) -> Bool) {
        self.entries.insert(entry, at: self.entries.firstIndex { !$0.isPlaying && isLater($0) } ?? self.entries.count)
    }

    /// Returns what can begin now; all other methods but `hold` do so themselves.
    public mutating func advance() -> [Action] {
        var actions: [Action] = []
        var locked = self.restoring.reduce(into: Set<Device.ID>()) { $0.formUnion(self.held[$1] ?? []) }
        for entry in self.entries where entry.isPlaying { locked.formUnion(entry.footprint) }
        for (index, entry) in self.entries.enumerated() where !entry.isPlaying {
            if locked.isDisjoint(with: entry.footprint) {
                (self.entries[index].isPlaying, self.entries[index].isInterrupted) = (true, false)
                actions.append(.start(entry.id))
            } else if entry.isUrgent {
                actions += self.interruptions(for: entry)
            }
            locked.formUnion(entry.footprint)
        }
        // A group before its members: what it shows on them would be taken for theirs.
        for (device, footprint) in self.held.sorted(by: { ($1.value.count, $0.key) < ($0.value.count, $1.key) })
        where !self.restoring.contains(device) && locked.isDisjoint(with: footprint) {
            self.restoring.insert(device)
            locked.formUnion(footprint)
            actions.append(.restore(device))
        }
        return actions
    }

    private mutating func interruptions(for entry: Entry) -> [Action] {
        self.entries.enumerated().compactMap { index, other in
            guard other.isPlaying, !other.isUrgent, !other.isInterrupted, !other.footprint.isDisjoint(with: entry.footprint) else {
                return nil
            }
            self.entries[index].isInterrupted = true
            return .interrupt(other.id)
        }
    }
}

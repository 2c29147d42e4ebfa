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
        /// Stop playing it and report that with `interrupted`; it starts again later.
        case interrupt(ID)
        /// Give back what played on this device and the members below it, and report that with `restored`.
        case restore(Device.ID)
    }

    private struct Entry: Sendable {
        var id: ID
        var device: Device.ID
        var footprint: Set<Device.ID>
        var isUrgent: Bool
        /// Equal announcements become one while nothing is heard of them.
        var content: Announcement
        var isInterrupted = false
    }

    /// The largest number of announcements that wait.
    public static let maximumWaiting = 200

    private var waiting: [Entry] = []
    private var playing: [Entry] = []
    /// The footprints of devices whose former state is kept.
    private var held: [Device.ID: Set<Device.ID>] = [:]
    private var restoring: Set<Device.ID> = []
    private var lastID: ID = 0

    public init() {}

    public var isEmpty: Bool { self.waiting.isEmpty && self.playing.isEmpty && self.held.isEmpty }

    /// Adds an announcement.
    /// - Returns: its id, which is that of an equal one that waits, and the actions; `nil` when too many wait.
    public mutating func submit(_ content: Announcement, on device: Device.ID, footprint: Set<Device.ID>) -> (id: ID, actions: [Action])? {
        // As long as nothing is heard of an equal one, both are the same.
        let silent = self.waiting + self.playing.filter { self.held[$0.device] == nil }
        if let equal = silent.first(where: { $0.device == device && $0.content == content && !$0.isInterrupted }) { return (equal.id, []) }
        guard self.waiting.count < Self.maximumWaiting else { return nil }
        self.lastID += 1
        let entry = Entry(
            id: self.lastID, device: device, footprint: footprint.union([device]), isUrgent: content.priority == .high, content: content)
        self.insert(entry, before: { !$0.isUrgent && entry.isUrgent })
        return (entry.id, self.advance())
    }

    /// Notes that the former state of `device` is kept, because something plays there now.
    public mutating func hold(_ device: Device.ID, footprint: Set<Device.ID>) {
        self.held[device, default: []].formUnion(footprint.union([device]))
    }

    /// Handles the end of an announcement, or of its wait.
    public mutating func ended(_ id: ID) -> [Action] {
        self.playing.removeAll { $0.id == id }
        self.waiting.removeAll { $0.id == id }
        return self.advance()
    }

    /// Handles that an announcement no longer plays, because a more urgent one begins; it is the next of its kind.
    public mutating func interrupted(_ id: ID) -> [Action] {
        guard let index = self.playing.firstIndex(where: { $0.id == id }) else { return [] }
        self.insert(self.playing.remove(at: index), before: { !$0.isUrgent })
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
        self.waiting.insert(entry, at: self.waiting.firstIndex(where: isLater) ?? self.waiting.count)
    }

    /// Returns what can begin now; all other methods but `hold` do so themselves.
    public mutating func advance() -> [Action] {
        var actions: [Action] = []
        var locked = self.restoring.reduce(into: Set<Device.ID>()) { $0.formUnion(self.held[$1] ?? []) }
        for entry in self.playing { locked.formUnion(entry.footprint) }
        var remaining: [Entry] = []
        for var entry in self.waiting {
            if locked.isDisjoint(with: entry.footprint) {
                entry.isInterrupted = false
                self.playing.append(entry)
                actions.append(.start(entry.id))
            } else {
                remaining.append(entry)
                if entry.isUrgent { actions += self.interruptions(for: entry) }
            }
            locked.formUnion(entry.footprint)
        }
        self.waiting = remaining
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
        self.playing.indices.compactMap { index in
            guard !self.playing[index].isUrgent, !self.playing[index].isInterrupted,
                !self.playing[index].footprint.isDisjoint(with: entry.footprint)
            else { return nil }
            self.playing[index].isInterrupted = true
            return .interrupt(self.playing[index].id)
        }
    }
}

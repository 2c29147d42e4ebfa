import CastModels

/// Decides which announced devices that were never connected are tried. Does no I/O; the time is an argument.
///
/// An announcement costs its sender nothing and proves nothing. While there are no more devices than places, each keeps its place until it
/// is removed. Otherwise a device whose attempt failed gives its place to the next one and waits. Devices that were never tried go first.
///
/// ```
///  add ─► fresh ──┐ next           failed, others wait
///                 ├─────► tried ─────────────────────► paused ─► (after the pause, next)
///       paused ───┘         │
///                           └─ exclude ─► excluded: takes no place and is not tried again
/// ```
public struct VerificationQueue: Sendable {
    /// The number of devices tried at a time.
    public static let placeLimit = 512
    /// The largest number of devices that are tried or wait, and of excluded ones; further devices are ignored.
    public static let deviceLimit = 4096
    /// The shortest wait of a device that gave its place to another.
    public static let pause = Duration.seconds(20)

    private struct Waiting {
        var id: Device.ID
        var ticket: UInt64
        var until: MonotonicTime
    }

    private enum Standing: Equatable {
        case tried
        /// A ticket is valid while its entry is in the queue; a removed device leaves an invalid entry behind.
        case waiting(ticket: UInt64)
        case excluded
    }

    private var standings: [Device.ID: Standing] = [:]
    private var triedCount = 0
    public private(set) var excludedCount = 0
    private var fresh = FIFO<Waiting>()
    private var paused = FIFO<Waiting>()
    private var lastTicket: UInt64 = 0

    public init() {}

    /// The number of devices that are tried or wait.
    public var count: Int { self.standings.count - self.excludedCount }

    /// Returns whether the device is tried, waits or is excluded.
    public func contains(_ id: Device.ID) -> Bool { self.standings[id] != nil }

    /// Adds a device, if there is room and it is new.
    public mutating func add(_ id: Device.ID, now: MonotonicTime) {
        guard self.standings[id] == nil, self.count < Self.deviceLimit else { return }
        self.fresh.append(self.wait(id, until: now))
        self.fresh.compact(above: 2 * Self.deviceLimit) { self.standings[$0.id] == .waiting(ticket: $0.ticket) }
    }

    public func isExcluded(_ id: Device.ID) -> Bool { self.standings[id] == .excluded }

    /// Removes a device that was connected, or whose announcements ended.
    public mutating func remove(_ id: Device.ID) {
        switch self.standings.removeValue(forKey: id) {
        case .tried: self.triedCount -= 1
        case .excluded: self.excludedCount -= 1
        case .waiting, nil: break
        }
    }

    /// Excludes a connected device: it gives up its place and is kept until it is removed.
    /// - Returns: whether there was room for it; otherwise nothing changes.
    public mutating func exclude(_ id: Device.ID) -> Bool {
        guard self.standings[id] == .tried, self.excludedCount < Self.deviceLimit else { return false }
        self.standings[id] = .excluded
        self.triedCount -= 1
        self.excludedCount += 1
        return true
    }

    /// Handles a failed attempt.
    /// - Returns: whether the device gives its place to another one; it is then not tried again until `next` returns it.
    public mutating func failed(_ id: Device.ID, now: MonotonicTime) -> Bool {
        guard self.standings[id] == .tried, self.count > Self.placeLimit else { return false }
        self.triedCount -= 1
        self.paused.append(self.wait(id, until: now + Self.pause))
        self.paused.compact(above: 2 * Self.deviceLimit) { self.standings[$0.id] == .waiting(ticket: $0.ticket) }
        return true
    }

    /// Returns the device to try next; `nil` when every place is taken or no device may be tried before `deadline`.
    public mutating func next(now: MonotonicTime) -> Device.ID? {
        guard self.triedCount < Self.placeLimit else { return nil }
        while let first = self.fresh.first, self.isVoid(first) { self.fresh.removeFirst() }
        while let first = self.paused.first, self.isVoid(first) { self.paused.removeFirst() }
        let waiting: Waiting
        if let first = self.fresh.first {
            waiting = first
            self.fresh.removeFirst()
        } else if let first = self.paused.first, first.until <= now {
            waiting = first
            self.paused.removeFirst()
        } else {
            return nil
        }
        self.standings[waiting.id] = .tried
        self.triedCount += 1
        return waiting.id
    }

    /// When `next` returns a device again without another event; `nil` when only an event changes that. Read it after `next` returned
    /// `nil`.
    public var deadline: MonotonicTime? { self.triedCount < Self.placeLimit ? self.paused.first?.until : nil }

    private mutating func wait(_ id: Device.ID, until: MonotonicTime) -> Waiting {
        self.lastTicket += 1
        self.standings[id] = .waiting(ticket: self.lastTicket)
        return Waiting(id: id, ticket: self.lastTicket, until: until)
    }

    private func isVoid(_ waiting: Waiting) -> Bool { self.standings[waiting.id] != .waiting(ticket: waiting.ticket) }
}

/// A queue that removes its first element without moving the others each time.
private struct FIFO<Element: Sendable>: Sendable {
    private var elements: [Element] = []
    private var start = 0

    var first: Element? { self.start < self.elements.count ? self.elements[self.start] : nil }

    mutating func append(_ element: Element) { self.elements.append(element) }

    mutating func removeFirst() {
        self.start += 1
        if self.start * 2 > self.elements.count {
            self.elements.removeFirst(self.start)
            self.start = 0
        }
    }

    /// Removes invalid elements when there are too many.
    mutating func compact(above limit: Int, isValid: (Element) -> Bool) {
        guard self.elements.count - self.start > limit else { return }
        self.elements = self.elements[self.start...].filter(isValid)
        self.start = 0
    }
}

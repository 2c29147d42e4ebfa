import CastModels

/// Decides when the changed documents of one device may be sent, so that a device with frequent changes does not flood the broker. Does no
/// I/O and owns no timer.
///
/// The first change is sent at once. After that each document is sent at most four times a second, `queue` at most every two seconds, and
/// the last change is always sent. `media` waits while an item is loading, because it would be sent twice.
///
/// A round of all documents together waits for neither `queue` nor `media`, because only a complete round clears topics that it does not
/// contain.
public struct DocumentPace: Sendable {
    /// The largest number of rounds within `interval`.
    static let rounds = 4
    static let interval = Duration.seconds(1)
    /// The shortest time between two `queue` documents.
    static let queueInterval = Duration.seconds(2)
    /// The longest that `media` waits for an item to play.
    static let settlingTime = Duration.seconds(2)
    /// Documents that are rare and urgent, so they are never delayed.
    static let unpaced: DeviceDocuments = [.availability, .info, .listing]

    private var held: DeviceDocuments = []
    /// Whether the next round must be complete.
    private var isWholeHeld = false
    /// The times of the newest rounds, oldest first.
    private var recent: [MonotonicTime] = []
    private var lastQueue: MonotonicTime?
    private var mediaHeldSince: MonotonicTime?
    private var isSettling = false

    public init() {}

    /// Handles a change of these documents.
    /// - Parameter isSettling: whether an item is loading.
    /// - Returns: the documents to send now.
    public mutating func changed(_ documents: DeviceDocuments, isSettling: Bool, at now: MonotonicTime) -> DeviceDocuments {
        self.held.formUnion(documents)
        if documents.isSuperset(of: .all) { self.isWholeHeld = true }
        self.isSettling = isSettling
        return self.release(at: now)
    }

    /// - Returns: the documents to send now. Call it at `nextDeadline`.
    public mutating func release(at now: MonotonicTime) -> DeviceDocuments {
        var due = self.held
        if self.isWholeHeld {
            // Unpaced documents may have been sent meanwhile.
            due.formUnion(.all)
        } else {
            self.removeEarly(from: &due, at: now)
        }
        let paced = due.subtracting(Self.unpaced)
        if paced.isEmpty || self.recent.count >= Self.rounds && now < self.recent[0] + Self.interval {
            due = self.held.intersection(Self.unpaced)
        } else {
            self.isWholeHeld = false
            if self.recent.count >= Self.rounds { self.recent.removeFirst() }
            self.recent.append(now)
        }
        if due.contains(.queue) { self.lastQueue = now }
        if due.contains(.media) { self.mediaHeldSince = nil }
        self.held.subtract(due)
        return due
    }

    private mutating func removeEarly(from due: inout DeviceDocuments, at now: MonotonicTime) {
        if due.contains(.queue), let lastQueue, now < lastQueue + Self.queueInterval { due.remove(.queue) }
        guard due.contains(.media), self.isSettling else { return }
        let since = self.mediaHeldSince ?? now
        self.mediaHeldSince = since
        if now < since + Self.settlingTime { due.remove(.media) }
    }

    /// When to call `release`; `nil` while no document waits.
    public var nextDeadline: MonotonicTime? {
        guard !self.held.isEmpty else { return nil }
        var earliest: MonotonicTime?
        func consider(_ time: MonotonicTime?) { earliest = MonotonicTime.earlier(earliest, time) }
        let round = self.recent.count < Self.rounds ? self.recent.last : self.recent.first.map { $0 + Self.interval }
        if self.isWholeHeld { return round }
        if !self.held.subtracting([.queue, .media]).isEmpty { consider(round) }
        if self.held.contains(.queue) { consider(Self.later(self.lastQueue.map { $0 + Self.queueInterval }, round)) }
        if self.held.contains(.media) {
            consider(Self.later(self.isSettling ? self.mediaHeldSince.map { $0 + Self.settlingTime } : nil, round))
        }
        return earliest
    }

    private static func later(_ left: MonotonicTime?, _ right: MonotonicTime?) -> MonotonicTime? {
        guard let left, let right else { return left ?? right }
        return max(left, right)
    }
}

extension DevicePlayerState {
    public var isSettling: Bool {
        switch self {
        case .loading, .buffering: true
        case .off, .idle, .on, .playing, .paused, .unknown: false
        }
    }
}

import BridgeCore
import CastSender

/// Decides when the state file is written. Does no I/O and owns no timer.
///
/// The first write happens at once, and a few follow after short pauses, because the devices of a first start are published when they are
/// on disk. After that the pauses grow, so that a fleet that is found device by device needs only a few writes. Most of a long pause is
/// left out once no further change comes, so that the last devices of a large fleet don't wait for devices that do not exist.
struct WritePace {
    /// How soon a change must be on disk.
    enum Urgency {
        /// A command's answer waits for it.
        case now
        /// A part waits for it, or a user chose it.
        case soon
        /// Losing the change in a crash costs little.
        case later
    }

    /// The first pause between writes; after `shortPauses` of them each pause is twice as long as the previous one.
    static let firstPause = Duration.milliseconds(100)
    static let shortPauses = 4
    static let longestPause = Duration.seconds(8)
    /// The time without a change that ends a pause, or an eighth of the pause if that is more; for the first `shortenedPauses` in a row.
    static let calm = Duration.milliseconds(200)
    static let shortenedPauses = 10
    /// The time without a write after which the pauses start again from `firstPause`.
    static let quiet = Duration.seconds(10)
    /// How long changes that are not urgent are collected.
    static let gathering = Duration.seconds(30)

    private var isUrgent = false
    private var soon: MonotonicTime?
    /// The last change that was not `later`.
    private var lastChange: MonotonicTime?
    private var later: MonotonicTime?
    private var pause = Duration.zero
    /// The number of consecutive writes without a quiet period.
    private var writesInRow = 0
    private var lastWrite: MonotonicTime?

    /// When to write; `nil` when nothing changed. A time in the past means now.
    var due: MonotonicTime? {
        var due = self.later.map { $0 + Self.gathering }
        if var soon = self.soon {
            if let endOfPause = self.endOfPause, !self.isUrgent { soon = max(soon, endOfPause) }
            due = min(due ?? soon, soon)
        }
        return due
    }

    private var endOfPause: MonotonicTime? {
        guard let lastWrite, let lastChange else { return nil }
        let end = lastWrite + self.pause
        guard self.writesInRow <= Self.shortenedPauses else { return end }
        return min(end, max(lastWrite + Self.firstPause, lastChange + max(Self.calm, self.pause / 8)))
    }

    mutating func changed(_ urgency: Urgency, now: MonotonicTime) {
        switch urgency {
        case .now, .soon:
            self.soon = self.soon ?? now
            self.lastChange = now
            if urgency == .now { self.isUrgent = true }
        case .later: self.later = self.later ?? now
        }
    }

    /// A write of all changes begins.
    mutating func begun() { (self.soon, self.later, self.isUrgent) = (nil, nil, false) }

    mutating func ended(now: MonotonicTime) {
        let follows = self.lastWrite.map { now < $0 + Self.quiet } ?? false
        self.writesInRow = follows ? self.writesInRow + 1 : 1
        self.pause = self.writesInRow <= Self.shortPauses ? Self.firstPause : min(self.pause * 2, Self.longestPause)
        self.lastWrite = now
    }
}

import BridgeCore
import CastSender

/// Decides when the state file is written. Does no I/O and owns no timer.
///
/// The first write goes at once, and a few follow after short pauses, because the devices of a first start are published when they are on
/// disk. From then on the pauses grow, so that a fleet that is found device by device costs a few writes, not one for each device.
struct WritePace {
    /// How soon a change has to be on disk.
    enum Urgency {
        /// Something waits for it, or a user chose it.
        case soon
        /// Losing it in a crash costs little.
        case later
    }

    /// Between the first writes; after `shortPauses` of them each is twice as long as the one before.
    static let firstPause = Duration.milliseconds(100)
    static let shortPauses = 4
    static let longestPause = Duration.seconds(8)
    /// Without a write for this long, the pauses begin from scratch.
    static let quiet = Duration.seconds(10)
    /// How long changes that are not urgent are gathered.
    static let gathering = Duration.seconds(30)

    private var soon: MonotonicTime?
    private var later: MonotonicTime?
    private var pause = Duration.zero
    /// How many writes followed each other without a quiet time in between.
    private var writesInRow = 0
    private var lastWrite: MonotonicTime?

    /// When to write; `nil` when nothing changed. A time in the past means now.
    var due: MonotonicTime? {
        var due = self.later.map { $0 + Self.gathering }
        if var soon = self.soon {
            if let lastWrite { soon = max(soon, lastWrite + self.pause) }
            due = min(due ?? soon, soon)
        }
        return due
    }

    mutating func changed(_ urgency: Urgency, now: MonotonicTime) {
        switch urgency {
        case .soon: self.soon = self.soon ?? now
        case .later: self.later = self.later ?? now
        }
    }

    /// A write of everything that changed begins.
    mutating func begun() { (self.soon, self.later) = (nil, nil) }

    mutating func ended(now: MonotonicTime) {
        let follows = self.lastWrite.map { now < $0 + Self.quiet } ?? false
        self.writesInRow = follows ? self.writesInRow + 1 : 1
        self.pause = self.writesInRow <= Self.shortPauses ? Self.firstPause : min(self.pause * 2, Self.longestPause)
        self.lastWrite = now
    }
}

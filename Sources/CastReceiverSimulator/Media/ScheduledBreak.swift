/// An ad break of an item, as MediaInformation describes it.
struct ScheduledBreak: Sendable, Hashable {
    struct Clip: Sendable, Hashable {
        /// The duration of a clip without a stated one, in seconds.
        static let usualDuration = 15.0

        var id: String
        var durationSeconds: Double
        /// Seconds of the clip after which it may be skipped; `nil` means never.
        var skippableAfterSeconds: Double?
    }

    /// The index in MediaInformation's `breaks`.
    var index: Int
    var id: String
    /// The position in seconds of the item; -1 is its end.
    var position: Double
    var clips: [Clip]
    /// Whether the clips are part of the item's own stream, so that its position advances.
    var isEmbedded: Bool
    var isWatched: Bool

    /// Returns the breaks of an item by position, with post-rolls last; a break without clips is left out.
    static func all(of media: JSON) -> [ScheduledBreak] {
        let clips = (media["breakClips"]?.elements ?? []).compactMap { clip -> Clip? in
            guard let id = clip["id"]?.text else { return nil }
            return Clip(
                id: id, durationSeconds: clip["duration"]?.double.flatMap { $0 > 0 ? $0 : nil } ?? Clip.usualDuration,
                skippableAfterSeconds: clip["whenSkippable"]?.double.flatMap { $0 >= 0 ? $0 : nil })
        }
        let byID = Dictionary(clips.map { ($0.id, $0) }) { first, _ in first }
        let breaks = (media["breaks"]?.elements ?? []).enumerated().compactMap { index, json -> ScheduledBreak? in
            guard let id = json["id"]?.text, let position = json["position"]?.double else { return nil }
            let clips = (json["breakClipIds"]?.elements ?? []).compactMap { $0.text.flatMap { byID[$0] } }
            guard !clips.isEmpty else { return nil }
            return ScheduledBreak(
                index: index, id: id, position: position, clips: clips, isEmbedded: json["isEmbedded"]?.boolean ?? false,
                isWatched: json["isWatched"]?.boolean ?? false)
        }
        return breaks.sorted { ($0.isPostRoll ? 1 : 0, $0.position) < ($1.isPostRoll ? 1 : 0, $1.position) }
    }

    var isPostRoll: Bool { self.position < 0 }
}

/// The position in a break that is playing or paused.
struct AdBreakProgress: Sendable, Hashable {
    var adBreak: ScheduledBreak
    var clipIndex = 0
    /// Seconds of the clip when it last started to advance.
    var clipFrom = 0.0
    /// Since when it advances; `nil` while paused.
    var since: Duration?
    var contentPosition: Double
    var endsItem = false

    var clip: ScheduledBreak.Clip { self.adBreak.clips[self.clipIndex] }

    func clipTime(at now: Duration) -> Double {
        min(self.clipFrom + (self.since.map { max(0, (now - $0).inSeconds) } ?? 0), self.clip.durationSeconds)
    }

    func breakTime(at now: Duration) -> Double {
        self.adBreak.clips[..<self.clipIndex].map(\.durationSeconds).reduce(0, +) + self.clipTime(at: now)
    }

    /// Returns the position in the item, which only clips of its own stream advance.
    func position(at now: Duration) -> Double {
        self.contentPosition + (self.adBreak.isEmbedded ? self.breakTime(at: now) : 0)
    }

    func isSkippable(at now: Duration) -> Bool {
        // Rounding can move a deadline slightly before or after its moment.
        self.clip.skippableAfterSeconds.map { self.clipTime(at: now) >= $0 - 0.001 } ?? false
    }

    /// When the clip becomes skippable or ends, whichever comes first.
    var nextDeadline: Duration? {
        guard let since else { return nil }
        if let skippable = self.clip.skippableAfterSeconds, skippable < self.clip.durationSeconds, self.clipFrom < skippable - 0.001 {
            return since + .bounded(seconds: skippable - self.clipFrom)
        }
        return since + .bounded(seconds: max(0, self.clip.durationSeconds - self.clipFrom))
    }

    /// Adds the elapsed time, so that `clipFrom` is the current position.
    mutating func settle(at now: Duration, isMoving: Bool) {
        self.clipFrom = self.clipTime(at: now)
        self.since = isMoving ? now : nil
    }

    /// Moves to the next clip; returns `false` when the break is over.
    mutating func nextClip(at now: Duration) -> Bool {
        guard self.clipIndex + 1 < self.adBreak.clips.count else { return false }
        self.clipIndex += 1
        (self.clipFrom, self.since) = (0, self.since == nil ? nil : now)
        return true
    }

    /// `breakStatus`.
    func json(at now: Duration) -> JSON {
        .members([
            "breakId": .string(self.adBreak.id), "breakClipId": .string(self.clip.id),
            "currentBreakTime": .number(self.breakTime(at: now)), "currentBreakClipTime": .number(self.clipTime(at: now)),
            "whenSkippable": self.clip.skippableAfterSeconds.map(JSON.number),
        ])
    }
}

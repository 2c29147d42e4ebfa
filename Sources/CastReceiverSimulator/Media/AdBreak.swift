/// A break of an item for advertising, as MediaInformation describes it.
struct AdBreak: Sendable, Hashable {
    struct Clip: Sendable, Hashable {
        /// Seconds of a clip whose length nobody stated.
        static let usualDuration = 15.0

        var id: String
        var durationSeconds: Double
        /// Seconds of the clip after which it may be skipped; `nil` never.
        var skippableAfterSeconds: Double?
    }

    /// Its place in MediaInformation's `breaks`.
    var index: Int
    var id: String
    /// Seconds of the item; -1 is its end.
    var position: Double
    var clips: [Clip]
    /// Whether the clips are part of the item's own stream, so that the position goes on.
    var isEmbedded: Bool
    var isWatched: Bool

    /// The breaks of an item, by position with post-rolls last; one without clips is left out.
    static func all(of media: JSON) -> [AdBreak] {
        let clips = (media["breakClips"]?.elements ?? []).compactMap { clip -> Clip? in
            guard let id = clip["id"]?.text else { return nil }
            return Clip(
                id: id, durationSeconds: clip["duration"]?.double.flatMap { $0 > 0 ? $0 : nil } ?? Clip.usualDuration,
                skippableAfterSeconds: clip["whenSkippable"]?.double.flatMap { $0 >= 0 ? $0 : nil })
        }
        let byID = Dictionary(clips.map { ($0.id, $0) }) { first, _ in first }
        let breaks = (media["breaks"]?.elements ?? []).enumerated().compactMap { index, json -> AdBreak? in
            guard let id = json["id"]?.text, let position = json["position"]?.double else { return nil }
            let clips = (json["breakClipIds"]?.elements ?? []).compactMap { $0.text.flatMap { byID[$0] } }
            guard !clips.isEmpty else { return nil }
            return AdBreak(
                index: index, id: id, position: position, clips: clips, isEmbedded: json["isEmbedded"]?.boolean ?? false,
                isWatched: json["isWatched"]?.boolean ?? false)
        }
        return breaks.sorted { ($0.isPostRoll ? 1 : 0, $0.position) < ($1.isPostRoll ? 1 : 0, $1.position) }
    }

    var isPostRoll: Bool { self.position < 0 }
}

/// The place in a break that plays or is paused.
struct AdBreakProgress: Sendable, Hashable {
    var adBreak: AdBreak
    var clipIndex = 0
    /// Seconds of the clip when it last began to move.
    var clipFrom = 0.0
    /// Since when it moves; `nil` while paused.
    var since: Duration?
    /// Position in the item at which the break began.
    var contentPosition: Double
    /// Whether the item is over after it.
    var endsItem = false

    var clip: AdBreak.Clip { self.adBreak.clips[self.clipIndex] }

    func clipTime(at now: Duration) -> Double {
        min(self.clipFrom + (self.since.map { max(0, (now - $0).inSeconds) } ?? 0), self.clip.durationSeconds)
    }

    func breakTime(at now: Duration) -> Double {
        self.adBreak.clips[..<self.clipIndex].map(\.durationSeconds).reduce(0, +) + self.clipTime(at: now)
    }

    /// Position in the item, which only the clips of its own stream move.
    func position(at now: Duration) -> Double {
        self.contentPosition + (self.adBreak.isEmbedded ? self.breakTime(at: now) : 0)
    }

    func isSkippable(at now: Duration) -> Bool {
        // A deadline comes a rounding before or after the moment that it stands for.
        self.clip.skippableAfterSeconds.map { self.clipTime(at: now) >= $0 - 0.001 } ?? false
    }

    /// When it becomes skippable or the clip ends, whichever comes next.
    var nextDeadline: Duration? {
        guard let since else { return nil }
        if let skippable = self.clip.skippableAfterSeconds, skippable < self.clip.durationSeconds, self.clipFrom < skippable - 0.001 {
            return since + .bounded(seconds: skippable - self.clipFrom)
        }
        return since + .bounded(seconds: max(0, self.clip.durationSeconds - self.clipFrom))
    }

    /// Takes the passed time into account, so that `clipFrom` is the present.
    mutating func settle(at now: Duration, isMoving: Bool) {
        self.clipFrom = self.clipTime(at: now)
        self.since = isMoving ? now : nil
    }

    /// Goes to the next clip; false when the break is over.
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

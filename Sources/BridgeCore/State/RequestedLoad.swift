import CastModels

/// The load command of the bridge that a device carries out, until its outcome is known.
struct RequestedLoad: Sendable, Hashable {
    /// Whether it has neither an answer nor a status of its own yet.
    private(set) var isPending = false
    /// Whether it has no answer yet; the answer then reports its failure.
    private(set) var isUnanswered = false
    /// The media session at the time of the request.
    private var sessionBefore: Int?
    /// The load that the bridge stopped waiting for; `nil` when there is none.
    private var late: Late?

    /// A load that was answered `timeout` and may still play.
    private struct Late: Sendable, Hashable {
        var sessionBefore: Int?
        /// Whether `error_code` is its failure.
        var isReported = false
    }

    /// - Parameter session: the media session of the device, if it has one.
    mutating func requested(during session: Int?) {
        self = Self()
        (self.isPending, self.isUnanswered, self.sessionBefore) = (true, true, session)
    }

    /// It shows no progress, or the device is offline.
    mutating func stalled() { self.isPending = false }

    mutating func answered(isTimeout: Bool) {
        let late = isTimeout ? Late(sessionBefore: self.sessionBefore) : self.late
        self = Self()
        self.late = late
    }

    /// - Returns: whether a load that was answered `timeout` plays after all.
    mutating func mediaReported(_ status: MediaStatus) -> Bool {
        if status.mediaSessionID != self.sessionBefore { self.isPending = false }
        guard let late, status.mediaSessionID != late.sessionBefore, status.playerState == .playing else { return false }
        self.late = nil
        return true
    }

    mutating func commandSucceeded() { self.late = nil }

    mutating func commandFailed() {
        // The first failure is that of the load itself.
        self.late = self.late.flatMap { $0.isReported ? nil : Late(sessionBefore: $0.sessionBefore, isReported: true) }
    }
}

import CastModels

/// What plays.
extension RemoteMediaClient {
    /// The merged status as the receiver told it; `nil` when there is no media session.
    public var mediaStatus: MediaStatus? { get async { await self.session.mediaStatus } }

    /// The status and its changes, newest wins; `nil` when there is no media session. A queue that goes on to its next item isn't idle
    /// in between, though some receivers say so: such an end is shown when nothing followed for 3 s. For what people look at;
    /// `CastSession.mediaStatuses` holds nothing back. Ends with the session.
    public var mediaStatuses: StateSequence<MediaStatus?> { get async { await self.session.shownMediaStatuses } }

    /// What happens, in order; the newest 64 are kept for a slow reader. Ends with the session.
    public var events: EventSequence<MediaEvent> { get async { await self.session.mediaEvents } }

    /// The present on the clock of `MediaStatus.receivedAt`.
    public var now: MonotonicTime { MonotonicTime(self.session.eventLoop.now) }

    /// Seconds from the start of the media, computed from the last status; `nil` when nothing plays or the receiver tells no position.
    public var approximateStreamPosition: Double? { get async { await self.mediaStatus?.approximateStreamPosition(at: self.now) } }

    /// The part of a live stream that can be sought now; `nil` for media that isn't live.
    public var approximateLiveSeekableRange: LiveSeekableRange? {
        get async { await self.mediaStatus?.approximateLiveSeekableRange(at: self.now) }
    }

    /// The picture to show for what plays, chosen by `defaults.imagePicker`; `nil` when there is none.
    nonisolated(nonsending) public func image(_ hints: ImageHints) async -> MediaImage? {
        guard let metadata = await self.mediaStatus?.shownMedia?.metadata else { return nil }
        return self.defaults.imagePicker.image(for: hints, of: metadata)
    }
}

import CastModels

/// Reads the state of the media.
extension RemoteMediaClient {
    /// The merged status as the receiver reported it; `nil` when there is no media session.
    public var mediaStatus: MediaStatus? { get async { await self.session.mediaStatus } }

    /// The status and its changes, newest wins; `nil` when there is no media session. Some receivers report an idle state between two items
    /// of a queue. It is left out: an end is shown only when nothing followed for 3 s. Use this sequence for user interfaces;
    /// `CastSession.mediaStatuses` leaves nothing out. Ends with the session.
    public var mediaStatuses: StateSequence<MediaStatus?> { get async { await self.session.shownMediaStatuses } }

    /// The events in order; the newest 64 are kept for a slow reader. Ends with the session.
    public var events: EventSequence<MediaEvent> { get async { await self.session.mediaEvents } }

    /// The current time on the clock of `MediaStatus.receivedAt`.
    public var now: MonotonicTime { MonotonicTime(self.session.eventLoop.now) }

    /// Seconds from the start of the media, estimated from the last status; `nil` when no media is playing or the receiver reports no
    /// position.
    public var approximateStreamPosition: Double? { get async { await self.mediaStatus?.approximateStreamPosition(at: self.now) } }

    /// The part of a live stream that can be seeked to now; `nil` for media that is not live.
    public var approximateLiveSeekableRange: LiveSeekableRange? {
        get async { await self.mediaStatus?.approximateLiveSeekableRange(at: self.now) }
    }

    /// Returns the picture to show for the media, selected by `defaults.imagePicker`; `nil` when there is none.
    nonisolated(nonsending) public func image(_ hints: ImageHints) async -> MediaImage? {
        guard let metadata = await self.mediaStatus?.shownMedia?.metadata else { return nil }
        return self.defaults.imagePicker.image(for: hints, of: metadata)
    }
}

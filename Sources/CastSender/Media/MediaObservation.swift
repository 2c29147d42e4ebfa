import CastModels
import EventLoopTiming
import NIOCore

/// The media state that a session keeps for its observers. Sources are created at first use, so a session without observers has no cost
/// here.
struct MediaObservation {
    /// The shown statuses and the events between them. Behind a reference, because most sessions have no observer.
    final class Watch {
        let statuses: StateSource<MediaStatus?>
        let events = EventSource<MediaEvent>()
        var shown = ShownMediaStatus()
        /// Fires at the end of an idle moment.
        let deadline: Deadline

        init(_ status: MediaStatus?, at now: MonotonicTime, deadline: Deadline) {
            self.statuses = StateSource(status)
            self.deadline = deadline
            _ = self.shown.update(status, at: now)
        }
    }

    var watch: Watch?
    var queue = MediaQueueStateMachine()
    var queueWindow = QueueWindowStateMachine()
    /// Created when a caller first reads the queue.
    var queueChanges: EventSource<MediaQueueChange>?
    /// The largest number of items in one request.
    var queuePageSize = 20

    mutating func updateWindow(_ status: MediaStatus?, isForced: Bool) -> QueueWindowStateMachine.Outcome {
        self.queueWindow.update(status, self.queue, isForced: isForced)
    }

    func finish() {
        self.watch?.deadline.cancel()
        self.watch?.statuses.finish()
        self.watch?.events.finish()
        self.queueChanges?.finish()
    }
}

extension CastSession {
    /// The merged statuses, without the short idle state between two items of a queue.
    var shownMediaStatuses: StateSequence<MediaStatus?> { self.watchMedia().statuses.sequence }

    var mediaEvents: EventSequence<MediaEvent> { self.watchMedia().events.sequence }

    var mediaQueueChanges: EventSequence<MediaQueueChange> {
        self.followQueue()
        if let changes = self.mediaObservation.queueChanges { return changes.sequence }
        let changes = EventSource<MediaQueueChange>()
        if !self.isConnected { changes.finish() }
        self.mediaObservation.queueChanges = changes
        return changes.sequence
    }

    /// The newest of `shownMediaStatuses`.
    var shownMediaStatus: MediaStatus? { self.watchMedia().shown.status }

    private func watchMedia() -> MediaObservation.Watch {
        if let watch = self.mediaObservation.watch { return watch }
        let watch = MediaObservation.Watch(
            self.mediaStatus, at: MonotonicTime(self.eventLoop.now),
            deadline: Deadline(of: self, on: self.eventLoop) { $0.show { $0.tick(at: $1) } })
        self.mediaObservation.watch = watch
        if !self.isConnected { self.mediaObservation.finish() }
        return watch
    }

    /// Handles a media status; `nil` when there is no media session.
    func mediaObserved(_ status: MediaStatus?) {
        if self.mediaObservation.queue.isFollowed { self.queueFollows(self.mediaObservation.queue.mediaStatus(status)) }
        self.updateQueueWindow()
        guard self.mediaObservation.watch != nil else { return }
        self.show { $0.update(status, at: $1) }
    }

    /// Reports a playback error that no request caused.
    func mediaFailed(_ error: CastError) {
        self.mediaObservation.watch?.events.send(.failed(error))
        self.notify(.mediaFailed(error))
    }

    private func show(_ change: (inout ShownMediaStatus, MonotonicTime) -> ShownMediaStatus.Action) {
        guard let watch = self.mediaObservation.watch else { return }
        let former = watch.shown.status
        let action = change(&watch.shown, MonotonicTime(self.eventLoop.now))
        switch action {
        case .none: watch.deadline.cancel()
        case .show:
            watch.deadline.cancel()
            watch.statuses.set(watch.shown.status)
            for event in MediaEvent.between(former, watch.shown.status) { watch.events.send(event) }
            self.updateControllers()
        case .wait(let until):
            watch.deadline.arm(at: .uptimeNanoseconds(UInt64(clamping: until.nanoseconds)))
        }
    }
}

import CastModels
import EventLoopTiming
import Logging
import NIOCore

/// The media state that a session keeps for its observers. Sources are created at first use, so a session without observers has no cost
/// here.
final class MediaObservation {
    /// The shown statuses and the events between them.
    final class Watch {
        let statuses: StateSource<MediaStatus?>
        let events = EventSource<MediaEvent>()
        private(set) var shown = ShownMediaStatus()
        /// Fires at the end of an idle moment.
        let deadline: Deadline

        init(_ status: MediaStatus?, at now: MonotonicTime, deadline: Deadline) {
            self.statuses = StateSource(status)
            self.deadline = deadline
            _ = self.shown.update(status, at: now)
        }

        /// - Returns: whether another status is shown now.
        func change(_ change: (inout ShownMediaStatus) -> ShownMediaStatus.Action) -> Bool {
            let former = self.shown.status
            switch change(&self.shown) {
            case .none: self.deadline.cancel()
            case .wait(let until): self.deadline.arm(at: .uptimeNanoseconds(UInt64(clamping: until.nanoseconds)))
            case .show:
                self.deadline.cancel()
                self.statuses.set(self.shown.status)
                for event in MediaEvent.between(former, self.shown.status) { self.events.send(event) }
                return true
            }
            return false
        }
    }

    private(set) var watch: Watch?
    private(set) var queue = MediaQueueStateMachine()
    private(set) var queueWindow = QueueWindowStateMachine()
    private(set) var queueChanges: EventSource<MediaQueueChange>?
    /// The largest number of items in one request.
    private(set) var queuePageSize = 20
    /// The applications that were asked for their status and have not answered.
    private var asked: Set<String> = []
    /// The values that were logged last.
    private(set) var logged: Logger.Metadata?

    func change<Outcome>(_ change: (inout MediaQueueStateMachine) -> Outcome) -> Outcome { change(&self.queue) }

    func change(_ change: (inout QueueWindowStateMachine, MediaQueueStateMachine) -> QueueWindowStateMachine.Outcome)
        -> QueueWindowStateMachine.Outcome
    {
        change(&self.queueWindow, self.queue)
    }

    func configureQueue(cacheSize: Int, pageSize: Int) {
        self.queue.setCacheCapacity(cacheSize)
        self.queuePageSize = pageSize
    }

    func begin(_ watch: Watch) { self.watch = watch }

    func begin(_ changes: EventSource<MediaQueueChange>) { self.queueChanges = changes }

    /// Returns whether the application is to be asked for its status: no question to it is open.
    func asks(_ transportID: String) -> Bool { self.asked.insert(transportID).inserted }

    /// The answer arrived, or will not arrive.
    func questionEnded(_ transportID: String) { self.asked.remove(transportID) }

    /// Returns whether these values differ from those of the last call.
    func logs(_ media: Logger.Metadata) -> Bool {
        defer { self.logged = media }
        return media != self.logged
    }

    /// Forgets the questions that the former link left unanswered, and the queue, which is read again over the new link.
    func reopened() {
        if let change = self.queue.reopened().change { self.queueChanges?.send(change) }
        (self.queueWindow, self.asked, self.logged) = (QueueWindowStateMachine(), [], nil)
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
        if self.connectionState == .ended { changes.finish() }
        self.mediaObservation.begin(changes)
        return changes.sequence
    }

    /// The newest of `shownMediaStatuses`.
    var shownMediaStatus: MediaStatus? { self.watchMedia().shown.status }

    private func watchMedia() -> MediaObservation.Watch {
        if let watch = self.mediaObservation.watch { return watch }
        let watch = MediaObservation.Watch(
            self.mediaStatus, at: MonotonicTime(self.eventLoop.now),
            deadline: Deadline(of: self, on: self.eventLoop) { $0.show { $0.tick(at: $1) } })
        self.mediaObservation.begin(watch)
        if self.connectionState == .ended { self.mediaObservation.finish() }
        return watch
    }

    /// Handles a media status; `nil` when there is no media session.
    func mediaObserved(_ status: MediaStatus?) {
        // Before the link is ready, another device may answer, and a status may be a part of the whole one. `becomeReady` calls again.
        guard self.connectionState == .connected else { return }
        if self.mediaObservation.queue.isFollowed { self.queueFollows { $0.mediaStatus(status) } }
        self.updateQueueWindow()
        if self.mediaObservation.watch != nil { self.show { $0.update(status, at: $1) } }
    }

    /// Reports a playback error that no request caused.
    func mediaFailed(_ error: CastError) {
        if self.connectionState == .connected { self.mediaObservation.watch?.events.send(.failed(error)) }
        self.notify(.mediaFailed(error))
    }

    private func show(_ change: (inout ShownMediaStatus, MonotonicTime) -> ShownMediaStatus.Action) {
        let now = MonotonicTime(self.eventLoop.now)
        if self.mediaObservation.watch?.change({ change(&$0, now) }) == true { self.updateControllers() }
    }
}

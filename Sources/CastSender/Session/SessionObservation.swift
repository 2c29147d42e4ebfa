import CastModels

/// The events and newest states of one session, for library users.
struct SessionObservation {
    let events = EventSource<CastLinkEvent>()
    let receiver: StateSource<ReceiverStatus?>
    let media: StateSource<MediaStatus?>
    let multizone: StateSource<MultizoneStatus?>

    init(receiver: ReceiverStatus?, media: MediaStatus?, multizone: MultizoneStatus?) {
        self.receiver = StateSource(receiver)
        self.media = StateSource(media)
        self.multizone = StateSource(multizone)
    }

    /// Publishes the states first, so that they are up to date for a reader of the event.
    func notify(_ event: CastLinkEvent) {
        switch event {
        case .ready(let receiver, let media):
            self.receiver.set(receiver)
            self.media.set(media)
        case .receiverStatus(let status): self.receiver.set(status)
        case .mediaStatus(let status): self.media.set(status)
        case .connecting, .identified, .identityMismatch, .authenticated, .mediaFailed, .queueWindow, .application, .multizoneStatus,
            .groupChanged, .disconnected, .attemptFailed:
            break
        }
        self.events.send(event)
        if case .disconnected = event { self.finish() }
    }

    func finish() {
        self.events.finish()
        self.receiver.finish()
        self.media.finish()
        self.multizone.finish()
    }
}

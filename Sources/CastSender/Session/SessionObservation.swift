import CastModels

/// What one session tells library users: its events and its newest states.
struct SessionObservation {
    let events = EventSource<CastSessionEvent>()
    let receiver: StateSource<ReceiverStatus?>
    let media: StateSource<MediaStatus?>
    let multizone: StateSource<MultizoneStatus?>

    init(receiver: ReceiverStatus?, media: MediaStatus?, multizone: MultizoneStatus?) {
        self.receiver = StateSource(receiver)
        self.media = StateSource(media)
        self.multizone = StateSource(multizone)
    }

    /// States first, so that whoever acts on an event finds them up to date.
    func tell(_ event: CastSessionEvent) {
        switch event {
        case .ready(let receiver, let media):
            self.receiver.set(receiver)
            self.media.set(media)
        case .receiverStatus(let status): self.receiver.set(status)
        case .mediaStatus(let status): self.media.set(status)
        case .identified, .authenticated, .queueWindow, .applicationConnection, .launchStatus, .multizoneStatus, .groupChanged, .ended:
            break
        }
        self.events.send(event)
    }

    func finish() {
        self.events.finish()
        self.receiver.finish()
        self.media.finish()
        self.multizone.finish()
    }
}

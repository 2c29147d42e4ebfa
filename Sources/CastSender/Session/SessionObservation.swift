import CastModels

/// Whether the requests of a session can be sent (SDK: `GCKConnectionState`, and the suspended state of `GCKSession`).
public enum ConnectionState: Sendable, Hashable {
    /// The device is connected and its state has been read.
    case connected
    /// There is no link; a next one continues the session. States are the last ones, and requests fail at once with `sessionSuspended`.
    case suspended
    /// The session is over.
    case ended
}

/// What library users read of a session: its device, its connection, and the sequences and controllers, which are created for the first
/// user, since most sessions have none.
struct SessionObservers {
    let devices: StateSource<Device?>
    let connection = StateSource(ConnectionState.suspended)
    /// The newest of `connection`, read with each status.
    private(set) var state = ConnectionState.suspended
    private(set) var observation: SessionObservation?
    private(set) var controls: SessionControllers?
    /// The statuses when the last link ended.
    private(set) var lastReceiver: ReceiverStatus?
    private(set) var lastMedia: MediaStatus?

    init(device: Device?) { self.devices = StateSource(device) }

    mutating func moved(to device: Device?) { self.devices.setIfChanged(device) }

    mutating func connected() {
        (self.lastReceiver, self.lastMedia) = (nil, nil)
        self.enter(.connected)
    }

    mutating func suspended(_ receiver: ReceiverStatus?, _ media: MediaStatus?) {
        (self.lastReceiver, self.lastMedia) = (receiver, media)
        self.enter(.suspended)
    }

    /// - Returns: `false` after the first call.
    mutating func end() -> Bool {
        guard self.state != .ended else { return false }
        self.enter(.ended)
        return true
    }

    private mutating func enter(_ state: ConnectionState) {
        self.state = state
        self.connection.setIfChanged(state)
    }

    mutating func observation(receiver: ReceiverStatus?, media: MediaStatus?, multizone: MultizoneStatus?) -> SessionObservation {
        if let observation { return observation }
        let observation = SessionObservation(receiver: receiver, media: media, multizone: multizone)
        if self.state == .ended { observation.finish() }
        self.observation = observation
        return observation
    }

    mutating func add(_ controls: SessionControllers) { self.controls = controls }

    func finish() {
        self.observation?.finish()
        self.controls?.finish()
        self.devices.finish()
        self.connection.finish()
    }
}

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
    }

    func finish() {
        self.events.finish()
        self.receiver.finish()
        self.media.finish()
        self.multizone.finish()
    }
}

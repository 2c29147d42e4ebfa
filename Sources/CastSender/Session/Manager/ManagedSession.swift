import CastModels
import EventLoopTiming
import NIOCore

/// The manager's state of one session; belongs to the manager's event loop.
final class ManagedSession {
    /// The link that is open or being opened.
    private struct Link {
        var number: UInt64 = 0
        var supervisor: DeviceSupervisor?
        var isReady = false
        var endpoint: DeviceEndpoint?
        var lastError: CastError?
    }

    /// The number of the session, which distinguishes it from a later one with the same device.
    let number: UInt64
    private(set) var device: Device
    private(set) var lifecycle = SessionLifecycle()
    private(set) var applicationID: String?
    /// Our part in the application session of this session; `nil` before it has one.
    private(set) var participation: Participation?
    private var link = Link()
    /// What users hold of the session, from its first link to its end.
    private(set) var handle: CastSession?
    private var resumeDeadline: Deadline?
    /// The last reports of the link.
    private var part = ApplicationSession()
    private var media: MediaStatus?
    private var streams = StreamWatch()
    /// The stream that another device may continue, and the members of the group that lost it.
    private var lost: (stream: LostStream, members: Set<Device.ID>)?
    private var search: StreamSearch?
    private var waiters: [UInt64: CheckedContinuation<Result<CastSession, CastError>, Never>] = [:]
    private var lastWaiterID: UInt64 = 0

    init(device: Device, number: UInt64) {
        self.device = device
        self.number = number
    }

    /// The key that closures keep in place of a reference.
    var key: Key { Key(device: self.device.id, number: self.number) }

    struct Key: Sendable, Hashable {
        let device: Device.ID
        let number: UInt64
    }

    /// The handle while the link is ready.
    var session: CastSession? { self.link.isReady ? self.handle : nil }

    /// The number of the current link, by which late events of an earlier one are ignored.
    var linkNumber: UInt64 { self.link.number }

    /// The error of the last failed attempt.
    var lastError: CastError? { self.link.lastError }

    var info: SessionInfo? {
        self.lifecycle.state.map {
            SessionInfo(device: self.device, state: $0, applicationID: self.applicationID, sessionID: self.participation?.sessionID)
        }
    }

    var record: SessionRecord? {
        guard let applicationID, let participation else { return nil }
        return SessionRecord(
            deviceID: self.device.id, friendlyName: self.device.friendlyName, modelName: self.device.modelName,
            endpoints: self.device.endpoints, applicationID: applicationID, sessionID: participation.sessionID,
            isOwned: participation.isLaunched)
    }

    /// Changes the lifecycle; the manager performs the actions.
    func change(_ change: (inout SessionLifecycle) -> [SessionLifecycle.Action]) -> [SessionLifecycle.Action] { change(&self.lifecycle) }

    // MARK: - Its device and application

    /// Discovery reports the device.
    func found(_ device: Device) {
        self.device = device
        self.handle?.assumeIsolated { $0.describe(device) }
        self.link.supervisor?.update(endpoints: device.endpoints)
    }

    /// The device was seen, or the network changed.
    func wake() { self.link.supervisor?.wake() }

    /// - Parameter applicationID: the application that it is to run; `nil` for any.
    func wants(_ applicationID: String?) { self.applicationID = applicationID }

    func restore(from record: SessionRecord) {
        self.applicationID = record.applicationID
        self.participation = Participation(sessionID: record.sessionID, isLaunched: record.isOwned)
    }

    /// The application runs and counts us as a sender.
    func runs(_ application: ReceiverApplication, _ participation: Participation) {
        self.follows(application)
        self.participation = participation
    }

    /// Android TV applications report an id of their own, which no other device knows.
    private func follows(_ application: ReceiverApplication) {
        if let applicationID, application.matches(applicationID) { return }
        self.applicationID = application.universalApplicationID ?? application.applicationID
    }

    /// Its stream continues on another device.
    func move(to device: Device, _ application: ReceiverApplication) {
        self.device = device
        self.handle?.assumeIsolated { session in
            session.closeRegisteredChannels()
            session.describe(device)
        }
        self.link.endpoint = nil
        self.link.lastError = nil
        self.participation = application.sessionID.map {
            Participation(sessionID: $0, isLaunched: self.participation?.isLaunched ?? false)
        }
        if self.applicationID != nil { self.follows(application) }
    }

    /// The link reports our part in what runs.
    ///
    /// - Returns: whether the application session has ended.
    func changed(_ part: ApplicationSession) -> Bool {
        guard let participation, part.id == participation.sessionID else { return self.participation != nil }
        // Left applications are not joined again over the next link.
        self.participation = part.participation ?? Participation(sessionID: participation.sessionID, isHeld: false)
        return false
    }

    /// Follows the media for the moment in which it may have moved.
    func follow(_ status: MediaStatus?, at now: MonotonicTime) {
        self.streams.changes(self.media, to: status, in: self.application, at: now)
        self.media = status
    }

    /// Keeps the last report of the link.
    func keep(_ part: ApplicationSession) { self.part = part }

    /// The application session ends.
    ///
    /// - Returns: whether its stream may continue on another device.
    func losesStream(at now: MonotonicTime) -> Bool {
        guard let session, let application,
            let stream = self.streams.ends(application, media: self.media, part: self.part, at: now)
        else { return false }
        self.lost = (stream, Set(session.assumeIsolated { $0.group.status?.devices.map(\.id) ?? [] }))
        return true
    }

    private var application: ReceiverApplication? {
        guard let applicationID, let participation else { return nil }
        return ReceiverApplication(applicationID: applicationID, sessionID: participation.sessionID)
    }

    /// Begins the search for the lost stream, not on the members of a group, which only show the group's end.
    func beginSearch() -> (stream: LostStream, search: StreamSearch)? {
        guard let lost = self.lost.take() else { return nil }
        let search = StreamSearch(excluded: lost.members.union([self.device.id]))
        self.search = search
        return (lost.stream, search)
    }

    /// - Returns: whether `search` is the current one; `nil` ends any.
    @discardableResult
    func endSearch(_ ended: StreamSearch? = nil) -> Bool {
        guard ended == nil || ended === self.search else { return false }
        self.search?.end()
        self.search = nil
        return true
    }

    func consider(_ device: Device) { self.search?.consider(device) }

    // MARK: - Its link

    /// Begins another link.
    func nextLink() -> UInt64 {
        self.link.number += 1
        return self.link.number
    }

    func opened(_ supervisor: DeviceSupervisor) { self.link.supervisor = supervisor }

    func closeLink() {
        self.link.number += 1
        self.link.supervisor?.stop()
        (self.link.supervisor, self.link.isReady) = (nil, false)
    }

    /// The session is over. The link closes first, which it does in a later turn of the loop.
    func end(on eventLoop: any EventLoop) {
        guard let handle = self.handle else { return }
        eventLoop.execute { handle.assumeIsolated { $0.finish() } }
    }

    /// The link is ready.
    ///
    /// - Returns: its session, and whether the device's host is another than before; `nil` when it has ended meanwhile.
    func linkReady() -> (session: CastSession, hasMoved: Bool)? {
        guard let supervisor = self.link.supervisor else { return nil }
        let (session, endpoint) = supervisor.assumeIsolated { ($0.session, $0.endpoint) }
        guard let session else { return nil }
        let former = self.link.endpoint
        (self.handle, self.link.isReady, self.link.endpoint) = (session, true, endpoint)
        // Discovery may have described the device since the link was begun.
        let device = self.device
        session.assumeIsolated { $0.describe(device) }
        return (session, former != nil && former?.host != endpoint?.host)
    }

    /// An attempt failed, or the link broke.
    func linkFailed(_ error: CastError, isLost: Bool) {
        self.link.lastError = error
        if isLost { self.link.isReady = false }
    }

    /// Sets when the attempts to resume end.
    func resumes(within limit: Duration, _ deadline: () -> Deadline) {
        let deadline = self.resumeDeadline ?? deadline()
        deadline.arm(in: .nanoseconds(limit.wholeNanoseconds))
        self.resumeDeadline = deadline
    }

    func resumed() { self.resumeDeadline?.cancel() }

    // MARK: - Callers that wait for its link

    func nextWaiterID() -> UInt64 {
        self.lastWaiterID += 1
        return self.lastWaiterID
    }

    func wait(_ id: UInt64, _ continuation: CheckedContinuation<Result<CastSession, CastError>, Never>) { self.waiters[id] = continuation }

    func endWaiting(_ id: UInt64, _ result: Result<CastSession, CastError>) {
        self.waiters.removeValue(forKey: id)?.resume(returning: result)
    }

    func endWaiting(_ result: Result<CastSession, CastError>) { for id in self.waiters.keys { self.endWaiting(id, result) } }
}

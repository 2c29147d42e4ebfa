import CastModels
import EventLoopTiming
import NIOCore

/// What a session manager knows of one session; belongs to the manager's event loop.
final class ManagedSession {
    var device: Device
    var lifecycle = SessionLifecycle()
    var applicationID: String?
    var sessionID: String?
    /// Whether we launched the application, or joined it.
    var isOwned = false
    var supervisor: DeviceSupervisor?
    /// The session over the present link, while it is ready.
    var session: CastSession?
    var endpoint: DeviceEndpoint?
    /// Tells what a former link still says.
    var linkNumber: UInt64 = 0
    /// Why the last attempt came to nothing.
    var lastError: CastError?
    /// For how long an interrupted session may resume.
    var resumeDeadline: Deadline?
    /// What plays, while anything does.
    var media: MediaStatus?
    /// What played when its player ended.
    var trail: StreamTrail?
    /// The members of the group that lost its stream.
    var members: Set<Device.ID> = []
    /// The search for a lost stream.
    var search: StreamSearch?
    private var waiters: [UInt64: CheckedContinuation<Result<CastSession, CastError>, Never>] = [:]
    private var lastWaiterID: UInt64 = 0

    /// Tells this session from a later one with the same device.
    let number: UInt64

    init(device: Device, number: UInt64) {
        self.device = device
        self.number = number
    }

    /// What closures may keep of it.
    var key: Key { Key(device: self.device.id, number: self.number) }

    struct Key: Sendable, Hashable {
        let device: Device.ID
        let number: UInt64
    }

    var info: SessionInfo? {
        self.lifecycle.state.map {
            SessionInfo(device: self.device, state: $0, applicationID: self.applicationID, sessionID: self.sessionID)
        }
    }

    var record: SessionRecord? {
        guard let applicationID, let sessionID else { return nil }
        return SessionRecord(
            deviceID: self.device.id, friendlyName: self.device.friendlyName, modelName: self.device.modelName,
            endpoints: self.device.endpoints, applicationID: applicationID, sessionID: sessionID, isOwned: self.isOwned)
    }

    func nextWaiterID() -> UInt64 {
        self.lastWaiterID += 1
        return self.lastWaiterID
    }

    func wait(_ id: UInt64, _ continuation: CheckedContinuation<Result<CastSession, CastError>, Never>) { self.waiters[id] = continuation }

    func endWaiting(_ id: UInt64, _ result: Result<CastSession, CastError>) {
        self.waiters.removeValue(forKey: id)?.resume(returning: result)
    }

    func endWaiting(_ result: Result<CastSession, CastError>) {
        let waiters = self.waiters
        self.waiters = [:]
        for waiter in waiters.values { waiter.resume(returning: result) }
    }
}

import CastModels
import EventLoopTiming
import NIOCore

/// The manager's state of one session; belongs to the manager's event loop.
final class ManagedSession {
    var device: Device
    var lifecycle = SessionLifecycle()
    var applicationID: String?
    /// Our part in the application session of this session; `nil` before it has one.
    var participation: Participation?
    /// The last report of the link.
    var part = ApplicationSession()
    var supervisor: DeviceSupervisor?
    /// The session over the current link, while that is ready.
    var session: CastSession?
    var endpoint: DeviceEndpoint?
    /// The number of the current link, by which late events of an earlier link are ignored.
    var linkNumber: UInt64 = 0
    /// The error of the last failed attempt.
    var lastError: CastError?
    /// The deadline for resuming an interrupted session.
    var resumeDeadline: Deadline?
    /// The last reported status of the media.
    var media: MediaStatus?
    var streams = StreamWatch()
    /// The stream that another device may continue, and the members of the group that lost it.
    var lost: (stream: LostStream, members: Set<Device.ID>)?
    /// The search for a lost stream.
    var search: StreamSearch?
    private var waiters: [UInt64: CheckedContinuation<Result<CastSession, CastError>, Never>] = [:]
    private var lastWaiterID: UInt64 = 0

    /// The number of the session, which distinguishes it from a later one with the same device.
    let number: UInt64

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

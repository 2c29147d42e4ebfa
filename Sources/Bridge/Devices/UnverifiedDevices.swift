import BridgeCore
import CastSender
import EventLoopTiming
import LogKeys
import Logging
import NIOCore

/// Devices that were announced and never connected. Any program in the network can announce any number of them, so they have no topics, no
/// slug and no line in the state file. `DeviceFleet` adopts a device when its first link is ready.
///
/// `VerificationQueue` decides which of them are tried. A device that can run none of the required applications is excluded: it occupies
/// none of the places for trials, its link is kept, and it is asked again after each reconnection.
final class UnverifiedDevices {
    /// The largest number of unreachable devices that the log reports.
    private static let warningLimit = 16

    /// An attempt to connect to one of them, with the events of its link before it was ready.
    final class Trial {
        let key: DeviceAgent.Key
        let supervisor: DeviceSupervisor
        fileprivate(set) var identity: DeviceIdentity?
        fileprivate(set) var authentication: DeviceAuthenticationResult?
        /// The newest reports of a ready link; `nil` while it is not ready.
        fileprivate(set) var readiness: Readiness?

        init(key: DeviceAgent.Key, supervisor: DeviceSupervisor) { (self.key, self.supervisor) = (key, supervisor) }
    }

    /// The newest reports of a ready link.
    struct Readiness {
        var receiver: ReceiverStatus
        var media: MediaStatus?
        /// The further reports, to be handled after these two.
        var others: [CastLinkEvent] { [self.application, self.queueWindow, self.multizone].compactMap { $0 } }
        fileprivate var application: CastLinkEvent?
        fileprivate var queueWindow: CastLinkEvent?
        fileprivate var multizone: CastLinkEvent?
    }

    private struct Candidate {
        var device: Device
        /// The trial; `nil` while the device waits for its turn.
        var trial: Trial?
    }

    private let context: BridgeContext
    private let begin: (Device) -> Trial
    private var queue = VerificationQueue()
    private var candidates: [Device.ID: Candidate] = [:]
    /// The callers that wait until a device is adopted or excluded.
    private var waiting: [Device.ID: [EventLoopPromise<Void>]] = [:]
    /// The devices that the log has named as unreachable; at most `warningLimit`.
    private var warned: Set<Device.ID> = []
    /// Each warning is logged once: while there is no room, every further announcement would log a line.
    private var (hasWarnedOfFullTable, hasWarnedOfFullFleet) = (false, false)
    private lazy var deadline = self.context.loop.deadline { [weak self] in self?.tryNext() }

    /// - Parameter begin: creates a supervisor for a device and runs it.
    init(_ context: BridgeContext, begin: @escaping (Device) -> Trial) { (self.context, self.begin) = (context, begin) }

    var count: Int { self.queue.count }

    /// The number of devices that can run none of the required applications.
    var excludedCount: Int { self.queue.excludedCount }

    func contains(_ id: Device.ID) -> Bool { self.candidates[id] != nil }

    func isExcluded(_ id: Device.ID) -> Bool { self.queue.isExcluded(id) }

    func isTrying(_ key: DeviceAgent.Key) -> Bool { self.trial(key) != nil }

    private func trial(_ key: DeviceAgent.Key) -> Trial? { self.candidates[key.device]?.trial.flatMap { $0.key == key ? $0 : nil } }

    // MARK: Discovery

    func seen(_ device: Device) {
        if self.candidates[device.id] != nil {
            self.candidates[device.id]?.device = device
            self.candidates[device.id]?.trial?.supervisor.update(endpoints: device.endpoints)
            return
        }
        self.queue.add(device.id, now: self.context.time)
        guard self.queue.contains(device.id) else { return self.leftOut(device) }
        self.candidates[device.id] = Candidate(device: device)
        self.context.logger.debug(
            "device announced", metadata: [.device: "\(device.id)", .address: "\(device.endpoints.first?.description ?? "-")"])
        self.tryNext()
    }

    private func leftOut(_ device: Device) {
        guard !self.hasWarnedOfFullTable else { return }
        self.hasWarnedOfFullTable = true
        self.context.logger.warning(
            "too many announced devices that were never connected; further ones are left out",
            metadata: [.device: "\(device.id)", .limit: "\(VerificationQueue.deviceLimit)"])
    }

    /// Warns of the first device that can't be adopted, because the fleet has as many as it may have.
    func leftOutOfFullFleet(_ device: Device, limit: Int) {
        guard !self.hasWarnedOfFullFleet else { return }
        self.hasWarnedOfFullFleet = true
        self.context.logger.warning(
            "too many devices; further ones are left out",
            metadata: [.device: "\(device.id)", .name: "\(device.friendlyName)", .limit: "\(limit)"])
    }

    /// Retries at once instead of waiting for the next attempt. A device that waits for its turn keeps waiting.
    func wake(_ id: Device.ID) { self.candidates[id]?.trial?.supervisor.wake() }

    func wakeAll() { for candidate in self.candidates.values { candidate.trial?.supervisor.wake() } }

    /// Removes a device whose announcements ended.
    func lost(_ id: Device.ID) { self.take(id)?.trial?.supervisor.stop() }

    // MARK: Links

    /// Handles the events of a trial until its link is ready.
    func handle(_ event: CastLinkEvent, of key: DeviceAgent.Key) {
        guard let trial = self.trial(key) else { return }
        switch event {
        case .identified(let identity): trial.identity = identity
        case .authenticated(let result): trial.authentication = result
        case .attemptFailed(let error, _, _):
            if !self.isExcluded(key.device) { self.failed(error, trial) }
        case .receiverStatus(let status): trial.readiness?.receiver = status
        case .mediaStatus(let status): trial.readiness?.media = status
        case .application: trial.readiness?.application = event
        case .queueWindow: trial.readiness?.queueWindow = event
        case .multizoneStatus: trial.readiness?.multizone = event
        case .disconnected: trial.readiness = nil
        // `ready` replaces the state reported earlier.
        default: break
        }
    }

    // MARK: Required applications

    /// The link is ready, and the device is to be asked for its applications.
    /// - Returns: the session for the question; `nil` when there is no such trial.
    func ready(_ receiver: ReceiverStatus, _ media: MediaStatus?, of key: DeviceAgent.Key) -> CastSession? {
        guard let trial = self.trial(key) else { return nil }
        trial.readiness = Readiness(receiver: receiver, media: media)
        return trial.supervisor.assumeIsolated { $0.session }
    }

    /// Returns the newest reports since the link is ready; `nil` when it is no longer ready.
    func readiness(of key: DeviceAgent.Key) -> Readiness? { self.trial(key)?.readiness }

    /// Excludes a device that can run none of the required applications, or did not answer.
    func exclude(_ key: DeviceAgent.Key, hasAnswered: Bool) {
        guard let candidate = self.candidates[key.device], candidate.trial?.key == key, !self.isExcluded(key.device) else { return }
        guard self.queue.exclude(key.device) else {
            self.take(key.device)?.trial?.supervisor.stop()
            return
        }
        let metadata: LogMetadata = [.device: "\(key.device)", .name: "\(candidate.device.friendlyName)"]
        if hasAnswered {
            self.context.logger.info("device left out; it can run none of discovery.applications", metadata: metadata)
        } else {
            self.context.logger.info("device left out; it did not answer which of discovery.applications it can run", metadata: metadata)
        }
        self.decided(key.device)
        self.tryNext()
    }

    /// Returns whether it is still unknown which applications the device can run.
    func isUndecided(_ id: Device.ID) -> Bool { self.contains(id) && !self.isExcluded(id) }

    /// Waits at most `limit` until a device is adopted or excluded, or its announcements end. Returns at once for any other device.
    nonisolated(nonsending) func awaitDecision(on id: Device.ID, within limit: TimeAmount) async {
        guard self.isUndecided(id) else { return }
        let decision = self.context.loop.eventLoop.makePromise(of: Void.self)
        self.waiting[id, default: []].append(decision)
        await sleep(limit, on: self.context.loop.eventLoop, wake: decision)
        self.waiting[id]?.removeAll { $0.futureResult === decision.futureResult }
        if self.waiting[id]?.isEmpty == true { self.waiting[id] = nil }
    }

    private func decided(_ id: Device.ID) { self.waiting.removeValue(forKey: id)?.forEach { $0.succeed() } }

    private func failed(_ error: CastError, _ trial: Trial) {
        let id = trial.key.device
        if self.warned.count < Self.warningLimit, let device = self.candidates[id]?.device, self.warned.insert(id).inserted {
            self.context.logger.warning(
                "announced device not reachable; it has no topics until it was connected",
                metadata: [.device: "\(id)", .name: "\(device.friendlyName)", .error: "\(error)"])
        }
        guard self.queue.failed(id, now: self.context.time) else { return }
        self.candidates[id]?.trial = nil
        trial.supervisor.stop()
        self.tryNext()
    }

    private func tryNext() {
        while let id = self.queue.next(now: self.context.time) {
            guard let device = self.candidates[id]?.device else { continue }
            self.candidates[id]?.trial = self.begin(device)
        }
        self.deadline.set(self.queue.deadline)
    }

    /// Removes a device that was connected, or whose announcements ended.
    /// - Returns: the last description of the device by discovery, and its trial; `nil` when there is no such device.
    func take(_ id: Device.ID) -> (device: Device, trial: Trial?)? {
        guard let candidate = self.candidates.removeValue(forKey: id) else { return nil }
        self.queue.remove(id)
        self.decided(id)
        self.tryNext()
        return (candidate.device, candidate.trial)
    }

    func end() { self.deadline.cancel() }
}

import CastModels
import EventLoopTiming
import NIOCore

/// What users ask of sessions.
extension SessionManager {
    /// Starts a session: connects, launches the application or joins it when it runs already, and becomes one of its senders.
    ///
    /// - Parameters:
    ///   - applicationID: `nil` takes the context's receiver application.
    ///   - launchOptions: `nil` takes the context's.
    /// - Throws: `duplicateRequest` when there is a session with the device, the last error of connecting when the device wasn't reached within
    ///   `CastOptions.connectTimeout`, an error of `CastSession.launch`, `cancelled` when it was ended meanwhile. When the caller is cancelled
    ///   after the launch, what was launched is stopped first, if it shows within 5 s.
    @discardableResult
    public func start(
        on device: Device, launching applicationID: String? = nil, launchOptions: LaunchOptions? = nil
    ) async throws(CastError) -> CastSession {
        let applicationID = applicationID ?? self.options.receiverApplicationID
        let launchOptions = launchOptions ?? self.options.launchOptions
        let entry = try self.open(device)
        entry.applicationID = applicationID
        return try await self.begin(entry) { session throws(CastError) in
            try await session.startApplication(applicationID, options: launchOptions)
        }
    }

    /// Joins what runs on a device, without launching anything.
    ///
    /// - Parameter applicationID: `nil` takes whatever runs.
    /// - Throws: `applicationNotRunning` when nothing runs or something else; otherwise as `start`.
    @discardableResult
    public func join(_ device: Device, running applicationID: String? = nil) async throws(CastError) -> CastSession {
        let entry = try self.open(device)
        entry.applicationID = applicationID
        return try await self.begin(entry) { session throws(CastError) in try await session.joinApplication(applicationID) }
    }

    /// Ends a session. Without stopping, the application keeps running for others.
    ///
    /// A cancelled caller stops it all the same.
    ///
    /// - Parameter stopsApplication: `nil` does what the context's options say.
    /// - Throws: `sessionIsNotActive` when there is none; when the application couldn't be stopped the error, and the session has ended all
    ///   the same.
    public func end(_ device: Device.ID, stopsApplication: Bool? = nil) async throws(CastError) {
        let entry = try self.entry(device)
        self.perform(entry.lifecycle.end(), entry)
        guard entry.lifecycle.state == .ending else { return }
        var failure: CastError?
        if stopsApplication ?? self.options.stopsApplicationWhenEnding {
            do throws(CastError) { try await self.stopApplication(of: entry) } catch { failure = error }
        }
        self.perform(entry.lifecycle.ended(failure), entry)
        if let failure { throw failure }
    }

    /// Leaves the device for a while; the application keeps running.
    ///
    /// - Throws: `sessionIsNotActive` when no session has started there.
    public func suspend(_ device: Device.ID, reason: SuspendReason = .appBackgrounded) throws(CastError) {
        let entry = try self.entry(device)
        let actions = entry.lifecycle.suspend(reason)
        guard !actions.isEmpty else { throw CastError(.sessionIsNotActive, detail: "the session is not running") }
        self.perform(actions, entry)
    }

    /// Takes a suspended session up again. One whose link broke resumes by itself; this waits for it.
    ///
    /// - Throws: `sessionIsNotActive` when there is none, `applicationNotRunning` when the application has ended meanwhile, the last error of
    ///   connecting when the device wasn't reached within `CastOptions.connectTimeout`.
    @discardableResult
    public func resume(_ device: Device.ID) async throws(CastError) -> CastSession {
        let entry = try self.entry(device)
        if entry.lifecycle.state == .started, let session = entry.session { return session }
        let actions = entry.lifecycle.resume()
        self.perform(actions, entry)
        switch entry.lifecycle.state {
        case .resuming, .suspended: return try await self.resumed(entry, endsIt: !actions.isEmpty)
        case .starting, .waitingForPermission, .started, .ending, nil:
            throw CastError(.invalidState, detail: "the session is not suspended")
        }
    }

    /// Takes a session up that an earlier run of the program left.
    ///
    /// - Throws: `duplicateRequest` when there is a session with the device; otherwise as `resume(_:)`.
    @discardableResult
    public func resume(from record: SessionRecord) async throws(CastError) -> CastSession {
        let entry = try self.open(self.newest(record.device))
        self.restore(entry, from: record)
        return try await self.resumed(entry, endsIt: true)
    }

    // MARK: -

    private func begin(
        _ entry: ManagedSession,
        _ work: (CastSession) async throws(CastError) -> (application: ReceiverApplication, isOwned: Bool)
    ) async throws(CastError) -> CastSession {
        self.perform(entry.lifecycle.start(), entry)
        do throws(CastError) {
            let session = try await self.link(of: entry)
            let (application, isOwned) = try await work(session)
            guard entry.session === session else { throw entry.lastError ?? CastError(.networkError, detail: "the link broke") }
            // Android TV applications show an id of their own, which no other device knows.
            if let asked = entry.applicationID, application.matches(asked) {
                entry.applicationID = asked
            } else {
                entry.applicationID = application.universalApplicationID ?? application.applicationID
            }
            entry.sessionID = application.sessionID
            entry.isOwned = isOwned
            self.perform(entry.lifecycle.started(), entry)
            return session
        } catch {
            // What the link said of its own end may come first.
            if entry.lifecycle.isOver { throw CastError(.cancelled, detail: "the session was ended before it began") }
            self.perform(entry.lifecycle.failed(error), entry)
            throw error
        }
    }

    /// - Parameter endsIt: whether the session ends when it is not resumed in time; one that resumes by itself goes on without this caller.
    private func resumed(_ entry: ManagedSession, endsIt: Bool) async throws(CastError) -> CastSession {
        do throws(CastError) {
            let session = try await self.link(of: entry)
            guard entry.lifecycle.state == .started else {
                throw CastError(.applicationNotRunning, detail: "the application ended meanwhile")
            }
            return session
        } catch {
            if endsIt { self.perform(entry.lifecycle.failed(error), entry) }
            throw error
        }
    }

    private func stopApplication(of entry: ManagedSession) async throws(CastError) {
        guard let session = entry.session else { throw CastError(.deviceNotConnected, detail: "the device can't be reached") }
        let sessionID = entry.sessionID
        try await evenIfCancelled { () async throws(CastError) in
            guard await session.receiverStatus?.application?.sessionID == sessionID else { return }
            try await session.stopApplication()
        }
    }

    /// The session over the link that is being made.
    private func link(of entry: ManagedSession) async throws(CastError) -> CastSession {
        if let session = entry.session { return session }
        guard !entry.lifecycle.isOver else { throw CastError(.cancelled, detail: "the session was ended") }
        let id = entry.nextWaiterID()
        let key = entry.key
        let deadline = Deadline(of: self, on: self.eventLoop) { $0.endWaiting(id, key, nil) }
        deadline.arm(in: .nanoseconds(self.options.connectTimeout.wholeNanoseconds))
        defer { deadline.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in entry.wait(id, continuation) }
        } onCancel: {
            self.eventLoop.execute {
                self.assumeIsolated { $0.endWaiting(id, key, CastError(.cancelled, detail: "the caller gave up")) }
            }
        }
        return try result.get()
    }

    /// - Parameter error: `nil` when the time is over.
    private func endWaiting(_ id: UInt64, _ key: ManagedSession.Key, _ error: CastError?) {
        guard let entry = self.entry(key) else { return }
        let late = entry.lastError ?? CastError(.timeout, detail: "the device could not be reached in time")
        entry.endWaiting(id, .failure(error ?? late))
    }
}

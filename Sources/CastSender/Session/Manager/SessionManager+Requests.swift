import CastModels
import EventLoopTiming
import NIOCore

/// Starts, ends and resumes sessions on behalf of users.
extension SessionManager {
    /// Starts a session: connects, launches the application or joins it if it is running, and becomes one of its senders.
    ///
    /// - Parameters:
    ///   - device: the device to connect to.
    ///   - applicationID: `nil` uses the context's receiver application.
    ///   - launchOptions: `nil` uses the context's options.
    /// - Throws: `duplicateRequest` when a session with the device exists, the last connection error when the device was not reached within
    ///   `CastOptions.connectTimeout`, an error of `CastSession.launch`, `cancelled` when it was ended meanwhile. When the caller is
    ///   cancelled after the launch, the launched application is stopped first, if it appears within 5 s.
    @discardableResult
    public func start(
        on device: Device, launching applicationID: String? = nil, launchOptions: LaunchOptions? = nil
    ) async throws(CastError) -> CastSession {
        try await self.endOthers(for: device)
        return try await self.begin(on: device, launching: applicationID, launchOptions: launchOptions)
    }

    /// Starts a session beside others.
    func begin(
        on device: Device, launching applicationID: String?, launchOptions: LaunchOptions? = nil
    ) async throws(CastError) -> CastSession {
        let applicationID = applicationID ?? self.options.receiverApplicationID
        let launchOptions = launchOptions ?? self.options.launchOptions
        let entry = try self.open(device)
        entry.wants(applicationID)
        return try await self.begin(entry) { session throws(CastError) in
            try await session.startApplication(applicationID, options: launchOptions)
        }
    }

    /// Joins the running application of a device, without launching one.
    ///
    /// - Parameters:
    ///   - device: the device to connect to.
    ///   - applicationID: `nil` joins any running application.
    /// - Throws: `applicationNotRunning` when no application or another one is running; otherwise the errors of `start`.
    @discardableResult
    public func join(_ device: Device, running applicationID: String? = nil) async throws(CastError) -> CastSession {
        try await self.endOthers(for: device)
        let entry = try self.open(device)
        entry.wants(applicationID)
        return try await self.begin(entry) { session throws(CastError) in try await session.join(applicationID) }
    }

    /// Ends the sessions with other devices where only one may exist. An application that can't be stopped does not hold up the next one.
    private func endOthers(for device: Device) async throws(CastError) {
        guard !self.options.allowsSeveralSessions, self.state(of: device.id) == nil else { return }
        while let id = self.deviceIDs.first(where: { $0 != device.id }) { try? await self.end(id) }
    }

    /// Ends a session. Unless it is stopped, the application keeps running for other senders.
    ///
    /// The stop completes even if the caller is cancelled.
    ///
    /// - Parameters:
    ///   - device: the id of the session's device.
    ///   - stopsApplication: `nil` uses the context's option.
    /// - Throws: `sessionIsNotActive` when there is no session; the error of stopping the application, in which case the session has still
    ///   ended.
    public func end(_ device: Device.ID, stopsApplication: Bool? = nil) async throws(CastError) {
        let entry = try self.entry(device)
        self.change(entry) { $0.end() }
        guard entry.lifecycle.state == .ending else { return }
        var failure: CastError?
        if stopsApplication ?? self.options.stopsApplicationWhenEnding {
            do throws(CastError) { try await self.stopApplication(of: entry) } catch { failure = error }
        }
        self.change(entry) { $0.ended(failure) }
        if let failure { throw failure }
    }

    /// Disconnects from the device temporarily; the application keeps running.
    ///
    /// - Throws: `sessionIsNotActive` when no session with the device has started.
    public func suspend(_ device: Device.ID, reason: SuspendReason = .appBackgrounded) throws(CastError) {
        let entry = try self.entry(device)
        guard self.change(entry, { $0.suspend(reason) }) else {
            throw CastError(.sessionIsNotActive, detail: "the session is not running")
        }
    }

    /// Resumes a suspended session. A session whose link broke resumes by itself; this call waits for it.
    ///
    /// - Throws: `sessionIsNotActive` when there is no session, `applicationNotRunning` when the application has ended meanwhile, the last
    ///   connection error when the device was not reached within `CastOptions.connectTimeout`.
    @discardableResult
    public func resume(_ device: Device.ID) async throws(CastError) -> CastSession {
        let entry = try self.entry(device)
        if entry.lifecycle.state == .started, let session = entry.session { return session }
        let isBegun = self.change(entry) { $0.resume() }
        switch entry.lifecycle.state {
        case .resuming, .suspended: return try await self.resumed(entry, endsIt: isBegun)
        case .starting, .waitingForPermission, .started, .ending, nil:
            throw CastError(.invalidState, detail: "the session is not suspended")
        }
    }

    /// Resumes a session that an earlier run of the program stored.
    ///
    /// - Throws: `duplicateRequest` when a session with the device exists; otherwise the errors of `resume(_:)`.
    @discardableResult
    public func resume(from record: SessionRecord) async throws(CastError) -> CastSession {
        try await self.endOthers(for: record.device)
        let entry = try self.open(self.newest(record.device))
        self.restore(entry, from: record)
        return try await self.resumed(entry, endsIt: true)
    }

    // MARK: -

    private func begin(
        _ entry: ManagedSession, _ work: (CastSession) async throws(CastError) -> ReceiverApplication
    ) async throws(CastError) -> CastSession {
        self.change(entry) { $0.start() }
        do throws(CastError) {
            let session = try await self.link(of: entry)
            let application = try await work(session)
            let part = await session.applicationSession.participation
            guard entry.session != nil else { throw entry.lastError ?? CastError(.networkError, detail: "the link broke") }
            guard let part else { throw CastError(.applicationNotRunning, detail: "the application has no session, or has ended") }
            entry.runs(application, part)
            self.change(entry) { $0.started() }
            return session
        } catch {
            // An event of the link may have ended the session first.
            if entry.lifecycle.isOver { throw CastError(.cancelled, detail: "the session was ended before it began") }
            self.change(entry) { $0.failed(error) }
            throw error
        }
    }

    /// - Parameter endsIt: whether the session ends when it is not resumed in time; one that resumes by itself continues without this
    ///   caller.
    private func resumed(_ entry: ManagedSession, endsIt: Bool) async throws(CastError) -> CastSession {
        do throws(CastError) {
            let session = try await self.link(of: entry)
            guard entry.lifecycle.state == .started else {
                throw CastError(.applicationNotRunning, detail: "the application ended meanwhile")
            }
            return session
        } catch {
            if endsIt { self.change(entry) { $0.failed(error) } }
            throw error
        }
    }

    private func stopApplication(of entry: ManagedSession) async throws(CastError) {
        guard let session = entry.session else { throw CastError(.deviceNotConnected, detail: "the device can't be reached") }
        let sessionID = entry.participation?.sessionID
        try await evenIfCancelled { () async throws(CastError) in
            guard await session.receiverStatus?.application?.sessionID == sessionID else { return }
            try await session.stopApplication()
        }
    }

    /// Returns the session over the link that is being opened.
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

    /// - Parameter error: `nil` after the time limit.
    private func endWaiting(_ id: UInt64, _ key: ManagedSession.Key, _ error: CastError?) {
        guard let entry = self.entry(key) else { return }
        let late = entry.lastError ?? CastError(.timeout, detail: "the device could not be reached in time")
        entry.endWaiting(id, .failure(error ?? late))
    }
}

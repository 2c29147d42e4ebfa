import CastModels
import CastProtocol
import NIOCore

/// Which connection to the application a request may use.
extension SessionStateMachine {
    /// Returns the connection to the application once it has reported its status.
    ///
    /// - Parameter applicationID: `nil` accepts any application.
    func usableTransport(of applicationID: String?) -> ApplicationStateMachine.Transport? {
        guard let transport = self.transport(of: applicationID), transport.speaksMedia, transport.isStatusKnown else { return nil }
        return transport
    }

    /// Returns the connection to the application.
    ///
    /// - Parameter applicationID: `nil` accepts any application.
    func transport(of applicationID: String?) -> ApplicationStateMachine.Transport? {
        guard let transport, let applicationID else { return self.transport }
        return self.runningApplication(applicationID)?.sessionID == transport.sessionID ? transport : nil
    }

    /// Returns whether `usableTransport` may become available: the application has a player, has not reported its namespaces yet, is being
    /// launched, or will be connected to.
    ///
    /// - Parameter applicationID: `nil` accepts any application.
    func mayGetTransport(of applicationID: String?) -> Bool {
        let running = applicationID.map(self.runningApplication) ?? self.receiver?.application
        guard let running, !running.isIdleScreen else {
            return self.application.isLaunchPending && applicationID.map(self.application.isLaunching) ?? true
        }
        guard let transport, transport.sessionID == running.sessionID else {
            return running.namespaces.isEmpty || self.application.mayConnect && running.namespaces.contains(CastNamespace.media)
        }
        return transport.speaksMedia && !self.isFollower
    }

    /// Whether the device plays for a group, and has no media session of its own.
    var isFollower: Bool { self.media == nil && self.receiver?.application?.isGroupPlaceholder == true }

    /// Returns the destination of messages on a custom channel; `nil` when no application is running or it does not support the namespace.
    func channelTransport(_ namespace: String) -> ApplicationStateMachine.Transport? {
        guard let transport, let application = self.receiver?.application, application.sessionID == transport.sessionID,
            application.namespaces.contains(namespace)
        else { return nil }
        return transport
    }

    /// Returns the running application with this id.
    func runningApplication(_ applicationID: String) -> ReceiverApplication? {
        self.receiver?.application.flatMap { $0.matches(applicationID) ? $0 : nil }
    }

    /// Returns the running application unless it is the application session `sessionID`; `nil` for the idle screen.
    func application(startedAfter sessionID: String?) -> ReceiverApplication? {
        self.receiver?.application.flatMap { $0.isIdleScreen || $0.sessionID == sessionID ? nil : $0 }
    }
}

extension SessionStateMachine {
    /// Returns whether the running application session counts us as a sender.
    func isSender(of sessionID: String) -> Bool { self.transport.map { $0.sessionID == sessionID && $0.kind == .strong } ?? false }
}

extension ApplicationStateMachine {
    /// Returns whether this launch is still the newest one, and its result is wanted.
    func isLaunching(_ applicationID: String) -> Bool {
        self.launch.map { $0.applicationID == applicationID && $0.phase != .left && $0.phase != .unwanted } ?? false
    }

    /// Whether a launch may start an application any moment.
    var isLaunchPending: Bool { self.launch?.isUnderWay ?? false }

    /// Returns whether a launch of the last seconds has no result yet.
    func isLaunchUnderWay(at now: NIODeadline) -> Bool { self.launch.map { $0.isUnderWay && now < $0.at + .seconds(10) } ?? false }

    /// Whether an attempt to connect to the running application will follow.
    var mayConnect: Bool { self.foreignLaunchEnds != nil || self.attemptDue != nil }
}

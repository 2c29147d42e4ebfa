import BridgeCore
import CastSender

/// Records the application session that the bridge launched on each device, so that the bridge still owns it after a restart and after a crash: a
/// launch and a `leave` are written at once, and their answers wait for that.
final class OwnedSessions {
    private let record: Record

    init(record: Record) { self.record = record }

    /// Records the running application if the bridge launched it.
    func remember(_ agent: DeviceAgent) {
        guard agent.applicationConnection.isOurs, let sessionID = agent.state.receiver?.application?.sessionID else { return }
        agent.ownedSessionID = sessionID
        self.record.update(agent.id, .now) { ($0.ownedSessionID, $0.launchedSessionID) = (sessionID, sessionID) }
    }

    /// Removes the application session if it has ended.
    func forgetEnded(_ agent: DeviceAgent) {
        guard let launched = agent.ownedSessionID ?? self.record[agent.id]?.launchedSessionID,
            launched != agent.state.receiver?.application?.sessionID
        else { return }
        agent.ownedSessionID = nil
        self.record.update(agent.id, .later) { ($0.ownedSessionID, $0.launchedSessionID) = (nil, nil) }
    }

    /// Notes that the bridge has left the application session while it continues to run. The next run of the bridge does not own it either.
    func forgetLeft(_ agent: DeviceAgent) {
        guard !agent.applicationConnection.isOurs, let owned = agent.ownedSessionID, let session = agent.session,
            owned == agent.state.receiver?.application?.sessionID, session.assumeIsolated({ $0.ownedSessionID }) != owned
        else { return }
        agent.ownedSessionID = nil
        self.record.update(agent.id, .now) { $0.ownedSessionID = nil }
    }
}

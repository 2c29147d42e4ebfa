import BridgeCore
import CastSender

/// Records the application session that the bridge launched on each device, so that the bridge still owns it after a restart.
///
/// Entries may be written late: without one, the bridge only treats its own application like one that another sender launched.
final class OwnedSessions {
    private let record: Record

    init(record: Record) { self.record = record }

    /// Records the running application if the bridge launched it.
    func remember(_ agent: DeviceAgent) {
        guard agent.applicationConnection.isOurs, let sessionID = agent.state.receiver?.application?.sessionID else { return }
        self.set(sessionID, agent)
    }

    /// Removes the application session if it has ended.
    func forgetEnded(_ agent: DeviceAgent) {
        guard let owned = agent.ownedSessionID ?? self.record[agent.id]?.ownedSessionID,
            owned != agent.state.receiver?.application?.sessionID
        else { return }
        self.set(nil, agent)
    }

    /// Removes the application session if the bridge has left it while it continues to run. The next run of the bridge does not own it
    /// either.
    func forgetLeft(_ agent: DeviceAgent) {
        guard !agent.applicationConnection.isOurs, let owned = agent.ownedSessionID, let session = agent.session,
            owned == agent.state.receiver?.application?.sessionID, session.assumeIsolated({ $0.ownedSessionID }) != owned
        else { return }
        self.set(nil, agent)
    }

    private func set(_ sessionID: String?, _ agent: DeviceAgent) {
        agent.ownedSessionID = sessionID
        self.record.update(agent.id, .later) { $0.ownedSessionID = sessionID }
    }
}

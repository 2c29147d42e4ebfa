import BridgeCore
import CastSender

/// Records which application sessions the bridge launched, so that they remain the bridge's across a restart. Losing an entry costs little.
final class OwnedSessions {
    private let record: Record

    init(record: Record) { self.record = record }

    /// Records the running application if the bridge launched it.
    func remember(_ agent: DeviceAgent) {
        guard agent.applicationConnection.isOurs, let sessionID = agent.state.receiver?.application?.sessionID else { return }
        self.set(sessionID, agent)
    }

    /// Removes an application session that has ended.
    func forgetEnded(_ agent: DeviceAgent) {
        guard let owned = agent.ownedSessionID ?? self.record[agent.id]?.ownedSessionID,
            owned != agent.state.receiver?.application?.sessionID
        else { return }
        self.set(nil, agent)
    }

    /// Removes an application session that the bridge left, also for the next start.
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

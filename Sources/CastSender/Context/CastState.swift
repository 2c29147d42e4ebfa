/// The state of a cast button (SDK: `GCKCastState`).
public enum CastState: Sendable, Hashable {
    case noDevicesAvailable, notConnected, connecting, connected

    /// - Parameters:
    ///   - hasDevices: whether discovery has found any device.
    ///   - sessions: all sessions.
    init(hasDevices: Bool, sessions: [SessionInfo]) {
        if sessions.contains(where: { $0.state == .started }) {
            self = .connected
        } else if sessions.contains(where: { $0.state.isOnItsWay }) {
            self = .connecting
        } else {
            self = hasDevices ? .notConnected : .noDevicesAvailable
        }
    }
}

extension SessionState {
    fileprivate var isOnItsWay: Bool {
        switch self {
        case .starting, .waitingForPermission, .resuming, .suspended(.networkError): true
        case .started, .suspended, .ending: false
        }
    }
}

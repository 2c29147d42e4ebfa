import CastModels

/// The state of the control link, as far as availability depends on it.
public enum DeviceLink: Sendable, Hashable {
    /// Not reached since the process started. The documents of an earlier run stay on the broker until `until`, also when attempts fail: the
    /// network of a machine that restarts may be late, and automations must not see the device leave.
    case neverSeen(until: MonotonicTime)
    /// Being connected again after it was offline.
    case connecting
    /// Connected, and the state was read.
    case online
    /// Lost a moment ago; still available until `until`.
    case grace(until: MonotonicTime)
    case offline

    /// Whether `availability` is `online`.
    public var isAvailable: Bool {
        switch self {
        case .online, .grace: true
        case .neverSeen, .connecting, .offline: false
        }
    }

    /// Whether enough is known to replace the documents of an earlier run.
    public var isDetermined: Bool {
        switch self {
        case .neverSeen: false
        case .connecting, .online, .grace, .offline: true
        }
    }

    /// When time alone changes this state; `nil` when it does not.
    var deadline: MonotonicTime? {
        switch self {
        case .neverSeen(let until), .grace(let until): until
        case .connecting, .online, .offline: nil
        }
    }
}

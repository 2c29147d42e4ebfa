import CastModels

/// The state of the control link, as far as availability depends on it.
package enum DeviceLink: Sendable, Hashable {
    /// Not reached since the process started. The documents of an earlier run stay on the broker until `until`, or until an attempt fails.
    case neverSeen(until: MonotonicTime)
    /// Being connected again after it was offline.
    case connecting
    /// Connected, and the state was read.
    case online
    /// Lost a moment ago; still available until `until`.
    case grace(until: MonotonicTime)
    case offline

    /// Whether `availability` is `online`.
    package var isAvailable: Bool {
        switch self {
        case .online, .grace: true
        case .neverSeen, .connecting, .offline: false
        }
    }

    /// Whether enough is known to replace the documents of an earlier run.
    package var isDetermined: Bool {
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

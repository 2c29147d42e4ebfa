import CastModels

/// The control link to a device, as far as availability depends on it.
package enum DeviceLink: Sendable, Hashable {
    /// Not reached since the process started. What an earlier run left on the broker stays until `until`, or until an attempt fails.
    case neverSeen(until: MonotonicTime)
    /// Being connected again after having been offline.
    case connecting
    /// Up, and the state was read.
    case online
    /// Lost a moment ago; counts as available until `until`.
    case grace(until: MonotonicTime)
    case offline

    /// Whether `availability` says `online`.
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

    /// When time alone changes this state.
    var deadline: MonotonicTime? {
        switch self {
        case .neverSeen(let until), .grace(let until): until
        case .connecting, .online, .offline: nil
        }
    }
}

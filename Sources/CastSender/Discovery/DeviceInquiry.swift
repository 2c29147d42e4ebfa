import CastModels
import NIOCore

/// Decides which devices to ask for their applications and when, and which of them meet the criteria. Does no I/O and owns no timer.
///
/// A device is asked once. It is asked again when it did not answer, and, if the running application matters, when its announcement
/// changes.
struct DeviceInquiry {
    /// The answer of a device.
    struct Answer: Sendable, Hashable {
        var availability: [String: ApplicationAvailability]
        /// The namespaces of the running application.
        var namespaces: Set<String>
    }

    private enum Knowledge {
        case due(at: NIODeadline, failures: Int)
        case asking(failures: Int, again: Bool)
        case known
    }

    private struct Entry {
        var device: Device
        var knowledge: Knowledge
        var isWanted = false
    }

    /// The pause after the first failure; doubles up to `longestPause`.
    static let pause = TimeAmount.seconds(15)
    static let longestPause = TimeAmount.minutes(10)

    private let criteria: DiscoveryCriteria
    private var entries: [Device.ID: Entry] = [:]

    init(criteria: DiscoveryCriteria) { self.criteria = criteria }

    /// When `next` is due; `nil` when no device is to be asked.
    var nextDeadline: NIODeadline? {
        self.entries.values.lazy.compactMap { if case .due(let at, _) = $0.knowledge { at } else { nil } }.min()
    }

    /// Returns whether the device's answer meets the criteria.
    func isWanted(_ id: Device.ID) -> Bool { self.entries[id]?.isWanted ?? false }

    mutating func seen(_ device: Device, now: NIODeadline) {
        guard var entry = self.entries[device.id] else {
            self.entries[device.id] = Entry(device: device, knowledge: .due(at: now, failures: 0))
            return
        }
        let hasNews = entry.device.unknownText != device.unknownText && !self.criteria.namespaces.isEmpty
        let hasMoved = entry.device.endpoints != device.endpoints
        entry.device = device
        switch entry.knowledge {
        case .known: if hasNews { entry.knowledge = .due(at: now, failures: 0) }
        case .asking(let failures, _): if hasNews { entry.knowledge = .asking(failures: failures, again: true) }
        case .due(_, let failures): if hasNews || hasMoved { entry.knowledge = .due(at: now, failures: failures) }
        }
        self.entries[device.id] = entry
    }

    /// Returns a device to ask now; report its answer with `answered`.
    mutating func next(now: NIODeadline) -> Device? {
        let due = self.entries.compactMap { id, entry -> (at: NIODeadline, id: Device.ID, failures: Int)? in
            guard case .due(let at, let failures) = entry.knowledge, at <= now else { return nil }
            return (at, id, failures)
        }
        guard let first = due.min(by: { ($0.at, $0.id) < ($1.at, $1.id) }) else { return nil }
        self.entries[first.id]?.knowledge = .asking(failures: first.failures, again: false)
        return self.entries[first.id]?.device
    }

    /// - Parameter answer: `nil` when the device could not be asked; its last answer then still applies.
    mutating func answered(_ id: Device.ID, _ answer: Answer?, now: NIODeadline) {
        guard var entry = self.entries[id], case .asking(let failures, let again) = entry.knowledge else { return }
        if let answer {
            entry.knowledge = again ? .due(at: now, failures: 0) : .known
            entry.isWanted = self.criteria.matches(answer)
        } else {
            let pause = min(Self.longestPause, Self.pause * (1 << Int64(min(failures, 10))))
            entry.knowledge = .due(at: now + pause, failures: failures + 1)
        }
        self.entries[id] = entry
    }
}

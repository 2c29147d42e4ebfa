import BridgeCore
import CastSender
import LogKeys
import Logging

/// Finds devices that were absent for too many days. `Absence` decides.
final class AbsenceWatch {
    /// The time between two checks. The first one is an hour after the start, when available devices are online.
    static let interval = Duration.seconds(3600)

    private let context: BridgeContext
    private let record: Record
    private unowned let directory: any DeviceDirectory
    private let remove: (Device.ID) -> Void
    private lazy var deadline = self.context.loop.deadline { [weak self] in self?.check() }

    /// - Parameter remove: removes a device that was absent for more than the configured number of days.
    init(_ context: BridgeContext, record: Record, directory: any DeviceDirectory, remove: @escaping (Device.ID) -> Void) {
        self.context = context
        self.record = record
        self.directory = directory
        self.remove = remove
    }

    /// Starts the hourly checks.
    func begin() { self.deadline.set(self.context.time + Self.interval) }

    func end() { self.deadline.cancel() }

    private func check() {
        let now = self.context.now.wall
        for known in Array(self.record.knownDevices) {
            let isAvailable = self.directory.device(known.id)?.state.isAvailable == true
            let days = self.context.settings.topicOptions.forgetAfterDays
            switch Absence.action(lastSeen: known.lastSeen, isAvailable: isAvailable, now: now, forgetAfterDays: days) {
            case .none: break
            case .note(let time): self.record.update(known.id, .later) { $0.lastSeen = time }
            case .forget:
                self.context.logger.notice(
                    "device was away for too long and is removed",
                    metadata: [.device: "\(known.slug)", .days: "\(days.map(String.init) ?? "-")"])
                self.remove(known.id)
            }
        }
        self.deadline.set(self.context.time + Self.interval)
    }
}

extension Record {
    /// Records that a device is available, or was until now.
    func noteSeen(_ id: Device.ID, at now: Timestamp) {
        let action = Absence.action(lastSeen: self[id]?.lastSeen, isAvailable: true, now: now, forgetAfterDays: nil)
        if case .note(let time) = action { self.update(id, .later) { $0.lastSeen = time } }
    }
}

import BridgeCore
import CastSender
import Logging

/// Finds devices that were away for too many days.
final class AbsenceWatch {
    /// Between two checks. The first is an hour after the start, when the wall clock is right and present devices are online.
    static let interval = Duration.seconds(3600)

    private let context: BridgeContext
    private let record: Record
    private unowned let directory: any DeviceDirectory
    private let remove: (Device.ID) -> Void
    private lazy var deadline = self.context.loop.deadline { [weak self] in self?.check() }

    /// - Parameter remove: removes a device that was away for more than the configured number of days.
    init(_ context: BridgeContext, record: Record, directory: any DeviceDirectory, remove: @escaping (Device.ID) -> Void) {
        self.context = context
        self.record = record
        self.directory = directory
        self.remove = remove
    }

    /// Begins to check every hour.
    func begin() { self.deadline.set(self.context.time + Self.interval) }

    func end() { self.deadline.cancel() }

    private func check() {
        let now = self.context.now.wall
        for known in Array(self.record.knownDevices) {
            if self.directory.device(known.id)?.state.isAvailable == true {
                self.record.noteSeen(known.id, at: now)
            } else if let seen = known.lastSeen {
                guard let days = self.context.settings.topicOptions.forgetAfterDays, seen.seconds(until: now) > Double(days) * 86_400 else {
                    continue
                }
                self.context.logger.notice(
                    "device was away for too long and is removed", metadata: ["device": "\(known.slug)", "days": "\(days)"])
                self.remove(known.id)
            } else {
                self.record.update(known.id, .later) { $0.lastSeen = now }
            }
        }
        self.deadline.set(self.context.time + Self.interval)
    }
}

extension Record {
    /// Notes when a device was last available; once a day is enough, because each write wears the disk.
    func noteSeen(_ id: Device.ID, at now: Timestamp) {
        self.update(id, .later) { known in
            if known.lastSeen.map({ abs($0.seconds(until: now)) >= 86_400 }) ?? true { known.lastSeen = now }
        }
    }
}

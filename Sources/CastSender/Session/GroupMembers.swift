import CastModels
import CastProtocol

/// What happened to a speaker group.
public enum GroupChange: Sendable, Hashable {
    case memberJoined(MultizoneDevice)
    /// Its volume, name or capabilities.
    case memberChanged(MultizoneDevice)
    case memberLeft(Device.ID)
    /// What plays was taken to other speakers, or they were added to it, by another sender.
    case playbackMoved
}

/// The members of a group: those that were added, less those that were removed, and all anew with each whole status. Does no I/O.
struct GroupMembers {
    /// The most members kept.
    static let limit = 256

    /// `nil` before anything was told.
    private(set) var status: MultizoneStatus?

    /// - Returns: what differs from before; a first status changes nothing.
    mutating func apply(_ message: MultizoneMessage) -> [GroupChange] {
        switch message {
        case .status(var status):
            status.devices = Array(status.devices.prefix(Self.limit))
            let former = self.status
            self.status = status
            return former.map { Self.changes(from: $0.devices, to: status.devices) } ?? []
        case .deviceAdded(let device): return self.put(device)
        // Before we know who belongs to it, an update is no joining.
        case .deviceUpdated(let device): return self.status == nil ? [] : self.put(device)
        case .deviceRemoved(let id):
            guard let index = self.status?.devices.firstIndex(where: { $0.id == id }) else { return [] }
            self.status?.devices.remove(at: index)
            return [.memberLeft(id)]
        case .playbackSessionUpdated: return [.playbackMoved]
        case .castingGroups, .invalidRequest, .unknown: return []
        }
    }

    private mutating func put(_ device: MultizoneDevice) -> [GroupChange] {
        var status = self.status ?? MultizoneStatus()
        defer { self.status = status }
        guard let index = status.devices.firstIndex(where: { $0.id == device.id }) else {
            guard status.devices.count < Self.limit else { return [] }
            status.devices.append(device)
            return [.memberJoined(device)]
        }
        let merged = device.completed(by: status.devices[index])
        guard merged != status.devices[index] else { return [] }
        status.devices[index] = merged
        return [.memberChanged(merged)]
    }

    private static func changes(from old: [MultizoneDevice], to new: [MultizoneDevice]) -> [GroupChange] {
        let left = old.filter { member in !new.contains { $0.id == member.id } }.map { GroupChange.memberLeft($0.id) }
        return left
            + new.compactMap { member in
                guard let former = old.first(where: { $0.id == member.id }) else { return .memberJoined(member) }
                return former == member ? nil : .memberChanged(member)
            }
    }
}

extension MultizoneDevice {
    /// An update may leave out what hasn't changed.
    fileprivate func completed(by former: Self) -> Self {
        var device = self
        device.friendlyName = self.friendlyName ?? former.friendlyName
        device.capabilities = self.capabilities ?? former.capabilities
        device.volume = self.volume ?? former.volume
        return device
    }
}

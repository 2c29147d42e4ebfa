import CastModels
import CastProtocol

/// A change of a speaker group.
public enum GroupChange: Sendable, Hashable {
    case memberJoined(MultizoneDevice)
    /// The volume, name or capabilities of a member changed.
    case memberChanged(MultizoneDevice)
    case memberLeft(Device.ID)
    /// Another sender moved the playback to other speakers, or added speakers to it.
    case playbackMoved
}

/// The members of a group. Additions and removals change the list, and each complete status replaces it. Does no I/O.
struct GroupMembers {
    /// The largest number of members kept.
    static let limit = 256

    /// The status; `nil` before the first report.
    private(set) var status: MultizoneStatus?

    /// - Returns: the changes; a first status causes none.
    mutating func apply(_ message: MultizoneMessage) -> [GroupChange] {
        switch message {
        case .status(var status):
            status.devices = Array(status.devices.prefix(Self.limit))
            let former = self.status
            self.status = status
            return former.map { Self.changes(from: $0.devices, to: status.devices) } ?? []
        case .deviceAdded(let device): return self.put(device)
        // Before the members are known, an update does not mean that a member joined.
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
    /// Returns the member with missing values taken from `former`, because an update may leave out unchanged values.
    fileprivate func completed(by former: Self) -> Self {
        var device = self
        device.friendlyName = self.friendlyName ?? former.friendlyName
        device.capabilities = self.capabilities ?? former.capabilities
        device.volume = self.volume ?? former.volume
        return device
    }
}

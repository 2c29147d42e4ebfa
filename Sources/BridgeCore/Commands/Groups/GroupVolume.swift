import CastModels

extension DeviceCommand {
    /// Returns the command as a device carries it out: the volume of a group is that of its members, who keep their ratio, as in Google's
    /// apps. The volume of the group's own device has a name of its own.
    public func addressed(toGroup isGroup: Bool) -> DeviceCommand {
        guard isGroup, case .set(var changes) = self else { return self }
        if let volume = changes.volume {
            guard changes.count > 1 else { return .groupVolume(volume) }
            (changes.membersVolume, changes.volume) = (volume, nil)
        }
        if let volume = changes.groupDeviceVolume { (changes.volume, changes.groupDeviceVolume) = (volume, nil) }
        return .set(changes)
    }

    public var isOnlyForGroups: Bool {
        switch self {
        case .groupVolume: true
        case .set(let changes): changes.groupDeviceVolume != nil
        default: false
        }
    }
}

extension DeviceState {
    /// Whether its volume is that of its members: a speaker group, not a stereo pair.
    public var hasMembersVolume: Bool {
        self.device.kind == .group || (self.device.capabilities == nil && !self.group.members.isEmpty)
    }
}

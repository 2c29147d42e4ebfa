import CastModels

extension DeviceCommand {
    /// Returns the command as a device carries it out: the volume of a group is that of its members, who keep their ratio, as in Google's
    /// apps. The volume of the group's own device has a name of its own.
    public func addressed(toGroup isGroup: Bool) -> DeviceCommand {
        guard isGroup, case .set(let changes) = self else { return self }
        if changes.count == 1, let volume = changes.volume { return .groupVolume(volume) }
        return .set(
            changes.map {
                switch $0 {
                case .volume(let change): .membersVolume(change)
                case .groupDeviceVolume(let change): .volume(change)
                default: $0
                }
            })
    }

    public var isOnlyForGroups: Bool {
        switch self {
        case .groupVolume: true
        case .set(let changes): changes.hasGroupDeviceVolume
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

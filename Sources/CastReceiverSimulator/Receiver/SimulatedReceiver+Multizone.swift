/// Groups: their members, and the volume of each.
extension SimulatedReceiver {
    mutating func multizoneRequest(_ message: SocketMessage, from asker: Asker, at now: Duration) {
        switch message.type {
        case "GET_STATUS": self.answer(asker, self.multizoneStatus)
        case "GET_CASTING_GROUPS":
            let groups = self.groups.map { group -> JSON in ["deviceId": .string(group.uuid), "name": .string(group.name)] }
            self.answer(asker, ["type": "CASTING_GROUPS", "status": ["groups": .array(groups)]])
        // Senders use both.
        case "SET_VOLUME", "SET_DEVICE_VOLUME":
            guard let change = VolumeChange(message.json?["volume"]), let id = message.json?["deviceId"]?.text,
                let index = self.speakers.index(of: Self.normalized(id))
            else { return self.refuse(asker, "BAD_PARAMETER") }
            let before = self.volume
            self.changeVolume(ofMember: index, change)
            self.answer(asker, self.multizoneStatus)
            if self.volume != before { self.broadcastReceiverStatus() }
        default: self.refuse(asker, "INVALID_COMMAND")
        }
    }

    /// Returns an id without hyphens and in lower case; ids occur in all forms.
    private static func normalized(_ id: String) -> String { id.lowercased().filter { $0 != "-" } }

    private var multizoneStatus: JSON {
        let player = self.application?.player
        let type = player?.queue?.current.media["contentType"]?.text ?? ""
        return [
            "type": "MULTIZONE_STATUS",
            "status": [
                "devices": .array(self.speakers.members.map(self.memberJSON)),
                "isMultichannel": .bool(self.description.model.isMultichannel),
                "playbackSession": [
                    "appAllowsGrouping": true, "isVideoContent": .bool(player?.hasSession ?? false && type.hasPrefix("video/")),
                    "streamTransferSupported": .bool(self.application?.definition.supportsTransfer ?? false),
                ],
            ],
        ]
    }

    /// Returns the member; its id has hyphens, as in some firmware.
    func memberJSON(_ member: GroupMember) -> JSON {
        [
            "deviceId": .string(DeviceDescription.uuid(of: member.id)), "name": .string(member.name),
            "capabilities": .integer(member.capabilities),
            "volume": member.volume.json,
        ]
    }

    // MARK: Members

    /// Adds a device to the group.
    mutating func join(_ member: GroupMember) throws(SimulatorError) {
        guard self.description.isGroup else { throw SimulatorError(.wrongState, "\(self.description.controlName) is no group") }
        guard self.speakers.index(of: member.id) == nil else { throw SimulatorError(.wrongState, "it is a member already") }
        self.speakers.add(member)
        self.broadcast(["type": "DEVICE_ADDED", "device": self.memberJSON(member)], from: Self.platform, namespace: Namespace.multizone)
        // The other members may be running their own application by now.
        if self.speakers.areOccupied { self.actions.append(.occupyMembers(ids: [member.id], true)) }
    }

    /// Removes a device from the group; the last member cannot be removed.
    mutating func leave(id: String) throws(SimulatorError) {
        guard let index = self.speakers.index(of: id) else { throw SimulatorError(.wrongState, "it is no member") }
        guard self.speakers.members.count > 1 else { throw SimulatorError(.wrongState, "it is the last member") }
        let uuid = DeviceDescription.uuid(of: self.speakers.remove(at: index).id)
        self.broadcast(["type": "DEVICE_REMOVED", "deviceId": .string(uuid)], from: Self.platform, namespace: Namespace.multizone)
        if self.speakers.areOccupied { self.actions.append(.occupyMembers(ids: [id], false)) }
    }

    private var isPlaying: Bool { self.application.map { !$0.definition.isIdleScreen } ?? false }

    /// Reports to the members of a group whether its application is running, if they show that.
    mutating func occupyMembers() {
        let occupies = self.isPlaying && self.has(.groupPlaceholders)
        guard self.speakers.occupy(occupies) else { return }
        self.actions.append(.occupyMembers(ids: self.memberIDs, occupies))
    }

    /// Releases the members of a group that is about to lose power.
    mutating func releaseMembers() -> [ReceiverAction] {
        self.speakers.occupy(false) ? [.occupyMembers(ids: self.memberIDs, false)] : []
    }

    /// Handles the start or end of playback of a group that this device belongs to.
    ///
    /// - Parameters:
    ///   - isLeader: `nil` when playback ended.
    ///   - now: the current time, on the clock of all calls.
    public mutating func occupied(asLeader isLeader: Bool?, at now: Duration) -> [ReceiverAction] {
        let due = self.advance(to: now)
        let isPlaceholder = self.application?.definition.isPlaceholder ?? false
        if let isLeader {
            guard !isPlaceholder else { return due }
            self.cancelLaunch()
            self.start(isLeader ? .groupLeader : .groupFollower, at: now)
            self.application?.idleCheck = nil
            self.broadcastReceiverStatus()
        } else if isPlaceholder {
            self.endApplication(at: now)
        }
        return due + self.advance(to: now)
    }

    // MARK: Volume

    /// Sets the volume; the caller notifies the senders of a change. A group passes it on to its members.
    mutating func changeVolume(_ change: VolumeChange) {
        if self.description.isGroup {
            for (index, share) in self.speakers.shares(of: change).enumerated() { self.changeVolume(ofMember: index, share) }
        } else if let volume = self.speakers.change(change) {
            self.actions.append(.volumeChanged(volume))
        }
    }

    /// Sets the volume of one member and updates that of the group.
    mutating func changeVolume(ofMember index: Int, _ change: VolumeChange) {
        let member = self.speakers.members[index]
        guard self.speakers.setVolume(ofMember: index, change.applied(to: member.volume)) else { return }
        self.actions.append(.setMemberVolume(id: member.id, change: change))
        self.broadcastMember(index)
    }

    /// Handles a new volume of a member.
    public mutating func memberVolumeChanged(id: String, to volume: Volume, at now: Duration) -> [ReceiverAction] {
        let due = self.advance(to: now)
        guard let index = self.speakers.index(of: id), self.speakers.setVolume(ofMember: index, volume) else { return due }
        self.broadcastMember(index)
        self.broadcastReceiverStatus()
        return due + self.advance(to: now)
    }

    private mutating func broadcastMember(_ index: Int) {
        self.broadcast(
            ["type": "DEVICE_UPDATED", "device": self.memberJSON(self.speakers.members[index])], from: Self.platform,
            namespace: Namespace.multizone)
    }
}

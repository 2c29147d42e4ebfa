/// Groups: who belongs to one, and how loud each member is.
extension SimulatedReceiver {
    mutating func multizoneRequest(_ message: IncomingMessage, from asker: Asker, at now: Duration) {
        switch message.type {
        case "GET_STATUS": self.answer(asker, self.multizoneStatus, namespace: Namespace.multizone)
        case "GET_CASTING_GROUPS":
            let groups = self.groups.map { group -> JSON in ["deviceId": .string(group.uuid), "name": .string(group.name)] }
            self.answer(asker, ["type": "CASTING_GROUPS", "status": ["groups": .array(groups)]], namespace: Namespace.multizone)
        // Both are in use among senders.
        case "SET_VOLUME", "SET_DEVICE_VOLUME":
            guard let change = VolumeChange(message.json?["volume"]), let id = message.json?["deviceId"]?.text,
                let index = self.members.firstIndex(where: { $0.id == Self.normalized(id) })
            else {
                return self.answer(asker, ["type": "INVALID_REQUEST", "reason": "BAD_PARAMETER"], namespace: Namespace.multizone)
            }
            let before = self.volume
            self.changeVolume(ofMember: index, change)
            self.answer(asker, self.multizoneStatus, namespace: Namespace.multizone)
            if self.volume != before { self.broadcastReceiverStatus() }
        default: self.answer(asker, ["type": "INVALID_REQUEST", "reason": "INVALID_COMMAND"], namespace: Namespace.multizone)
        }
    }

    /// Ids come with and without hyphens, in either case.
    private static func normalized(_ id: String) -> String { id.lowercased().filter { $0 != "-" } }

    private var multizoneStatus: JSON {
        let player = self.application?.player
        let type = player?.queue?.current.media["contentType"]?.text ?? ""
        return [
            "type": "MULTIZONE_STATUS",
            "status": [
                "devices": .array(self.members.map(self.memberJSON)), "isMultichannel": .bool(self.description.model.isMultichannel),
                "playbackSession": [
                    "appAllowsGrouping": true, "isVideoContent": .bool(player?.hasSession ?? false && type.hasPrefix("video/")),
                    "streamTransferSupported": .bool(self.application?.definition.supportsTransfer ?? false),
                ],
            ],
        ]
    }

    /// The id comes with hyphens, as some firmware has it.
    func memberJSON(_ member: GroupMember) -> JSON {
        var device = self.description
        device.id = member.id
        return [
            "deviceId": .string(device.uuid), "name": .string(member.name), "capabilities": .integer(member.capabilities),
            "volume": member.volume.json,
        ]
    }

    // MARK: Members

    /// A device joins the group.
    mutating func join(_ member: GroupMember) throws(SimulatorError) {
        guard self.description.isGroup else { throw SimulatorError(.wrongState, "\(self.description.controlName) is no group") }
        guard !self.members.contains(where: { $0.id == member.id }) else { throw SimulatorError(.wrongState, "it is a member already") }
        self.members.append(member)
        self.volume = Self.average(self.members)
        self.broadcast(["type": "DEVICE_ADDED", "device": self.memberJSON(member)], from: Self.platform, namespace: Namespace.multizone)
        // The others may run something of their own by now.
        if self.occupiesMembers { self.actions.append(.occupyMembers(ids: [member.id], true)) }
    }

    /// A device leaves the group; the last one cannot.
    mutating func leave(id: String) throws(SimulatorError) {
        guard let index = self.members.firstIndex(where: { $0.id == id }) else { throw SimulatorError(.wrongState, "it is no member") }
        guard self.members.count > 1 else { throw SimulatorError(.wrongState, "it is the last member") }
        let member = self.members.remove(at: index)
        self.volume = Self.average(self.members)
        var device = self.description
        device.id = member.id
        self.broadcast(["type": "DEVICE_REMOVED", "deviceId": .string(device.uuid)], from: Self.platform, namespace: Namespace.multizone)
        if self.occupiesMembers { self.actions.append(.occupyMembers(ids: [id], false)) }
    }

    private var isPlaying: Bool { self.application.map { !$0.definition.isIdleScreen } ?? false }

    /// Tells the members of a group whether its application runs, where they show that.
    mutating func occupyMembers() {
        let occupies = self.isPlaying && self.has(.groupPlaceholders)
        guard self.description.isGroup, occupies != self.occupiesMembers else { return }
        self.occupiesMembers = occupies
        self.actions.append(.occupyMembers(ids: self.memberIDs, occupies))
    }

    /// The members of a group whose power is about to be cut are free again.
    mutating func releaseMembers() -> [ReceiverAction] {
        guard self.occupiesMembers else { return [] }
        self.occupiesMembers = false
        return [.occupyMembers(ids: self.memberIDs, false)]
    }

    /// A group that this device belongs to began or ceased to play.
    ///
    /// - Parameter isLeader: `nil` when it ceased.
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
}

extension SimulatedReceiver {
    /// Sets the volume; the caller notifies the senders of a change. A group passes it on to its members.
    mutating func changeVolume(_ change: VolumeChange) {
        guard self.description.isGroup else {
            let volume = change.applied(to: self.volume)
            guard volume != self.volume else { return }
            self.volume = volume
            self.actions.append(.volumeChanged(volume))
            return
        }
        let average = Self.average(self.members).level
        for index in self.members.indices {
            var share = VolumeChange(isMuted: change.isMuted)
            if let level = change.level {
                // The members keep their ratio, so a muted one stays at 0 unless all are at 0.
                share.level = average > 0 ? self.members[index].volume.level * level / average : level
            }
            self.changeVolume(ofMember: index, share)
        }
    }

    /// Sets the volume of one member and updates that of the group.
    mutating func changeVolume(ofMember index: Int, _ change: VolumeChange) {
        let volume = change.applied(to: self.members[index].volume)
        guard volume != self.members[index].volume else { return }
        self.members[index].volume = volume
        self.volume = Self.average(self.members)
        self.actions.append(.setMemberVolume(id: self.members[index].id, change: change))
        self.broadcastMember(index)
    }

    /// Handles a new volume of a member.
    public mutating func memberVolumeChanged(id: String, to volume: Volume, at now: Duration) -> [ReceiverAction] {
        let due = self.advance(to: now)
        guard let index = self.members.firstIndex(where: { $0.id == id }), self.members[index].volume != volume else { return due }
        self.members[index].volume = volume
        self.volume = Self.average(self.members)
        self.broadcastMember(index)
        self.broadcastReceiverStatus()
        return due + self.advance(to: now)
    }

    private mutating func broadcastMember(_ index: Int) {
        self.broadcast(
            ["type": "DEVICE_UPDATED", "device": self.memberJSON(self.members[index])], from: Self.platform, namespace: Namespace.multizone)
    }

    static func average(_ members: [GroupMember]) -> Volume {
        guard !members.isEmpty else { return Volume(level: 0) }
        return Volume(
            level: members.map(\.volume.level).reduce(0, +) / Double(members.count), isMuted: members.allSatisfy(\.volume.isMuted))
    }
}

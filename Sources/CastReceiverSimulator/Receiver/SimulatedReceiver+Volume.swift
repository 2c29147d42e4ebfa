extension SimulatedReceiver {
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

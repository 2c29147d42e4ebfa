extension SimulatedReceiver {
    /// Does something to the device from elsewhere; connected senders learn of it as of any other change.
    ///
    /// - Throws: `SimulatorError` `wrongState` when the device is in no state for it, `invalidRequest` for an unknown application or value.
    public mutating func perform(_ action: RemoteAction, at now: Duration) throws(SimulatorError) -> [ReceiverAction] {
        // What was due before this is returned with it; a refusal must not lose it.
        self.performDue(until: now)
        switch action {
        case .load(let item): try self.load(item, at: now)
        case .resume: try self.control(at: now) { $0.play(at: now) }
        case .pause: try self.control(at: now) { $0.pause(at: now) }
        case .seek(let seconds):
            let timing = self.timing()
            try self.control(at: now) { $0.seek(to: seconds, playing: nil, timing: timing, at: now) }
        case .stopMedia: try self.control(at: now) { $0.end(.cancelled, at: now) }
        case .quit:
            guard let application, !application.definition.isIdleScreen else { throw SimulatorError(.wrongState, "no application runs") }
            self.endApplication(at: now)
        case .volume(let change):
            let before = self.volume
            self.changeVolume(change)
            if self.volume != before { self.broadcastReceiverStatus() }
        case .volumeControl(let control):
            guard ["attenuation", "master", "fixed"].contains(control) else {
                throw SimulatorError(.invalidRequest, "unknown volume control \(control)")
            }
            self.volumeControl = control
            self.broadcastReceiverStatus()
        }
        return self.advance(to: now)
    }

    private mutating func control(at now: Duration, _ change: (inout Player) -> Void) throws(SimulatorError) {
        guard var application, application.player.hasSession, !application.player.isLoading else {
            throw SimulatorError(.wrongState, "nothing plays or is paused")
        }
        change(&application.player)
        self.application = application
        self.broadcastMediaStatus(.changes, at: now)
        self.tellTitle()
    }

    private mutating func load(_ item: RemoteItem, at now: Duration) throws(SimulatorError) {
        guard let definition = self.definition(of: item.applicationID), definition.playsMedia else {
            throw SimulatorError(.invalidRequest, "no application \(item.applicationID) that plays media")
        }
        let request = JSON.members([
            "media": item.media, "autoplay": .bool(item.autoplay), "currentTime": .number(item.positionSeconds),
        ])
        guard let entry = MediaItem(request, itemID: 1) else { throw SimulatorError(.invalidRequest, "the item has no URL") }
        if self.application?.definition.id != definition.id {
            self.start(definition, at: now)
            self.broadcastReceiverStatus()
        }
        self.begin(MediaQueue(entry), activeTrackIDs: [], rate: 1, asker: nil, at: now)
    }

    /// The simulator's own truth, not what it tells senders.
    public func state(at now: Duration) -> JSON {
        let player = self.application?.player
        let item = player?.hasSession ?? false ? player?.queue?.current : nil
        var idleReason: JSON?
        if case .idle(let reason?)? = player?.state { idleReason = .string(reason.rawValue) }
        return .members([
            "device": .string(self.description.controlName), "id": .string(self.description.id),
            "name": .string(self.description.friendlyName),
            "model": .string(self.description.model.name), "volume": .number(self.volume.level), "muted": .bool(self.volume.isMuted),
            "volume_control": .string(self.volumeControl), "app_id": self.application.map { .string($0.definition.id) },
            "app": self.application.map { .string($0.definition.displayName) },
            "status_text": self.application.map { .string($0.statusText) },
            "is_idle_screen": self.application.map { .bool($0.definition.isIdleScreen) },
            "session_id": self.application.map { .string($0.sessionID) }, "transport_id": self.application.map { .string($0.transportID) },
            "player": player.map { $0.mediaSessionID == 0 ? "NONE" : .string($0.isLoading ? "LOADING" : $0.playerState) },
            "idle_reason": idleReason,
            "media_session_id": player.flatMap { $0.mediaSessionID == 0 ? nil : .integer($0.mediaSessionID) },
            "content_id": item?.contentID.map(JSON.string), "title": item?.title.map(JSON.string),
            "position": item.flatMap { _ in player.map { .number($0.position(at: now)) } }, "duration": item?.duration.map(JSON.number),
            "rate": item.flatMap { _ in player.map { .number($0.rate) } },
            "item_id": item.map { .integer($0.itemID) },
            "queue_length": item.flatMap { _ in player?.queue.map { .integer($0.items.count) } },
            "members": self.description.isGroup ? .array(self.members.map(self.memberJSON)) : nil,
            "connections": .array(
                self.sockets.flatMap { socket in
                    socket.connections.map { connection in
                        [
                            "socket": .integer(socket.id), "source": .string(connection.source),
                            "destination": .string(connection.destination),
                            "type": .string(connection.kind.name),
                        ]
                    }
                }),
            "sockets": .integer(self.sockets.count),
        ])
    }
}

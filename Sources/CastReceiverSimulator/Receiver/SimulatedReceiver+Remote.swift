import CastProtocol

extension SimulatedReceiver {
    /// Performs an action that does not come from a connected sender; senders are notified as of any other change.
    ///
    /// - Throws: `SimulatorError` `wrongState` when the state of the device does not allow it, `invalidRequest` for an unknown application
    ///   or value.
    public mutating func perform(_ action: RemoteAction, at now: Duration) throws(SimulatorError) -> [ReceiverAction] {
        // Actions that were due before are returned with this one; a refusal must not lose them.
        self.performDue(until: now)
        switch action {
        case .load(let item): try self.load(item, at: now)
        case .next(let item):
            guard let entry = MediaItem(["media": item.media], itemID: 1) else {
                throw SimulatorError(.invalidRequest, "the item has no URL")
            }
            try self.control(at: now, telling: .media) { $0.goOn(with: entry, from: item.positionSeconds, at: now) }
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
            self.speakers.setControl(control)
            self.broadcastReceiverStatus()
        case .screen(let standBy, let activeInput):
            guard self.description.model.hasDisplay else { throw SimulatorError(.wrongState, "it has no screen") }
            self.screen.isStandBy = standBy ?? self.screen.isStandBy
            self.screen.isActiveInput = activeInput ?? self.screen.isActiveInput
            self.broadcastReceiverStatus()
        case .askPermission(let asks): self.settings.asksPermission = asks
        case .answerPermission(let isAllowed): try self.answerPermission(isAllowed: isAllowed, at: now)
        case .sendMessage(let namespace, let message): self.sendMessage(message, namespace: namespace)
        case .distort(let distortion): try self.tampering.distort(distortion)
        case .undistort: self.tampering.endDistortions()
        case .ignore(let type, let isOn): try self.tampering.set(type, .ignored, isOn)
        case .pretend(let type, let isOn): try self.tampering.set(type, .pretended, isOn)
        case .habit(let habit, let isOn): if isOn { self.settings.habits.insert(habit) } else { self.settings.habits.remove(habit) }
        case .sabotage(let sabotage, let isOn):
            if isOn { self.settings.sabotages.insert(sabotage) } else { self.settings.sabotages.remove(sabotage) }
            if self.isDead, let id = self.application?.transportID {
                for index in self.sockets.indices { self.sockets[index].connections.removeAll { $0.destination == id } }
            }
        case .takeOver(let session): try self.takeOver(session, at: now)
        case .handOver: self.handOver(at: now)
        case .join(let member): try self.join(member)
        case .leave(let id): try self.leave(id: id)
        }
        return self.advance(to: now)
    }

    private mutating func control(
        at now: Duration, telling content: Player.StatusContent = .changes, _ change: (inout Player) -> Void
    ) throws(SimulatorError) {
        guard var application, application.player.hasSession, !application.player.isLoading else {
            throw SimulatorError(.wrongState, "nothing plays or is paused")
        }
        change(&application.player)
        self.application = application
        self.broadcastMediaStatus(content, at: now)
        self.reportTitle()
    }

    private mutating func sendMessage(_ message: JSON, namespace: String) {
        var endpoint = Self.platform
        if let application, application.definition.namespaces.contains(namespace) { endpoint = application.transportID }
        // The messages of an application are for those who it knows as senders.
        for socket in self.sockets.filter({ $0.hasConnection(to: endpoint, ofSender: endpoint != Self.platform) }).map(\.id) {
            self.send(message, from: endpoint, to: CastMessage.broadcastID, namespace: namespace, on: socket)
        }
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
        self.begin(PlayerQueue(entry), activeTrackIDs: [], rate: 1, asker: nil, at: now)
    }
}

import CastProtocol
import NIOCore

extension SimulatedReceiver {
    mutating func receiverRequest(_ message: SocketMessage, from asker: Asker, over kind: VirtualConnection.Kind, at now: Duration) {
        switch message.type {
        case "GET_STATUS":
            if self.isSabotaged(.oversizeFrame) {
                self.actions.append(.sendRaw([0, 1, 0, 1] + [UInt8](repeating: 0x20, count: 65_537), on: asker.socket))
            } else if self.isSabotaged(.garbageFrame) {
                self.actions.append(.sendRaw([0, 0, 0, 8] + [UInt8](repeating: 0xFF, count: 8), on: asker.socket))
            } else if self.isSabotaged(.badFrameLength) {
                self.sendWithWrongLength(self.receiverStatus, to: asker)
            } else {
                self.answer(asker, self.receiverStatus)
            }
        case "LAUNCH":
            guard kind != .invisible else { return self.refuse(asker, "INVALID_COMMAND") }
            guard let id = message.json?["appId"]?.text else {
                self.answer(asker, ["type": "LAUNCH_ERROR", "reason": "BAD_PARAMETER"])
                return
            }
            self.launch(id, from: asker, at: now)
        case "STOP": self.stop(session: message.json?["sessionId"]?.text, from: asker, at: now)
        case "SET_VOLUME":
            guard let change = VolumeChange(message.json?["volume"]) else { return self.refuse(asker, "BAD_PARAMETER") }
            let (before, former) = (self.volume, self.receiverStatus)
            if self.speakers.control != "fixed" {
                self.changeVolume(self.isSabotaged(.muteIgnored) ? VolumeChange(level: change.level) : change)
            }
            self.answer(asker, self.has(.formerVolumeInAnswer) ? former : self.receiverStatus)
            if self.volume != before { self.broadcastReceiverStatus() }
        case "GET_APP_AVAILABILITY":
            let ids = message.json?["appId"]?.elements?.compactMap(\.text) ?? []
            let availability = ids.map { id in
                JSON.Member(name: id, value: self.definition(of: id) == nil ? "APP_UNAVAILABLE" : "APP_AVAILABLE")
            }
            self.answer(asker, ["responseType": "GET_APP_AVAILABILITY", "availability": .object(availability)])
        default: self.refuse(asker, "INVALID_COMMAND")
        }
    }

    /// Sends a frame whose header states more bytes than the frame has, so that the following bytes are taken for its rest.
    private mutating func sendWithWrongLength(_ json: JSON, to asker: Asker) {
        let message = CastMessage(
            sourceID: asker.endpoint, destinationID: asker.source, namespace: Namespace.receiver, payload: .text(json.description))
        guard let frame = try? CastFrameEncoder.frame(message) else { return }
        var bytes = Array(frame.readableBytesView)
        let length = UInt32(bytes.count - 4 + 5)
        for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32(index))) }
        self.actions.append(.sendRaw(bytes, on: asker.socket))
    }

    // MARK: Status

    /// `RECEIVER_STATUS` without `requestId`. An idle device without an idle screen has no `applications` key.
    var receiverStatus: JSON {
        let model = self.description.model
        let isClassicDisplay = model.hasDisplay && model.hasIdleScreen
        let application = self.application.map { JSON.array([$0.json(appType: model.announcesLaunch ? "ANDROID_TV" : "WEB")]) }
        return [
            "type": "RECEIVER_STATUS", "requestId": 0,
            "status": .members([
                "applications": application, "isActiveInput": isClassicDisplay ? .bool(self.screen.isActiveInput) : nil,
                "isStandBy": isClassicDisplay ? .bool(self.screen.isStandBy) : nil,
                "userEq": [:],
                "volume": [
                    "controlType": .string(self.speakers.control), "level": .number(self.volume.level), "muted": .bool(self.volume.isMuted),
                    "stepInterval": .number(model.volumeStep),
                ],
            ]),
        ]
    }

    mutating func broadcastReceiverStatus() {
        self.broadcast(self.receiverStatus, from: Self.platform, namespace: Namespace.receiver)
        let announcement = Announcement(
            isBusy: self.application.map { !$0.definition.isIdleScreen } ?? false, statusText: self.application?.statusText ?? "")
        self.occupyMembers()
        if announcement != self.announced {
            self.announced = announcement
            self.actions.append(.announce(announcement))
        }
    }

    // MARK: Applications

    func definition(of id: String) -> ReceiverApp? {
        self.settings.applications.first { $0.id == id && (self.description.model.hasDisplay || !$0.needsDisplay) }
    }

    mutating func idleScreen() -> RunningApplication? { self.description.model.hasIdleScreen ? self.makeApplication(.backdrop) : nil }

    mutating func makeApplication(_ definition: ReceiverApp) -> RunningApplication {
        let session = self.random.uuid()
        let traits = Player.Traits(
            commands: (definition.hasQueueCommands ? Player.Command.queue : 0)
                | (definition.supportsTransfer ? Player.Command.transfer : 0),
            pauseLimit: self.settings.pauseLimit, hasSessionPerItem: self.has(.sessionPerItem), fetches: self.settings.fetchesMedia)
        return RunningApplication(
            definition: definition, sessionID: session, transportID: session, player: Player(traits: traits))
    }

    /// Replaces the running application; the caller notifies the senders.
    mutating func start(_ definition: ReceiverApp, at now: Duration) {
        let closing = self.replaceApplication(with: self.makeApplication(definition))
        self.actions += closing
        self.application?.idleCheck = now + self.settings.applicationIdleTime
        // An application wakes the screen and selects the input.
        if !definition.isPlaceholder { self.screen = Screen() }
    }

    /// Ends the application and notifies the senders: virtual connections and status in the order of the model.
    mutating func endApplication(at now: Duration) {
        self.cancelLaunch()
        let closing = self.replaceApplication(with: self.idleScreen())
        if self.description.model.closing == .beforeStatus { self.actions += closing }
        self.broadcastReceiverStatus()
        if self.description.model.closing == .afterStatus { self.actions += closing }
    }

    /// Returns the `CLOSE` messages for the senders of the previous application.
    private mutating func replaceApplication(with new: RunningApplication?) -> [ReceiverAction] {
        let old = self.application
        self.application = new
        if old?.mirror != nil { self.actions.append(.closeMirror) }
        if let asker = old?.loadAsker { self.answer(asker, ["type": "LOAD_CANCELLED"]) }
        guard let transportID = old?.transportID else { return [] }
        let kept = self.actions
        self.actions = []
        for index in self.sockets.indices {
            for connection in self.sockets[index].connections where connection.destination == transportID {
                self.send(
                    ["type": "CLOSE"], from: transportID, to: connection.source, namespace: Namespace.connection, on: self.sockets[index].id
                )
            }
            self.sockets[index].connections.removeAll { $0.destination == transportID }
        }
        let closing = self.description.model.closing == .never ? [] : self.actions
        self.actions = kept
        return closing
    }

    private mutating func stop(session: String?, from asker: Asker, at now: Duration) {
        if let session, session != self.application?.sessionID { return self.refuse(asker, "INVALID_SESSION_ID") }
        if let application, !application.definition.isIdleScreen {
            self.endApplication(at: now)
        } else {
            self.cancelLaunch()
        }
        if !self.has(.silentStop) { self.answer(asker, self.receiverStatus) }
    }

    mutating func endIdleApplication(at now: Duration) {
        guard let application else { return }
        let idleSince = application.player.idleSince ?? .zero
        let isIdle = !application.player.hasSession && now - idleSince >= self.settings.applicationIdleTime
        if isIdle, !self.hasStrongSender {
            self.endApplication(at: now)
        } else {
            self.application?.idleCheck = now + self.settings.applicationIdleTime
        }
    }
}

import CastProtocol

extension SimulatedReceiver {
    static let platform = CastMessage.platformReceiverID

    mutating func process(_ message: SocketMessage, on socket: SocketID, at now: Duration) {
        guard let index = self.sockets.firstIndex(where: { $0.id == socket }) else { return }
        if message.namespace == Namespace.connection { return self.connection(message, on: index, at: now) }
        if self.isDead, message.destination == self.application?.transportID { return }
        // Real receivers silently ignore messages outside a virtual connection.
        guard let connection = self.sockets[index].connection(from: message.source, to: message.destination) else { return }
        if self.tampering.applies(.ignored, to: message.type) { return }
        let requestID = message.requestID
        let asker = requestID.flatMap { id in
            id == 0
                ? nil
                : Asker(
                    socket: socket, source: message.source, endpoint: message.destination, namespace: message.namespace, requestID: id,
                    isForCommand: message.type != "GET_STATUS")
        }
        if let asker, self.tampering.applies(.pretended, to: message.type) {
            return self.answer(asker, message.namespace == Namespace.media ? self.mediaStatus(.everything, at: now) : self.receiverStatus)
        }
        if message.destination == Self.platform {
            switch message.namespace {
            case Namespace.receiver: if let asker { self.receiverRequest(message, from: asker, over: connection.kind, at: now) }
            case Namespace.discovery: if let asker { self.discoveryRequest(message, from: asker) }
            case Namespace.multizone: if let asker { self.multizoneRequest(message, from: asker, at: now) }
            case Namespace.setup: self.setupRequest(message, on: socket, at: now)
            default: break
            }
        } else if let application, message.destination == application.transportID,
            application.definition.namespaces.contains(message.namespace)
        {
            if message.namespace == Namespace.media {
                if let asker { self.mediaRequest(message, from: asker, at: now) }
            } else if message.namespace == Namespace.echo, connection.kind != .invisible {
                self.send(message.payload, from: message.destination, to: message.source, namespace: Namespace.echo, on: socket)
            } else if message.namespace == Namespace.mirroring {
                self.mirroringMessage(message, on: socket)
            } else if message.namespace == Namespace.dashCast {
                self.showPage(message.json)
            }
        }
    }

    /// Shows a page. DashCast embeds it, or, forced, is replaced by it; then it processes no further messages.
    private mutating func showPage(_ json: JSON?) {
        guard self.application?.page?["force"] != true, let json, let url = json["url"]?.text, url.hasPrefix("http") else { return }
        let isForced = json["force"]?.boolean ?? false
        let interval = json["reload"]?.boolean == true && !isForced ? json["reload_time"]?.int : nil
        self.application?.page = .members([
            "url": .string(url), "force": .bool(isForced), "reload_time": interval.map(JSON.integer),
        ])
    }

    private mutating func connection(_ message: SocketMessage, on index: Int, at now: Duration) {
        switch message.type {
        case "CONNECT": self.connect(message, on: index, at: now)
        case "CLOSE":
            let hadStrong = self.hasStrongSender
            self.sockets[index].connections.removeAll { $0.source == message.source && $0.destination == message.destination }
            self.endApplicationIfAbandoned(hadStrong: hadStrong, at: now)
        default: break
        }
    }

    private mutating func connect(_ message: SocketMessage, on index: Int, at now: Duration) {
        let socket = self.sockets[index].id
        if message.destination == self.application?.transportID {
            // A dead process takes no connection, so that it knows of none once it lives again.
            if self.isDead { return }
            if self.isSabotaged(.connectionsClosed) { return self.reply(["type": "CLOSE"], to: message, on: socket) }
        }
        let known = self.sockets[index].connection(from: message.source, to: message.destination) != nil
        let isEndpoint = message.destination == Self.platform || message.destination == self.application?.transportID
        guard isEndpoint, known || self.sockets[index].connections.count < SocketState.maximumConnections else {
            return self.reply(["type": "CLOSE", "reasonCode": 5], to: message, on: socket)
        }
        let kind = (message.json?["connType"]?.int).flatMap(VirtualConnection.Kind.init(rawValue:)) ?? .strong
        let hadStrong = self.hasStrongSender
        self.sockets[index].connections.removeAll { $0.source == message.source && $0.destination == message.destination }
        self.sockets[index].connections.append(VirtualConnection(source: message.source, destination: message.destination, kind: kind))
        let versions =
            (message.json?["protocolVersionList"]?.elements ?? []).compactMap(\.int)
            + [message.json?["protocolVersion"]?.int].compactMap { $0 }
        if let version = versions.filter({ (0...3).contains($0) }).max() {
            self.reply(["type": "CONNECTED", "protocolVersion": .integer(version)], to: message, on: socket)
        }
        self.endApplicationIfAbandoned(hadStrong: hadStrong, at: now)
    }

    /// Whether the process of the running application is dead.
    var isDead: Bool { self.isSabotaged(.deadApplication) || self.isSabotaged(.deadForGood) }

    // MARK: Heartbeat

    mutating func heartbeat(_ message: SocketMessage, on socket: SocketID) {
        if message.type == "PONG", let index = self.sockets.firstIndex(where: { $0.id == socket }) {
            self.sockets[index].unansweredPings = 0
        }
        guard message.type == "PING", !self.isSabotaged(.noPong) else { return }
        self.reply(["type": "PONG"], to: message, on: socket)
    }

    mutating func ping(at now: Duration) {
        self.nextPing += Self.pingInterval
        for socket in self.sockets.filter({ $0.unansweredPings == Self.maximumUnansweredPings }).map(\.id) { self.drop(socket, at: now) }
        for index in self.sockets.indices {
            let socket = self.sockets[index].id
            self.sockets[index].unansweredPings += 1
            if !self.isSabotaged(.noPong) {
                let (source, destination) =
                    self.has(.transportHeartbeat) ? ("Tr@n$p0rt-0", "Tr@n$p0rt-0") : (Self.platform, CastMessage.platformSenderID)
                self.send(["type": "PING"], from: source, to: destination, namespace: Namespace.heartbeat, on: socket)
            }
        }
    }

    /// Ends a connection from this side.
    mutating func drop(_ socket: SocketID, at now: Duration) {
        self.actions.append(.close(socket))
        self.forget(socket, at: now)
    }

    mutating func forget(_ socket: SocketID, at now: Duration) {
        let hadStrong = self.hasStrongSender
        self.sockets.removeAll { $0.id == socket }
        self.endApplicationIfAbandoned(hadStrong: hadStrong, at: now)
    }

    // MARK: Strong senders

    var hasStrongSender: Bool {
        guard let transportID = self.application?.transportID else { return false }
        return self.sockets.contains { $0.connections.contains { $0.destination == transportID && $0.kind == .strong } }
    }

    mutating func endApplicationIfAbandoned(hadStrong: Bool, at now: Duration) {
        guard hadStrong, !self.hasStrongSender, self.application?.definition.endsWithoutStrongSenders ?? false else { return }
        self.endApplication(at: now)
    }

    // MARK: Sending

    /// The largest text that is sent: with its envelope it must fit in a frame of 64 KiB.
    static let maximumTextSize = 65_000

    /// Sends a message back to the sender of another one.
    mutating func reply(_ json: JSON, to message: SocketMessage, on socket: SocketID) {
        self.send(json, from: message.destination, to: message.source, namespace: message.namespace, on: socket)
    }

    mutating func send(_ json: JSON, from source: String, to destination: String, namespace: String, on socket: SocketID) {
        let json = self.tampering.distorted(json)
        self.send(.text(json.description), from: source, to: destination, namespace: namespace, on: socket)
    }

    mutating func send(_ payload: CastMessage.Payload, from source: String, to destination: String, namespace: String, on socket: SocketID)
    {
        let message = CastMessage(sourceID: source, destinationID: destination, namespace: namespace, payload: payload)
        self.actions.append(.send(message, on: socket))
    }

    /// Answers `asker`; `requestId` is filled in.
    mutating func answer(_ asker: Asker, _ json: JSON) {
        guard self.sockets.contains(where: { $0.id == asker.socket }) else { return }
        if self.has(.outcomeBroadcast), asker.isForCommand, json["type"]?.text == "MEDIA_STATUS" { return }
        func text(_ json: JSON) -> String {
            var json = json
            json["requestId"] = .integer(self.isSabotaged(.wrongRequestID) ? asker.requestID + 1_000_000 : asker.requestID)
            return self.tampering.distorted(json).description
        }
        var answer = text(json)
        if answer.utf8.count > Self.maximumTextSize { answer = text(["type": "INVALID_REQUEST", "reason": "NOT_SUPPORTED"]) }
        for _ in 0..<(self.isSabotaged(.doubleReply) ? 2 : 1) {
            self.send(.text(answer), from: asker.endpoint, to: asker.source, namespace: asker.namespace, on: asker.socket)
        }
    }

    /// Sends a message to every sender that has a virtual connection to `endpoint`.
    mutating func broadcast(_ json: JSON, from endpoint: String, namespace: String) {
        guard !self.isSabotaged(.noBroadcast), !self.isDead || endpoint == Self.platform else { return }
        let listeners = self.sockets.filter { $0.hasConnection(to: endpoint) }.map(\.id)
        guard !listeners.isEmpty else { return }
        var json = json
        json["requestId"] = self.has(.outcomeBroadcast) ? nil : .integer(0)
        let text = self.tampering.distorted(json).description
        guard text.utf8.count <= Self.maximumTextSize else { return }
        for socket in listeners {
            self.send(.text(text), from: endpoint, to: CastMessage.broadcastID, namespace: namespace, on: socket)
        }
    }
}

/// Mirroring: what a sender's screen or tab shows, over UDP beside the Cast connection.
extension SimulatedReceiver {
    mutating func mirroringMessage(_ message: SocketMessage, on socket: SocketID) {
        let number = message.json?["seqNum"]
        func response(_ type: String, _ member: String, _ value: JSON) -> JSON {
            .members(["type": .string(type), "seqNum": number, "result": "ok", member: value])
        }
        switch message.type {
        case "OFFER":
            guard let offer = MirrorOffer(message.json, hasDisplay: self.description.model.hasDisplay && !self.isAudioMirroring) else {
                let error: JSON = ["code": 1, "description": "nothing that can be shown here"]
                return self.reply(
                    .members(["type": "ANSWER", "seqNum": number, "result": "error", "error": error]), to: message, on: socket)
            }
            let id = self.random.uuid()
            self.application?.mirror = Mirror(offer: offer, id: id, message: message, socket: socket)
            self.actions.append(.openMirror(id: id))
        case "GET_CAPABILITIES":
            let codecs = MirrorOffer.codecs.values.joined().sorted().map(JSON.string)
            let kinds: [JSON] = self.description.model.hasDisplay ? ["audio", "video"] : ["audio"]
            self.reply(
                response("CAPABILITIES_RESPONSE", "capabilities", ["mediaCaps": .array(kinds + codecs), "keySystems": []]), to: message,
                on: socket)
        case "GET_STATUS":
            self.reply(response("STATUS_RESPONSE", "status", ["wifiSnr": 40, "wifiSpeed": [300, 300, 300, 300]]), to: message, on: socket)
        default: break
        }
    }

    private var isAudioMirroring: Bool { self.application?.definition.id == ReceiverApp.audioMirroring.id }

    /// The port for the streams of a mirror is open; its offer is answered.
    public mutating func mirrorOpened(_ id: String, port: Int, at now: Duration) -> [ReceiverAction] {
        guard let mirror = self.application?.mirror, mirror.id == id else { return [] }
        self.reply(mirror.offer.answer(port: port), to: mirror.message, on: mirror.socket)
        return self.advance(to: now)
    }

    /// A datagram came to the port of the streams.
    /// - Returns: the reports to send back to where it came from.
    public mutating func mirrored(_ datagram: [UInt8], at now: Duration) -> [[UInt8]] {
        guard var mirror = self.application?.mirror else { return [] }
        defer { self.application?.mirror = mirror }
        return mirror.streams.indices.compactMap { mirror.streams[$0].received(datagram, at: now) }
    }
}

/// What a sender mirrors.
struct Mirror: Sendable {
    let offer: MirrorOffer
    let id: String
    /// The offer, to answer it once the port is open.
    let message: SocketMessage
    let socket: SocketID
    var streams: [MirrorStream]

    init(offer: MirrorOffer, id: String, message: SocketMessage, socket: SocketID) {
        (self.offer, self.id, self.message, self.socket) = (offer, id, message, socket)
        self.streams = offer.streams.map(MirrorStream.init)
    }

    /// Each stream in the simulator's state.
    var json: JSON {
        .array(
            self.streams.map {
                [
                    "type": .string($0.offer.type), "codec": .string($0.offer.codec), "frames": .integer($0.completeFrames),
                    "bytes": .integer($0.bytes),
                ]
            })
    }
}

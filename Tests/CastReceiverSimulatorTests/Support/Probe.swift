import CastProtocol
import Testing

@testable import CastReceiverSimulator

/// A receiver under test with a clock of its own and one sender that has already connected to the platform.
struct Probe {
    static let receiver = "urn:x-cast:com.google.cast.receiver"
    static let media = "urn:x-cast:com.google.cast.media"
    static let connection = "urn:x-cast:com.google.cast.tp.connection"
    static let heartbeat = "urn:x-cast:com.google.cast.tp.heartbeat"

    var model: SimulatedReceiver
    var now = Duration.zero
    /// The messages that were sent and not yet checked.
    var sent: [Sent] = []
    /// Actions other than sending.
    var others: [ReceiverAction] = []
    /// How many answers each request id has had.
    private(set) var answers: [Int: Int] = [:]
    private var nextRequestID = 1

    /// The ids of the requests so far that had no answer or more than one.
    var wronglyAnswered: [Int: Int] {
        Dictionary(uniqueKeysWithValues: (1..<self.nextRequestID).map { ($0, self.answers[$0] ?? 0) }).filter { $0.value != 1 }
    }

    struct Sent: CustomStringConvertible {
        var socket: SocketID
        var source: String
        var destination: String
        var namespace: String
        /// `null` when the text is none.
        var json: JSON
        var text: String
        var at: Duration
        var type: String { self.json["type"]?.text ?? self.json["responseType"]?.text ?? "" }
        var isBroadcast: Bool { self.destination == "*" }
        var status: JSON? { self.json["status"]?.elements?.first ?? self.json["status"] }
        var description: String { "\(self.at) \(self.source)→\(self.destination) \(self.json)" }
    }

    init(
        _ model: DeviceModel = .googleHomeMini, settings: ReceiverSettings = ReceiverSettings(), members: [GroupMember] = [],
        seed: UInt64 = 1
    ) {
        let description = DeviceDescription(
            controlName: "sim-001", id: String(repeating: "0123456789abcdef", count: 2), friendlyName: "Kitchen (simulated)", model: model,
            address: "127.0.1.1", port: 8009, members: members, pingPhase: .seconds(2), seed: seed, hotspotAddress: "FA8FCA012345",
            cloudDeviceID: String(repeating: "0", count: 32))
        self.model = SimulatedReceiver(description: description, settings: settings)
        self.open(socket: 1)
        self.connect()
    }

    static func sabotaged(_ sabotage: Sabotage, _ model: DeviceModel = .googleHomeMini) -> Probe {
        var settings = ReceiverSettings()
        settings.sabotages = [sabotage]
        return Probe(model, settings: settings)
    }

    mutating func open(socket: SocketID) { self.take(self.model.opened(socket, at: self.now)) }

    mutating func take(_ actions: [ReceiverAction]) {
        for action in actions {
            switch action {
            case .send(let message, let socket):
                self.sent.append(
                    Sent(
                        socket: socket, source: message.sourceID, destination: message.destinationID, namespace: message.namespace,
                        json: JSONTextReader.read(message.text ?? "") ?? .null, text: message.text ?? "", at: self.now))
                if message.destinationID != "*", let id = self.sent.last?.json["requestId"]?.int { self.answers[id, default: 0] += 1 }
            default: self.others.append(action)
            }
        }
    }

    mutating func send(
        _ json: JSON, _ namespace: String, to destination: String = "receiver-0", from source: String = "sender-0", socket: SocketID = 1
    ) {
        let message = CastMessage(sourceID: source, destinationID: destination, namespace: namespace, payload: .text(json.description))
        self.take(self.model.received(message, on: socket, at: self.now))
    }

    /// Lets time pass, event by event, as a runner's timer would; answers pings unless that is switched off.
    mutating func pass(_ duration: Duration, answeringPings: Bool = true) {
        let end = self.now + duration
        while let deadline = self.model.nextDeadline, deadline <= end {
            self.now = max(self.now, deadline)
            self.take(self.model.advance(to: self.now))
            guard answeringPings else { continue }
            for ping in self.sent.filter({ $0.type == "PING" }) { self.send(["type": "PONG"], Self.heartbeat, socket: ping.socket) }
            self.sent.removeAll { $0.type == "PING" }
        }
        self.now = end
    }

    mutating func connect(to destination: String = "receiver-0", from source: String = "sender-0", type: Int = 0, socket: SocketID = 1) {
        self.send(["type": "CONNECT", "connType": .integer(type)], Self.connection, to: destination, from: source, socket: socket)
        self.pass(.milliseconds(60))
    }

    /// Sends a request and returns every direct answer to it within `time`.
    mutating func ask(
        _ json: JSON, _ namespace: String = Probe.receiver, to destination: String = "receiver-0", from source: String = "sender-0",
        socket: SocketID = 1, within time: Duration = .milliseconds(60)
    ) -> [Sent] {
        var json = json
        let requestID = self.nextRequestID
        self.nextRequestID += 1
        json["requestId"] = .integer(requestID)
        self.sent = []
        self.send(json, namespace, to: destination, from: source, socket: socket)
        self.pass(time)
        return self.sent.filter { ($0.json["requestId"]?.int ?? $0.json["launchRequestId"]?.int) == requestID && $0.destination == source }
    }

    var state: JSON { self.model.state(at: self.now) }
    var transport: String { self.state["transport_id"]?.text ?? "" }
    var session: Int { self.state["media_session_id"]?.int ?? 0 }
    func broadcasts(_ type: String) -> [Sent] { self.sent.filter { $0.isBroadcast && $0.type == type } }

    /// Launches an application and connects to it.
    mutating func launch(_ id: String = ReceiverApp.defaultMediaReceiver.id, connectionType: Int = 0) {
        _ = self.ask(["type": "LAUNCH", "appId": .string(id)], within: .seconds(1))
        self.connect(to: self.transport, type: connectionType)
        self.sent = []
    }

    mutating func askMedia(_ json: JSON, within time: Duration = .milliseconds(60), socket: SocketID = 1, source: String = "sender-0")
        -> [Sent]
    {
        var json = json
        if json["mediaSessionId"] == nil, self.session > 0 { json["mediaSessionId"] = .integer(self.session) }
        return self.ask(json, Self.media, to: self.transport, from: source, socket: socket, within: time)
    }

    static func load(_ url: String, _ more: KeyValuePairs<String, JSON?> = [:], title: String = "A title", streamType: String = "BUFFERED")
        -> JSON
    {
        var load: JSON = [
            "type": "LOAD",
            "media": [
                "contentId": .string(url), "contentType": "video/mp4", "streamType": .string(streamType),
                "metadata": ["metadataType": 0, "title": .string(title)],
            ],
        ]
        for (name, value) in more { load[name] = value }
        return load
    }

    /// Launches the media receiver and loads an item of 100 s; returns when it plays.
    mutating func play(_ url: String = "http://media/film?duration=100") {
        self.launch()
        _ = self.askMedia(Self.load(url), within: .seconds(1))
        self.sent = []
    }
}

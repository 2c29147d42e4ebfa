import CastModels
import CastProtocol
import NIOCore
import NIOEmbedded
import Synchronization

/// A receiver in memory whose behaviour a test sets. It reads and writes real frames and writes its JSON by hand.
package final class FakeReceiver: MemoryReceiver {
    package struct Application {
        package var id: String
        package var sessionID: String
        package var transportID: String
        package var namespaces: [String]
        package var statusText = "Ready"
        package var isIdleScreen: Bool
        package var universalID: String?

        package init(
            id: String = "CC1AD845", sessionID: String = "session-1", transportID: String = "transport-1",
            namespaces: [String] = ["urn:x-cast:com.google.cast.media"], isIdleScreen: Bool = false
        ) {
            self.id = id
            self.sessionID = sessionID
            self.transportID = transportID
            self.namespaces = namespaces
            self.isIdleScreen = isIdleScreen
        }

        package var json: String {
            let names = self.namespaces.map { #"{"name":"\#($0)"}"# }.joined(separator: ",")
            let universal = self.universalID.map { #""universalAppId":"\#($0)","# } ?? ""
            return
                #"{"appId":"\#(self.id)",\#(universal)"displayName":"App","statusText":"\#(self.statusText)","isIdleScreen":\#(self.isIdleScreen),"#
                + #""sessionId":"\#(self.sessionID)","transportId":"\#(self.transportID)","namespaces":[\#(names)]}"#
        }
    }

    package struct Media {
        package var sessionID: Int
        package var state = "PLAYING"
        package var time: Double
        package var rate = 1.0
        package var duration: Double? = 300
        package var commands = 15
        /// Further members of the status, each with a comma before it.
        package var statusFields = ""
        /// Further members of `media`, each with a comma before it.
        package var mediaFields = ""

        package init(sessionID: Int = 1, time: Double = 0) {
            self.sessionID = sessionID
            self.time = time
        }

        package var json: String {
            let duration = self.duration.map { #","duration":\#($0)"# } ?? ""
            return
                #"{"mediaSessionId":\#(self.sessionID),"playerState":"\#(self.state)","currentTime":\#(self.time),"playbackRate":\#(self.rate),"#
                + #""supportedMediaCommands":\#(self.commands),"media":{"contentId":"http://h/\#(self.sessionID)","contentType":"video/mp4"\#(duration)\#(self.mediaFields)}"#
                + self.statusFields + "}"
        }
    }

    /// How a request is answered.
    package enum Answer: Sendable, Hashable {
        case reply, broadcast, launchStatus, pendingFirst, nothing
        case error(type: String, reason: String)
    }

    package struct State {
        package var id = "aa11"
        package var answersDeviceInformation = true
        package var answersEureka = true
        package var answersReceiverStatus = true
        package var answersMediaStatus = true
        /// Nothing leaves any more, not even a PONG; what comes is still read.
        package var isFrozen = false
        package var delay = TimeAmount.milliseconds(2)
        package var level = 0.5
        /// Some devices report no level.
        package var reportsLevel = true
        package var isMuted = false
        package var application: Application?
        package var media: Media?
        package var launchAnswers: [Answer] = [.reply]
        /// The application that starts whatever is launched; `nil` starts the wanted one.
        package var launchedInstead: String?
        /// Answers to the first launches, one each; then `launchAnswers`.
        package var firstLaunches: [Answer] = []
        package var stopAnswer = Answer.reply
        package var volumeAnswer = Answer.reply
        /// A queue that answers media requests instead of `media`.
        package var queue: QueueReceiverModel?
        /// Changes `media` by an obeyed request, after the ordinary way.
        package var obeys: @Sendable (Entry, inout Media) -> Void = { _, _ in }
        /// The types of the requests that are answered and change nothing.
        package var ignores: Set<String> = []
        package var mediaAnswer = Answer.reply
        package var loadAnswer = Answer.reply
        /// Requests whose media session id is refused, whatever it is.
        package var mediaSessionRefusals = 0
        /// Reports media to all senders, not only to the one that asks.
        package var broadcastsMedia = true
        /// Answers that replace the receiver's own, sent to the asker or to `to`; `nil` lets the receiver answer.
        package var script: (@Sendable (Entry) -> [(to: String, text: String)]?)?
        /// The answer to a challenge in the authentication namespace.
        package var challengeAnswer: [UInt8]?
        package var journal: [Entry] = []
        /// Everything received, also what is no JSON.
        package var messages: [CastMessage] = []
        package var connections: [any Channel] = []
        package var launches = 0
    }

    package struct Entry: Sendable {
        package var type: String
        package var namespace: String
        package var destination: String
        package var body: JSONValue
        package var at: NIODeadline
    }

    private let state: Mutex<State>

    package init(_ change: (inout State) -> Void = { _ in }) {
        var state = State()
        change(&state)
        self.state = Mutex(state)
    }

    package func set<T: Sendable>(_ change: @Sendable (inout State) -> T) -> T { self.state.withLock { change(&$0) } }

    package var journal: [Entry] { self.state.withLock { $0.journal } }

    /// The types of what was received in a namespace that ends so.
    package func types(_ namespaceSuffix: String) -> [String] {
        self.journal.filter { $0.namespace.hasSuffix(namespaceSuffix) }.map(\.type)
    }

    /// How the connection to `destination` stands: the kind of the last CONNECT, or `nil` after a CLOSE.
    package func connectionKind(to destination: String) -> Int? {
        let last = self.journal.last { $0.namespace == CastNamespace.connection && $0.destination == destination }
        return last?.type == "CONNECT" ? last?.body["connType"]?.intValue : nil
    }

    package var openConnections: Int { self.state.withLock { $0.connections.count } }

    // MARK: - What it does by itself

    package func sendReceiverStatus(requestID: Int = 0) {
        self.sendToAll(CastNamespace.receiver, from: "receiver-0", to: "*", self.set { Self.receiverStatus($0, requestID) })
    }

    package func sendMediaStatus(_ elements: String? = nil) {
        let (transport, text) = self.set { ($0.application?.transportID ?? "", elements ?? $0.media?.json ?? "") }
        self.sendToAll(CastNamespace.media, from: transport, to: "*", #"{"type":"MEDIA_STATUS","requestId":0,"status":[\#(text)]}"#)
    }

    package func sendToAll(_ namespace: String, from source: String, to destination: String, _ text: String) {
        let message = CastMessage(sourceID: source, destinationID: destination, namespace: namespace, payload: .text(text))
        for channel in self.set({ $0.connections }) { Self.write(message, to: channel) }
    }

    package func sendBinary(_ namespace: String, from source: String, to destination: String, _ bytes: [UInt8]) {
        let message = CastMessage(sourceID: source, destinationID: destination, namespace: namespace, payload: .binary(bytes))
        for channel in self.set({ $0.connections }) { Self.write(message, to: channel) }
    }

    /// Raw bytes on every connection.
    package func sendBytes(_ bytes: [UInt8]) {
        for channel in self.set({ $0.connections }) {
            channel.eventLoop.execute { channel.pipeline.fireChannelRead(ByteBuffer(bytes: bytes)) }
        }
    }

    /// The link breaks.
    package func dropConnections() {
        for channel in self.set({ $0.connections }) { channel.close(promise: nil) }
    }

    // MARK: - What it is asked

    package func opened(_ channel: any Channel) { self.set { $0.connections.append(channel) } }

    package func closed(_ channel: any Channel) { self.set { $0.connections.removeAll { $0 === channel } } }

    package func received(_ message: CastMessage, on channel: any Channel) {
        self.set { $0.messages.append(message) }
        if message.namespace == CastNamespace.deviceAuthentication, let answer = self.set({ $0.challengeAnswer }) {
            let reply = CastMessage(
                sourceID: message.destinationID, destinationID: message.sourceID, namespace: message.namespace, payload: .binary(answer))
            Self.write(reply, to: channel)
        }
        guard let text = message.text, let body = try? JSONParser.parse(text) else { return }
        let type = body["type"]?.stringValue ?? ""
        let entry = Entry(
            type: type, namespace: message.namespace, destination: message.destinationID, body: body, at: channel.eventLoop.now)
        let (replies, delay) = self.state.withLock { state in
            state.journal.append(entry)
            return (Self.replies(to: entry, message, &state), state.delay)
        }
        for reply in replies {
            channel.eventLoop.scheduleTask(in: delay) {
                guard !self.set({ $0.isFrozen }) else { return }
                Self.write(reply, to: channel)
            }
        }
    }

    private static func write(_ message: CastMessage, to channel: any Channel) {
        guard channel is NIOAsyncTestingChannel else { return channel.writeAndFlush(message, promise: nil) }
        guard let frame = try? CastFrameEncoder.frame(message) else { return }
        channel.eventLoop.execute { if channel.isActive { channel.pipeline.fireChannelRead(frame) } }
    }

    private static func replies(to entry: Entry, _ message: CastMessage, _ state: inout State) -> [CastMessage] {
        let id = entry.body["requestId"]?.intValue ?? entry.body["request_id"]?.intValue ?? 0
        let texts: [(to: String, text: String)]
        let scripted = state.script?(entry)
        switch (message.namespace, entry.type) {
        case _ where scripted != nil: texts = scripted ?? []
        case (CastNamespace.heartbeat, "PING"): texts = [("", #"{"type":"PONG"}"#)]
        case (CastNamespace.discovery, "GET_DEVICE_INFO") where state.answersDeviceInformation:
            texts = [("", #"{"type":"GET_DEVICE_INFO","requestId":\#(id),"deviceId":"\#(state.id)","friendlyName":"Fake"}"#)]
        case (CastNamespace.setup, "eureka_info") where state.answersEureka:
            texts = [
                (
                    "",
                    #"{"type":"eureka_info","request_id":\#(id),"response_code":200,"data":{"device_info":{"ssdp_udn":"\#(state.id)","mac_address":"02:00:00:00:00:01"}}}"#
                )
            ]
        case (CastNamespace.receiver, "GET_STATUS") where state.answersReceiverStatus: texts = [("", Self.receiverStatus(state, id))]
        case (CastNamespace.receiver, "LAUNCH"): texts = Self.launch(entry.body["appId"]?.stringValue ?? "", id, &state)
        case (CastNamespace.receiver, "STOP"): texts = Self.stop(id, &state)
        case (CastNamespace.receiver, "SET_VOLUME"): texts = Self.setVolume(entry.body["volume"] ?? .null, id, &state)
        case (CastNamespace.media, _): texts = Self.media(entry, id, &state)
        default: texts = []
        }
        return texts.map { text in
            CastMessage(
                sourceID: message.destinationID, destinationID: text.to.isEmpty ? message.sourceID : text.to, namespace: message.namespace,
                payload: .text(text.text))
        }
    }

    private static func receiverStatus(_ state: State, _ id: Int) -> String {
        let applications = state.application.map { #""applications":[\#($0.json)],"# } ?? ""
        let level = state.reportsLevel ? #""level":\#(state.level),"# : ""
        return #"{"type":"RECEIVER_STATUS","requestId":\#(id),"status":{\#(applications)"#
            + #""volume":{"controlType":"attenuation",\#(level)"muted":\#(state.isMuted),"stepInterval":0.05}}}"#
    }

    private static func launch(_ application: String, _ id: Int, _ state: inout State) -> [(to: String, text: String)] {
        let answers = state.firstLaunches.isEmpty ? state.launchAnswers : [state.firstLaunches.removeFirst()]
        // The session of an application that runs goes on.
        let runs = state.launchedInstead == nil && [state.application?.id, state.application?.universalID].contains(application)
        if !runs { state.launches += 1 }
        if !runs, answers.contains(where: { $0 != .nothing && !$0.isError }) {
            state.application = Application(
                id: state.launchedInstead ?? application, sessionID: "launched-\(state.launches)",
                transportID: "transport-l\(state.launches)")
            state.media = nil
        }
        return answers.flatMap { answer -> [(String, String)] in
            switch answer {
            case .reply: [("*", Self.receiverStatus(state, id))]
            case .broadcast: [("*", Self.receiverStatus(state, 0))]
            case .launchStatus: [("", #"{"type":"LAUNCH_STATUS","launchRequestId":\#(id),"status":"USER_ALLOWED"}"#)]
            case .pendingFirst: [("", #"{"type":"LAUNCH_STATUS","launchRequestId":\#(id),"status":"USER_PENDING_AUTHORIZATION"}"#)]
            case .nothing: []
            case .error(let type, let reason): [("", #"{"type":"\#(type)","requestId":\#(id),"reason":"\#(reason)"}"#)]
            }
        }
    }

    private static func stop(_ id: Int, _ state: inout State) -> [(to: String, text: String)] {
        if !state.ignores.contains("STOP") { (state.application, state.media) = (nil, nil) }
        return Self.answer(state.stopAnswer, Self.receiverStatus(state, id), Self.receiverStatus(state, 0), id)
    }

    private static func setVolume(_ volume: JSONValue, _ id: Int, _ state: inout State) -> [(to: String, text: String)] {
        if !state.ignores.contains("SET_VOLUME") {
            if let level = volume["level"]?.doubleValue { state.level = level }
            if let isMuted = volume["muted"]?.boolValue { state.isMuted = isMuted }
        }
        return Self.answer(state.volumeAnswer, Self.receiverStatus(state, id), Self.receiverStatus(state, 0), id)
    }

    private static func media(_ entry: Entry, _ id: Int, _ state: inout State) -> [(to: String, text: String)] {
        guard entry.destination == state.application?.transportID else { return [] }
        let answered = state.mediaAnswer == .broadcast && !entry.type.contains("GET_") ? 0 : id
        if let replies = state.queue?.replies(to: entry.type, entry.body, requestID: answered) { return replies }
        if entry.type == "GET_STATUS" {
            guard state.answersMediaStatus else { return [] }
            return [("", #"{"type":"MEDIA_STATUS","requestId":\#(id),"status":[\#(state.media?.json ?? "")]}"#)]
        }
        var answer = state.mediaAnswer
        if entry.type == "LOAD" {
            answer = state.loadAnswer
            if answer == .reply { state.media = Media(sessionID: (state.media?.sessionID ?? 0) + 1) }
        } else {
            let wanted = entry.body["mediaSessionId"]?.intValue
            if wanted != state.media?.sessionID || state.mediaSessionRefusals > 0 {
                state.mediaSessionRefusals -= 1
                return [("", #"{"type":"INVALID_REQUEST","requestId":\#(id),"reason":"INVALID_MEDIA_SESSION_ID"}"#)]
            }
            if !answer.isError, !state.ignores.contains(entry.type) {
                Self.play(entry, &state)
                if var media = state.media {
                    state.obeys(entry, &media)
                    state.media = media
                }
            }
        }
        let element = state.media?.json ?? ""
        let to = state.broadcastsMedia ? "*" : ""
        return Self.answer(
            answer, #"{"type":"MEDIA_STATUS","requestId":\#(id),"status":[\#(element)]}"#,
            #"{"type":"MEDIA_STATUS","requestId":0,"status":[\#(element)]}"#, id, to: to)
    }

    private static func play(_ entry: Entry, _ state: inout State) {
        switch entry.type {
        case "PLAY": state.media?.state = "PLAYING"
        case "PAUSE": state.media?.state = "PAUSED"
        case "STOP": state.media = nil
        case "SEEK":
            state.media?.time = entry.body["currentTime"]?.doubleValue ?? 0
            // Some receivers play after a seek unless the request has a `resumeState`.
            state.media?.state = entry.body["resumeState"]?.stringValue == "PLAYBACK_PAUSE" ? "PAUSED" : "PLAYING"
        default: break
        }
    }

    private static func answer(
        _ answer: Answer, _ reply: String, _ broadcast: String, _ id: Int, to: String = "*"
    ) -> [(to: String, text: String)] {
        switch answer {
        case .reply: [(to, reply)]
        case .broadcast: [("*", broadcast)]
        case .nothing, .launchStatus, .pendingFirst: []
        case .error(let type, let reason): [("", #"{"type":"\#(type)","requestId":\#(id),"reason":"\#(reason)"}"#)]
        }
    }
}

extension FakeReceiver.Answer {
    fileprivate var isError: Bool { if case .error = self { true } else { false } }
}

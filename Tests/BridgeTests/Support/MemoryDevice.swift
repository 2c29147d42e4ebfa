import CastProtocol
import CastReceiverSimulator
import CastTestSupport
import NIOCore
import NIOEmbedded
import Synchronization

/// A simulated receiver behind channels in memory, in the time of the loop.
final class MemoryDevice: MemoryReceiver {
    enum Power: Sendable {
        case on
        /// Connections are reset and refused.
        case off
        /// Connections stay open without traffic; a new one is not answered.
        case frozen
        /// Connections are accepted and nothing passes.
        case mute
    }

    private struct State {
        var model: SimulatedReceiver
        var power = Power.on
        var channels: [SocketID: any Channel] = [:]
        var nextSocket = 1
        var timer: (deadline: Duration, task: Scheduled<Void>)?
        var received: [String: Int] = [:]
        var dropsAfterRequest: String?

        func socket(of channel: any Channel) -> SocketID? { self.channels.first { $0.value === channel }?.key }
    }

    /// The socket of another sender that needs no channel.
    private static let otherSender = 100_000

    let description: DeviceDescription
    private let loop: NIOAsyncTestingEventLoop
    private let state: Mutex<State>

    init(_ description: DeviceDescription, on virtual: VirtualLoop) {
        self.description = description
        self.loop = virtual.loop
        var settings = ReceiverSettings()
        settings.answerDelay = .milliseconds(2) ... .milliseconds(2)
        settings.applicationIdleTime = .seconds(86_400)
        self.state = Mutex(State(model: SimulatedReceiver(description: description, settings: settings)))
    }

    var id: String { self.description.id }
    var openConnections: Int { self.state.withLock { $0.channels.count } }
    var power: Power { self.state.withLock { $0.power } }

    /// How an attempt to connect goes now.
    var route: MemoryConnector.Route {
        switch self.power {
        case .off: .refuse
        case .frozen: .blackHole
        case .on, .mute: .receiver(self)
        }
    }

    /// The number of received requests of this type.
    func received(_ type: String) -> Int { self.state.withLock { $0.received[type] ?? 0 } }

    private var now: Duration { .nanoseconds(Int64(self.loop.now.uptimeNanoseconds)) }

    /// The simulator's own truth.
    func truth(_ member: String) -> JSON? {
        let now = self.now
        return self.state.withLock { $0.model.state(at: now)[member] }
    }

    // MARK: What a test does to it; on the loop

    func perform(_ action: RemoteAction) throws {
        let now = self.now
        self.act(try self.state.withLock { try $0.model.perform(action, at: now) })
    }

    /// Another sender moves what plays to another device: it begins there, and ends here `delay` later.
    func moveStream(to target: MemoryDevice, endingAfter delay: TimeAmount) throws {
        let now = self.now
        guard let session = self.state.withLock({ $0.model.storedSession(at: now) }) else { throw DidNotHappen() }
        try target.perform(.takeOver(session))
        self.loop.scheduleTask(in: delay) { try self.perform(.handOver) }
    }

    /// Another sender connects and sends these messages.
    func deliver(_ messages: [(namespace: String, destination: String, text: String)]) {
        let now = self.now
        for message in messages {
            let message = CastMessage(
                sourceID: "sender-other", destinationID: message.destination, namespace: message.namespace, payload: .text(message.text))
            self.act(
                self.state.withLock { state in
                    var actions: [ReceiverAction] = []
                    if message.namespace.hasSuffix("connection"), message.destinationID == "receiver-0" {
                        actions += state.model.opened(Self.otherSender, at: now)
                    }
                    return actions + state.model.received(message, on: Self.otherSender, at: now)
                })
        }
    }

    /// Sends `text` to all senders, as the running application would.
    func broadcast(_ text: String) {
        let source = self.truth("transport_id")?.text ?? ""
        let message = CastMessage(sourceID: source, destinationID: "*", namespace: "urn:x-cast:com.google.cast.media", payload: .text(text))
        self.act(self.state.withLock { state in state.channels.keys.sorted().map { .send(message, on: $0) } })
    }

    func setAnswerDelay(_ delay: Duration) { self.state.withLock { $0.model.setAnswerDelay(delay...delay) } }

    /// Breaks every link as soon as a request of this type has come, before it is done.
    func dropLinks(after type: String?) { self.state.withLock { $0.dropsAfterRequest = type } }

    func set(_ power: Power) {
        let (channels, before) = self.state.withLock { state in
            defer { state.power = power }
            return (power == .off ? Array(state.channels.values) : [], state.power)
        }
        for channel in channels { channel.close(promise: nil) }
        switch power {
        case .off: self.state.withLock { $0.model.restart() }
        case .on where before == .frozen || before == .mute:
            let now = self.now
            self.act(self.state.withLock { $0.model.thawed(at: now) })
        case .on, .frozen, .mute: break
        }
    }

    /// The links break; the device runs on.
    func dropLinks() {
        for channel in self.state.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
    }

    // MARK: Its channels

    func opened(_ channel: any Channel) {
        let now = self.now
        self.act(
            self.state.withLock { state in
                let socket = state.nextSocket
                state.nextSocket += 1
                state.channels[socket] = channel
                return state.model.opened(socket, at: now)
            })
    }

    func closed(_ channel: any Channel) {
        let now = self.now
        self.act(
            self.state.withLock { state in
                guard let socket = state.socket(of: channel) else { return [] }
                state.channels[socket] = nil
                return state.model.closed(socket, at: now)
            })
    }

    func received(_ message: CastMessage, on channel: any Channel) {
        let now = self.now
        let (actions, isDropped) = self.state.withLock { state in
            guard let socket = state.socket(of: channel) else { return ([ReceiverAction](), false) }
            let type = Self.type(of: message)
            state.received[type, default: 0] += 1
            guard state.power == .on else { return ([ReceiverAction](), false) }
            if state.dropsAfterRequest == type { return ([], true) }
            return (state.model.received(message, on: socket, at: now), false)
        }
        if isDropped { return self.dropLinks() }
        self.act(actions)
    }

    private static func type(of message: CastMessage) -> String {
        guard message.namespace != "urn:x-cast:com.google.cast.tp.heartbeat", case .text(let text) = message.payload,
            let start = text.range(of: #""type":""#)?.upperBound
        else { return "" }
        return String(text[start...].prefix { $0 != "\"" })
    }

    private func act(_ actions: [ReceiverAction]) {
        for action in actions {
            switch action {
            case .send(let message, let socket):
                let (channel, power) = self.state.withLock { ($0.channels[socket], $0.power) }
                guard power == .on, let channel, let frame = try? CastFrameEncoder.frame(message) else { continue }
                self.loop.execute { if channel.isActive { channel.pipeline.fireChannelRead(frame) } }
            case .close(let socket):
                guard self.power == .on else { continue }
                self.state.withLock { $0.channels[socket] }?.close(promise: nil)
            case .sendRaw, .authenticate, .announce, .setMemberVolume, .volumeChanged, .occupyMembers, .fetch, .stopFetching, .openMirror,
                .closeMirror:
                break
            }
        }
        self.schedule()
    }

    private func schedule() {
        self.state.withLock { state in
            guard state.power == .on, let deadline = state.model.nextDeadline else { return }
            if let timer = state.timer, timer.deadline <= deadline { return }
            state.timer?.task.cancel()
            // Rounded up: a nanosecond early nothing would be due, and the clock stands still meanwhile.
            let parts = deadline.components
            let nanoseconds = parts.seconds * 1_000_000_000 + (parts.attoseconds + 999_999_999) / 1_000_000_000
            let time = NIODeadline.uptimeNanoseconds(UInt64(max(0, nanoseconds)))
            state.timer = (
                deadline,
                self.loop.scheduleTask(deadline: time) { [weak self] in
                    guard let self else { return }
                    let now = self.now
                    self.act(
                        self.state.withLock { state in
                            state.timer = nil
                            return state.power == .on ? state.model.advance(to: now) : []
                        })
                }
            )
        }
    }
}

extension StringProtocol {
    /// The first occurrence; the library's own needs Foundation.
    func range(of text: String) -> Range<Index>? {
        let (haystack, needle) = (self.utf8, Array(text.utf8))
        var start = haystack.startIndex
        while start != haystack.endIndex {
            if haystack[start...].starts(with: needle) { return start..<haystack.index(start, offsetBy: needle.count) }
            start = haystack.index(after: start)
        }
        return nil
    }
}

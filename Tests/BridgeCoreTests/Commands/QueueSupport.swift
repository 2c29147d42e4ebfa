import BridgeCore
import CastModels

/// A desk with a clock moved by hand; gathers what it wants done.
struct DeviceCommandQueueFixture {
    var commandQueue: CommandQueue
    private(set) var now = Now(monotonic: MonotonicTime(nanoseconds: 1_000_000_000), wall: Timestamp(milliseconds: 1_700_000_000_000))
    private(set) var started: [(ticket: CommandQueue.Ticket, command: DeviceCommand)] = []
    private(set) var answers: [CommandAnswer] = []
    private(set) var abandoned: Set<CommandQueue.Ticket> = []
    private(set) var wakeAt: MonotonicTime?
    /// Wakes asked for at a time that was over already: each of them is a busy loop.
    private(set) var uselessWakes = 0
    private var count = 0

    init(online: Bool = true, limits: CommandQueue.Limits = CommandQueue.Limits()) {
        self.commandQueue = CommandQueue(limits: limits)
        if online { self.commandQueue.becameAvailable() }
    }

    private mutating func apply(_ actions: [CommandQueue.Action]) {
        for action in actions {
            switch action {
            case .start(let ticket, let command, _): self.started.append((ticket, command))
            case .abandon(let ticket, _): self.abandoned.insert(ticket)
            case .answer(let answer): self.answers.append(answer)
            case .wake(let time):
                self.wakeAt = time
                if time <= self.now.monotonic { self.uselessWakes += 1 }
            }
        }
    }

    /// Sends a command; its correlation data is its number, counted from 0.
    @discardableResult
    mutating func send(
        _ command: DeviceCommand, id: CommandID? = nil, from caller: String? = nil, timeout: Duration? = nil,
        expiresIn seconds: Double? = nil
    ) -> Int {
        let number = self.count
        self.count += 1
        var envelope = CommandEnvelope(
            target: .device("tv"), name: "test", topic: "cast2mqtt/tv/cmd", id: id,
            correlationData: [UInt8(number & 255), UInt8(number >> 8)],
            timeout: timeout, expiresAt: seconds.map { self.now.wall.adding(seconds: $0) }, received: self.now)
        envelope.caller = caller.map { .responseTopic($0) }
        self.apply(self.commandQueue.receive(envelope, command, now: self.now))
        return number
    }

    mutating func finish(_ ticket: CommandQueue.Ticket, _ result: CommandResult = .done()) {
        self.apply(self.commandQueue.finished(ticket, result, now: self.now.monotonic))
    }

    /// Ends the command that was started last.
    mutating func finishLast(_ result: CommandResult = .done()) { if let last = self.started.last { self.finish(last.ticket, result) } }

    /// Moves the clock, calling `wake` at each time that was asked for.
    mutating func advance(_ duration: Duration) {
        let end = self.now.monotonic + duration
        while let wakeAt, wakeAt <= end {
            self.wakeAt = nil
            self.move(to: max(wakeAt, self.now.monotonic))
            self.apply(self.commandQueue.wake(now: self.now.monotonic))
        }
        self.move(to: end)
    }

    private mutating func move(to time: MonotonicTime) {
        self.now = Now(monotonic: time, wall: self.now.wall(at: time))
    }

    mutating func volume(_ level: Double, step: Double? = nil) {
        self.commandQueue.volumeReported(level: level, stepInterval: step, now: self.now.monotonic)
    }

    mutating func progress(isLoading: Bool = false, application: String?, isAsking: Bool = false) {
        self.apply(
            self.commandQueue.progressed(isLoading: isLoading, application: application, isAsking: isAsking, now: self.now.monotonic))
    }

    mutating func offline() { self.apply(self.commandQueue.becameUnavailable(now: self.now.monotonic)) }
    mutating func online() { self.commandQueue.becameAvailable() }
    mutating func close() { self.apply(self.commandQueue.close(now: self.now.monotonic)) }

    var sent: Int { self.count }

    /// The codes given to command `number`.
    func codes(_ number: Int) -> [AnswerCode] {
        self.answers.filter { $0.envelope.correlationData == [UInt8(number & 255), UInt8(number >> 8)] }.map(\.result.code)
    }
}

func volume(_ percent: Double) -> DeviceCommand { .set([.volume(.absolute(percent / 100))]) }
func volume(by points: Double) -> DeviceCommand { .set([.volume(RequestedVolume(points: points))]) }
func seek(_ seconds: Double) -> DeviceCommand { .set([.position(PositionChange(base: .seconds(seconds)))]) }
func seek(by seconds: Double) -> DeviceCommand { .set([.position(PositionChange(base: .current, offset: seconds))]) }
let mute = DeviceCommand.set([.muted(.to(true))])
let load = DeviceCommand.load(LoadCommand(request: MediaLoadRequest(media: MediaInformation(contentID: "http://h/a.mp3"))))

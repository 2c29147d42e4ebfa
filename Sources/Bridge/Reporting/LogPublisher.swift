import BridgeCore
import CastSender

/// Publishes lines of the program's log as `bridge/log`, and changes what is logged. Nothing in this part logs.
final class LogPublisher {
    private let context: BridgeContext
    private let connection: BrokerConnection
    private let queue: any MessageQueue
    private var relay = LogRelay()
    private lazy var deadline = self.context.loop.deadline { [weak self] in self?.wake() }

    init(_ context: BridgeContext, connection: BrokerConnection, queue: any MessageQueue) {
        self.context = context
        self.connection = connection
        self.queue = queue
    }

    /// Fetches lines from now on.
    func begin() {
        let fetch = self.context.loop.entrance { [weak self] (_: Void) in self?.fetch() }
        self.context.program.logTap?.attach { fetch(()) }
    }

    func end() {
        self.context.program.logTap?.detach()
        self.deadline.cancel()
    }

    private func fetch() {
        for (line, time) in self.context.program.logTap?.take() ?? [] {
            self.publish(self.relay.receive(line, at: Now(monotonic: self.context.time, wall: time)))
        }
        self.deadline.set(self.relay.deadline)
    }

    private func wake() {
        self.publish(self.relay.wake(now: self.context.time))
        self.deadline.set(self.relay.deadline)
    }

    /// Without a link a line is dropped: who watches later does not want yesterday's, and the log itself has it.
    private func publish(_ outputs: [LogRelay.Output]) {
        guard self.connection.session != nil else { return }
        for output in outputs { self.queue.enqueue(event: self.context.mapper.bridgeLog(output)) }
    }

    // MARK: Levels

    /// What is logged and published now, as `log_level` answers it.
    var settings: JSONObject {
        let levels = self.context.program.levels.read()
        return [
            "level": .string(levels.level.rawValue), "filters": .array(levels.filters.map { .string($0.description) }),
            "publish": .string((self.context.program.logTap?.level ?? .off).rawValue),
        ]
    }

    func change(_ changes: BridgeCommand.LogLevels) {
        var levels = self.context.program.levels.read()
        if let level = changes.level { levels.level = level }
        if let filters = changes.filters { levels.filters = filters }
        self.context.program.levels.write(levels)
        if let publish = changes.publish { self.context.program.logTap?.level = publish }
    }
}

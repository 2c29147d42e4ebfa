import BridgeCore
import CastSender

/// Publishes lines of the program's log as `bridge/log`, and changes log levels. This part must not log.
final class LogPublisher {
    private let context: BridgeContext
    private let connection: BrokerConnection
    private let queue: PublisherRunner
    private var relay = LogRelay()
    private lazy var deadline = self.context.loop.deadline { [weak self] in self?.wake() }

    init(_ context: BridgeContext, connection: BrokerConnection, queue: PublisherRunner) {
        (self.context, self.connection, self.queue) = (context, connection, queue)
    }

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

    /// Publishes lines. Without a link they are dropped: later readers need no old lines, and the log itself contains them.
    private func publish(_ outputs: [LogRelay.Output]) {
        guard self.connection.session != nil else { return }
        for output in outputs { self.queue.enqueue(event: self.context.mapper.bridgeLog(output)) }
    }

    // MARK: Levels

    /// The current log and publish levels, as in the answer of `log_level`.
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

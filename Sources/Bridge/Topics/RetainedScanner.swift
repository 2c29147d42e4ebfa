import BridgeCore
import MQTTClient

/// Runs one `RetainedScan` at a time over the broker connection.
final class RetainedScanner {
    private let context: BridgeContext
    private let connection: BrokerConnection
    private var scan: RetainedScan?
    private var completion: ((RetainedScan?) -> Void)?
    private lazy var deadline = self.context.loop.deadline { [weak self] in self?.wake() }

    init(_ context: BridgeContext, connection: BrokerConnection) {
        self.context = context
        self.connection = connection
    }

    var isRunning: Bool { self.scan != nil }

    /// Begins a scan; none may be running.
    /// - Parameter completion: gets the scan when it is finished; `nil` when the broker refused it or the link was lost.
    func begin(_ scan: RetainedScan, completion: @escaping (RetainedScan?) -> Void) {
        (self.scan, self.completion) = (scan, completion)
        self.perform(self.scan?.begin() ?? .none)
    }

    /// - Returns: whether the message belongs to the scan alone.
    func received(_ message: IncomingMessage) -> Bool {
        guard message.retain, self.scan != nil else { return false }
        let isTaken = self.scan?.received(
            topic: message.topic, payload: message.payload, retain: true, isCommand: self.context.parser.isCommandTopic(message.topic),
            now: self.context.time)
        self.deadline.set(self.scan?.deadline)
        return isTaken ?? false
    }

    /// Ends the scan without a result: what was found says nothing about the next connection.
    func abandon() { self.end(nil) }

    private func wake() {
        guard let former = self.scan?.topicFilters, let action = self.scan?.wake(now: self.context.time) else { return }
        guard action != .none else { return self.deadline.set(self.scan?.deadline) }
        if !former.isEmpty { self.connection.unsubscribe(former) }
        self.perform(action)
    }

    private func perform(_ action: RetainedScan.Action) {
        switch action {
        case .none: break
        case .askForCommands: self.subscribe(self.connection.commandSubscriptions(retainHandling: .send))
        case .subscribe(let filters):
            let qos: MQTTQoS = self.scan?.purpose == .start ? .atMostOnce : .atLeastOnce
            self.subscribe(filters.map { MQTTSubscription(filter: $0, qos: qos) })
        case .finished: self.end(self.scan)
        }
    }

    private func subscribe(_ filters: [MQTTSubscription]) {
        self.connection.subscribe(filters) { [weak self] outcome in
            guard let self, self.isRunning else { return }
            guard case .acknowledged = outcome else { return self.end(nil) }
            self.scan?.subscribed(now: self.context.time)
            self.deadline.set(self.scan?.deadline)
        }
    }

    private func end(_ result: RetainedScan?) {
        let completion = self.completion
        (self.scan, self.completion) = (nil, nil)
        self.deadline.cancel()
        completion?(result)
    }
}

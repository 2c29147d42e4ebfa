import BridgeCore

/// Reports about the bridge itself: its documents, its log, why no device is found, and the self-test of each connection.
final class Reporting {
    let documents: BridgeDocuments
    let log: LogPublisher
    private let queue: any MessageQueue
    private let selfTest: SelfTestRunner
    private let discovery: DiscoveryWatch

    /// - Parameters:
    ///   - onChanged: called when one of the bridge's documents may differ.
    ///   - onEvent: receives the events that are found here.
    init(
        _ context: BridgeContext, connection: BrokerConnection, publisher: PublisherRunner, fleet: DeviceFleet,
        onChanged: @escaping () -> Void, onEvent: @escaping (BridgeEvent) -> Void
    ) {
        let documents = BridgeDocuments(
            context, connection: connection, publisher: publisher, directory: fleet, onChanged: onChanged)
        self.documents = documents
        self.log = LogPublisher(context, connection: connection, queue: publisher)
        self.queue = publisher
        self.selfTest = SelfTestRunner(context)
        self.discovery = DiscoveryWatch(context, fleet: fleet) { hint in
            documents.causeChanged()
            if let hint { onEvent(BridgeEvent(.nothingFound, data: hint.facts)) }
        }
    }

    /// Fetches the lines of the log from now on. They begin before anything else does, so that none is missing.
    func beginLog() { self.log.begin() }

    func begin() {
        self.documents.begin()
        self.discovery.begin()
    }

    func connected() { self.documents.connected() }

    func disconnected() {
        self.documents.disconnected()
        self.selfTest.interrupted()
    }

    /// The retained state is complete, and commands can reach the bridge.
    func online() {
        self.documents.online()
        self.queue.enqueue(event: self.selfTest.begin())
    }

    /// Handles a request to the bridge, which may be its own health check.
    func received(_ envelope: CommandEnvelope) { self.selfTest.received(envelope) }

    /// Cancels all timers.
    func end() {
        self.log.end()
        self.documents.end()
        self.discovery.end()
        self.selfTest.interrupted()
    }
}

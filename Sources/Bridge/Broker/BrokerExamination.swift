import BridgeCore
import Logging
import MQTTClient
import Synchronization

/// Tries what a bridge needs of its broker, with a client id and a topic of its own: reach it, log in, write, read, retain.
package struct BrokerExamination: Sendable {
    /// What does not work.
    package struct Fault: Sendable, Hashable {
        /// For programs: that of `MQTTLinkError`, `write_refused`, `read_refused`, `not_retained` or `packet_limit`.
        package var code: String
        package var reason: String
        package var remedy: String
        /// Whether the bridge works nevertheless, without its longest documents.
        package var isLimit: Bool { self.code == "packet_limit" }
    }

    /// The smallest limit of packets with which every document of a usual home passes, in bytes.
    private static let smallestPacketLimit: UInt32 = 65_536

    private struct State {
        var limit: UInt32?
        var isWritten = false
        var isEnded = false
        var fault: Fault?
    }

    private let topic: String
    private let configuration: LinkConfiguration

    /// - Parameters:
    ///   - configuration: the bridge's own link settings; client id and will are replaced.
    ///   - nonce: any number below 2^48 that was not used before.
    package init(topics: TopicTree, configuration: LinkConfiguration, nonce: UInt64) {
        self.topic = topics.bridge("doctor/\(String(nonce, radix: 16))")
        self.configuration = configuration.asProbe(nonce: nonce)
    }

    /// - Parameter limit: of everything together.
    /// - Returns: the first fault; `nil` when everything works.
    package func run(within limit: Duration) async -> Fault? {
        let (ends, ending) = AsyncStream<Void>.makeStream()
        let state = Mutex(
            State(
                fault: Fault(
                    code: "connect_timed_out", reason: "the broker did not answer in time",
                    remedy: "Check the address, the port and any firewall between here and the broker.")))
        let link = Mutex<MQTTClient?>(nil)
        let end = { @Sendable (fault: Fault?) in
            // The first end counts: the link is closed after it.
            state.withLock { if !$0.isEnded { ($0.isEnded, $0.fault) = (true, fault) } }
            ending.finish()
        }
        let client = MQTTClient(configuration: self.configuration, logger: .init(label: "MQTTClient") { _ in SwiftLogNoOpLogHandler() }) {
            event in
            guard let client = link.withLock({ $0 }) else { return }
            switch event {
            case .connected(let session):
                state.withLock {
                    if !$0.isEnded { ($0.limit, $0.fault, $0.isWritten) = (session.limits.maximumPacketSize, Self.writing, false) }
                }
                guard session.limits.retainAvailable else { return end(Self.retaining) }
                client.publish(MQTTBatch(self.message("c")), epoch: session.epoch)
            case .published(let outcomes, let epoch):
                guard outcomes.allSatisfy(Self.isTaken) else { return end(Self.writing) }
                guard
                    state.withLock({ state in
                        guard !state.isWritten, !state.isEnded else { return false }
                        (state.isWritten, state.fault) = (true, Self.reading)
                        return true
                    })
                else { return }
                client.subscribe([MQTTSubscription(filter: self.topic)], epoch: epoch) { _ in }
            case .message(let message, _) where message.topic == self.topic && !message.payload.isEmpty:
                let limit = state.withLock { $0.limit }
                end(message.retain ? limit.flatMap { Self.limited($0) } : Self.retaining)
            case .attemptFailed(let error, _), .disconnected(_, let error):
                end(Fault(code: error.code.rawValue, reason: error.detail, remedy: error.remedy))
            default: break
            }
        }
        link.withLock { $0 = client }
        async let running: Void = client.run()
        await withTaskGroup { group in
            group.addTask { for await _ in ends {} }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
        // The end of the client is no fault of the broker.
        state.withLock { $0.isEnded = true }
        await client.stop(publishing: self.message(""), within: .seconds(1))
        await running
        return state.withLock { $0.fault }
    }

    private static func isTaken(_ published: MQTTPublished) -> Bool {
        guard case .acknowledged(let reason) = published.outcome else { return false }
        return !reason.isFailure
    }

    private func message(_ text: String) -> MQTTMessage { MQTTMessage(topic: self.topic, text: text, qos: .atLeastOnce, retain: true) }

    private static let rules = "Give this user the rights of the role bridge: docs/BROKERS.md has them for each broker."
    private static let writing = Fault(
        code: "write_refused", reason: "the broker does not take a message below mqtt.base", remedy: Self.rules)
    private static let reading = Fault(
        code: "read_refused", reason: "the broker does not deliver what was written below mqtt.base", remedy: Self.rules)
    private static let retaining = Fault(
        code: "not_retained", reason: "the broker does not retain messages", remedy: "Allow retained messages in the broker's settings.")

    private static func limited(_ limit: UInt32) -> Fault? {
        limit >= self.smallestPacketLimit
            ? nil
            : Fault(
                code: "packet_limit", reason: "the broker takes packets of at most \(limit) bytes, and documents can have 64 kB",
                remedy: "Raise the broker's limit (mosquitto: max_packet_size).")
    }
}

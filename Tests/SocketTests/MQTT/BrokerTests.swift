import Glibc
import Synchronization
import TestSupport
import Testing

@testable import MQTTClient

@Suite("With a real mosquitto", .timeLimit(.minutes(5)))
struct BrokerTests {
    @Test(
        "a message makes the round trip with all its properties over MQTT 5, and without them over 3.1.1",
        arguments: [
            MQTTConfiguration.ProtocolPreference.v5, .v311, .auto,
        ])
    func roundTrip(version: MQTTConfiguration.ProtocolPreference) async throws {
        let broker = try await MosquittoBroker.running()
        try await RunningClient.with(.local(port: broker.port, protocolVersion: version)) { client in
            let session = try await client.log.session()
            #expect(session.protocolVersion == (version == .v311 ? .v311 : .v5))
            let filters = [MQTTSubscription(filter: "a/+", qos: .exactlyOnce), MQTTSubscription(filter: "b/#", qos: .atMostOnce)]
            #expect(await client.subscribe(filters) == .acknowledged([.grantedQoS2, .success]))
            let properties = MQTTProperties(
                responseTopic: "answers/here", correlationData: [0, 1, 255], contentType: "text/plain", isUTF8: true,
                messageExpirySeconds: 60,
                userProperties: [MQTTUserProperty("schema", "1"), MQTTUserProperty("schema", "ü")])
            for qos in [MQTTQoS.atMostOnce, .atLeastOnce, .exactlyOnce] {
                let sent = MQTTMessage(topic: "a/\(qos.rawValue)", text: "Küche", qos: qos, properties: properties)
                #expect(await client.publish(sent) == .acknowledged(.success))
            }
            #expect(await client.publish(MQTTMessage(topic: "b", payload: [])) == .acknowledged(.success))
            try await client.log.wait { events in events.count { if case .message = $0 { true } else { false } } == 4 }
            let received = client.log.messages
            #expect(received.map(\.topic) == ["a/0", "a/1", "a/2", "b"])
            #expect(received.map(\.qos) == [.atMostOnce, .atLeastOnce, .exactlyOnce, .atMostOnce])
            #expect(received.last?.payload == [])
            for message in received.prefix(3) {
                #expect(message.payload == Array("Küche".utf8))
                #expect(message.properties == (version == .v311 ? .none : properties))
            }
            #expect(await client.unsubscribe(["a/+"]) == .acknowledged([.success]))
            #expect(client.client.outstanding == 0)
        }
    }

    @Test("a success that nothing waits for is kept until it is taken, asked for, or reported in the housekeeping; it has one outcome")
    func outcomesThatNothingAwaits() async throws {
        let broker = try await MosquittoBroker.running()
        // The housekeeping comes each quarter of the keep-alive.
        try await RunningClient.with(.local(port: broker.port) { $0.keepAliveSeconds = 40 }) { client in
            _ = try await client.log.session()
            let message = MQTTMessage(topic: "a", text: "x", qos: .atLeastOnce)
            // An event with this token would be an outcome without a message for the log.
            client.client.publish(MQTTBatch(message, token: 1_000_000), epoch: 1, isAwaited: false)
            let taken = try await eventually("there is an outcome") {
                let taken = client.client.takeOutcomes(epoch: 1)
                return taken.isEmpty ? nil : taken
            }
            #expect(taken == [MQTTPublished(token: 1_000_000, outcome: .acknowledged(.noMatchingSubscribers))])
            #expect(client.client.takeOutcomes(epoch: 1) == [])
            #expect(client.client.takeOutcomes(epoch: 2) == [])
            async let outcome = client.publish(message, isAwaited: false)
            try await eventually("the message is on its way") { client.client.outstanding > 0 }
            client.client.publish(MQTTBatch(), epoch: 1)
            #expect(await outcome == .acknowledged(.noMatchingSubscribers))
            #expect(client.client.outstanding == 0)
        }
        try await RunningClient.with(.local(port: broker.port) { $0.keepAliveSeconds = 5 }) { client in
            _ = try await client.log.session()
            let message = MQTTMessage(topic: "a", text: "x", qos: .atLeastOnce)
            #expect(await client.publish(message, isAwaited: false) == .acknowledged(.noMatchingSubscribers))
        }
    }

    @Test("filters with different options in one call are answered in their order")
    func subscriptionOptions() async throws {
        let broker = try await MosquittoBroker.running()
        try await RunningClient.with(.local(port: broker.port)) { client in
            _ = try await client.log.session()
            let kept = MQTTMessage(topic: "kept", text: "1", qos: .atLeastOnce, retain: true)
            #expect(await client.publish(kept) == .acknowledged(.noMatchingSubscribers))
            let filters = [
                MQTTSubscription(filter: "own", qos: .atLeastOnce, noLocal: true), MQTTSubscription(filter: "x", qos: .exactlyOnce),
                MQTTSubscription(filter: "kept", qos: .atMostOnce, retainHandling: .doNotSend),
                MQTTSubscription(filter: "y", qos: .exactlyOnce),
            ]
            let expected: [MQTTReasonCode] = [.grantedQoS1, .grantedQoS2, .success, .grantedQoS2]
            #expect(await client.subscribe(filters) == .acknowledged(expected))
            _ = await client.publish(MQTTMessage(topic: "own", text: "not to me", qos: .atLeastOnce))
            _ = await client.publish(MQTTMessage(topic: "x", text: "sentinel", qos: .exactlyOnce))
            try await client.log.wait { $0.contains { if case .message = $0 { true } else { false } } }
            #expect(client.log.messages.map(\.topic) == ["x"])
            #expect(await client.subscribe([MQTTSubscription(filter: "kept", qos: .atLeastOnce)]) == .acknowledged([.grantedQoS1]))
            try await client.log.wait {
                $0.contains { if case .message(let message, _) = $0 { message.topic == "kept" && message.retain } else { false } }
            }
        }
    }

    @Test(
        "what breaks the protocol's rules is refused before it is sent, and the link stays",
        arguments: [
            MQTTMessage(topic: "", text: "x"), MQTTMessage(topic: "a/+", text: "x"), MQTTMessage(topic: "a#", text: "x"),
            MQTTMessage(topic: "a\0b", text: "x"), MQTTMessage(topic: String(repeating: "a", count: 65_536), text: "x"),
            MQTTMessage(topic: "a", text: "x", properties: .init(responseTopic: "b\0c")),
            MQTTMessage(topic: "a", text: "x", properties: .init(correlationData: Array(repeating: 0, count: 65_536))),
            MQTTMessage(topic: "a", text: "x", properties: .init(userProperties: [.init("n", "v\0")])),
            MQTTMessage(topic: String(repeating: "/", count: 300), text: "x", qos: .atLeastOnce),
        ])
    func refusesInvalid(message: MQTTMessage) async throws {
        let broker = try await Self.shared.value
        try await RunningClient.with(.local(port: broker.port, "invalid-\(message.hashValue)")) { client in
            _ = try await client.log.session()
            let outcome = await client.publish(message)
            if case .refused = outcome {} else { Issue.record("\(outcome)") }
            #expect(await client.subscribe([]) == .refused(.invalid("no filter")))
            if case .refused = await client.subscribe([MQTTSubscription(filter: "a#b")]) {
            } else {
                Issue.record("a wrong filter was taken")
            }
            #expect(await client.publish(MQTTMessage(topic: "a", text: "x", qos: .atLeastOnce)) == .acknowledged(.noMatchingSubscribers))
            #expect(client.client.outstanding == 0)
        }
    }

    private static let shared = Task { try await MosquittoBroker.running() }

    @Test("a response topic with a wildcard, which a stranger may have chosen, is refused without harm")
    func wildcardResponseTopic() async throws {
        let broker = try await Self.shared.value
        try await RunningClient.with(.local(port: broker.port, "wildcard")) { client in
            _ = try await client.log.session()
            let message = MQTTMessage(topic: "a", text: "x", qos: .atLeastOnce, properties: .init(responseTopic: "answers/#"))
            if case .refused = await client.publish(message) {} else { Issue.record("it was sent") }
            #expect(await client.publish(MQTTMessage(topic: "a", text: "x", qos: .atLeastOnce)) == .acknowledged(.noMatchingSubscribers))
        }
    }

    @Test(
        "packets up to the broker's limit are sent, one byte more is refused",
        arguments: [
            MQTTProperties.none,
            MQTTProperties(contentType: "application/json", messageExpirySeconds: 9, userProperties: [.init("schema", "1")]),
        ])
    func packetLimit(properties: MQTTProperties) async throws {
        let broker = try await MosquittoBroker.running(.init(lines: ["max_packet_size 1000"]))
        try await RunningClient.with(.local(port: broker.port)) { client in
            let session = try await client.log.session()
            #expect(session.limits.maximumPacketSize == 1000)
            var message = MQTTMessage(topic: "t", payload: [], qos: .atLeastOnce, properties: properties)
            message.payload = Array(repeating: 65, count: 1000 - message.packetSize(version: .v5) - 1)
            #expect(message.packetSize(version: .v5) == 1000)
            #expect(await client.publish(message) == .acknowledged(.noMatchingSubscribers))
            message.payload.append(65)
            #expect(await client.publish(message) == .refused(.tooLarge))
            message.payload.removeLast(2)
            #expect(await client.publish(message) == .acknowledged(.noMatchingSubscribers))
        }
    }

    @Test("a message above our own limit is dropped and reported")
    func incomingLimit() async throws {
        let broker = try await MosquittoBroker.running()
        let configuration = MQTTConfiguration.local(port: broker.port, protocolVersion: .v311) { $0.maximumIncomingBytes = 2000 }
        try await RunningClient.with(configuration) { client in
            _ = try await client.log.session()
            _ = await client.subscribe([MQTTSubscription(filter: "t")])
            _ = await client.publish(MQTTMessage(topic: "t", payload: Array(repeating: 1, count: 2001)))
            _ = await client.publish(MQTTMessage(topic: "t", payload: Array(repeating: 1, count: 2000)))
            try await client.log.wait { $0.contains { if case .message = $0 { true } else { false } } }
            #expect(client.log.events.contains(.messageTooLarge(topic: "t", payloadBytes: 2001, epoch: 1)))
            #expect(client.log.messages.map(\.payload.count) == [2000])
        }
    }

    @Test("thousands of messages at once are each acknowledged once and arrive in order", arguments: [false, true])
    func burst(isTLS: Bool) async throws {
        let certificates = try TestCertificates.make()
        let broker = try await MosquittoBroker.running(.init(lines: (isTLS ? certificates.brokerLines : []) + ["max_queued_messages 0"]))
        let configuration = MQTTConfiguration.local(port: broker.port) { $0.tls = isTLS ? .init(caFile: certificates.ca) : nil }
        try await RunningClient.with(configuration) { client in
            _ = try await client.log.session()
            _ = await client.subscribe([MQTTSubscription(filter: "burst", qos: .atLeastOnce)])
            let count = 3000
            let outcomes = await withTaskGroup(of: MQTTPublishOutcome.self) { group in
                let stream = AsyncStream<MQTTPublishOutcome> { continuation in
                    let left = Countdown(count) { continuation.finish() }
                    for number in 0..<count {
                        let message = MQTTMessage(topic: "burst", text: "\(number)", qos: number % 2 == 0 ? .atLeastOnce : .exactlyOnce)
                        client.publish(message, epoch: 1) {
                            continuation.yield($0)
                            left.count()
                        }
                    }
                }
                return await stream.reduce(into: [MQTTPublishOutcome]()) { $0.append($1) }
            }
            #expect(outcomes.count == count)
            #expect(outcomes.allSatisfy { $0 == .acknowledged(.success) })
            try await client.log.wait { events in events.count { if case .message = $0 { true } else { false } } >= count }
            let even = client.log.messages.compactMap { Int(String(decoding: $0.payload, as: UTF8.self)) }.filter { $0 % 2 == 0 }
            #expect(even == Array(stride(from: 0, to: count, by: 2)))
            #expect(client.client.outstanding == 0)
        }
    }

    @Test("a message that is published while the MQTT thread sleeps is sent by its caller, before the call returns")
    func sentByTheCaller() async throws {
        let broker = try await MosquittoBroker.running()
        try await RunningClient.with(.local(port: broker.port)) { client in
            _ = try await client.log.session()
            // The thread may be awake by chance, but not for ever.
            try await eventually("the outcome comes within the call") {
                let reported = Mutex(false)
                client.publish(MQTTMessage(topic: "t", text: "x"), epoch: 1) { outcome in
                    reported.withLock { $0 = outcome == .acknowledged(.success) }
                }
                return reported.withLock { $0 }
            }
        }
    }

    @Test("a completion may publish again, wherever it runs", arguments: [MQTTQoS.atMostOnce, .atLeastOnce])
    func completionsPublish(qos: MQTTQoS) async throws {
        let broker = try await MosquittoBroker.running()
        try await RunningClient.with(.local(port: broker.port)) { client in
            _ = try await client.log.session()
            _ = await client.subscribe([MQTTSubscription(filter: "chain", qos: .atLeastOnce)])
            @Sendable func publish(_ number: Int) {
                client.publish(MQTTMessage(topic: "chain", text: "\(number)", qos: qos), epoch: 1) { _ in
                    if number < 500 { publish(number + 1) }
                }
            }
            publish(1)
            try await client.log.wait { events in events.count { if case .message = $0 { true } else { false } } == 500 }
            #expect(client.log.messages.map { String(decoding: $0.payload, as: UTF8.self) } == (1...500).map(String.init))
        }
    }

    @Test("callers on many threads lose nothing and get every outcome once")
    func manyCallers() async throws {
        let broker = try await MosquittoBroker.running()
        try await RunningClient.with(.local(port: broker.port)) { client in
            _ = try await client.log.session()
            _ = await client.subscribe([MQTTSubscription(filter: "many/+", qos: .atLeastOnce)])
            let outcomes = await withTaskGroup(of: [MQTTPublishOutcome].self) { group in
                for caller in 0..<8 {
                    group.addTask {
                        var outcomes: [MQTTPublishOutcome] = []
                        for number in 0..<100 {
                            outcomes.append(
                                await client.publish(MQTTMessage(topic: "many/\(caller)", text: "\(number)", qos: .atLeastOnce)))
                        }
                        return outcomes
                    }
                }
                return await group.reduce(into: [MQTTPublishOutcome]()) { $0 += $1 }
            }
            #expect(outcomes == Array(repeating: .acknowledged(.success), count: 800))
            try await client.log.wait { events in events.count { if case .message = $0 { true } else { false } } == 800 }
            for caller in 0..<8 {
                let texts = client.log.messages.filter { $0.topic == "many/\(caller)" }.map { String(decoding: $0.payload, as: UTF8.self) }
                #expect(texts == (0..<100).map(String.init))
            }
            #expect(client.client.outstanding == 0)
        }
    }

    @Test("MQTT works on descriptors that select() cannot handle")
    func manyDescriptors() async throws {
        try #require(raiseDescriptorLimit(to: 3000))
        let broker = try await MosquittoBroker.running()
        let many = (0..<1100).map { _ in dup(0) }
        defer { for descriptor in many { close(descriptor) } }
        #expect((many.max() ?? 0) > 1024)
        try await RunningClient.with(.local(port: broker.port)) { client in
            _ = try await client.log.session()
            _ = await client.subscribe([MQTTSubscription(filter: "t", qos: .atLeastOnce)])
            #expect(await client.publish(MQTTMessage(topic: "t", text: "x", qos: .atLeastOnce)) == .acknowledged(.success))
            try await client.log.wait { $0.contains { if case .message = $0 { true } else { false } } }
        }
    }
}

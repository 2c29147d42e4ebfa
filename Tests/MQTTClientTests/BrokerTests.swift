import Testing
import TestSupport

@testable import MQTTClient

@Suite("With a real mosquitto", .timeLimit(.minutes(2)))
struct BrokerTests {
    @Test("A message makes the round trip with all its properties over MQTT 5, and without them over 3.1.1", arguments: [
        MQTTConfiguration.ProtocolPreference.v5, .v311, .auto,
    ])
    func roundTrip(version: MQTTConfiguration.ProtocolPreference) async throws {
        let broker = try await MosquittoBroker.running()
        try await RunningClient.with(.local(port: broker.port, protocolVersion: version)) { client in
            let session = try await client.log.session()
            #expect(session.protocolVersion == (version == .v311 ? .v311 : .v5))
            #expect(!session.sessionPresent)
            let filters = [MQTTSubscription(filter: "a/+", qos: .exactlyOnce), MQTTSubscription(filter: "b/#", qos: .atMostOnce)]
            #expect(await client.subscribe(filters) == .acknowledged([.grantedQoS2, .success]))
            let properties = MQTTProperties(
                responseTopic: "answers/here", correlationData: [0, 1, 255], contentType: "text/plain", isUTF8: true, messageExpirySeconds: 60,
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
}

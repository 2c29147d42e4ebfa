import NetworkReach
import Synchronization
import TestSupport
import Testing

@testable import MQTTClient

@Suite("TLS", .timeLimit(.minutes(5)))
struct TLSTests {
    let certificates = try? TestCertificates.make()

    private func broker(_ lines: [String] = []) async throws -> (MosquittoBroker, TestCertificates) {
        let certificates = try #require(self.certificates)
        return (try await MosquittoBroker.running(.init(lines: certificates.brokerLines + lines)), certificates)
    }

    private func configuration(_ broker: MosquittoBroker, host: String = "127.0.0.1", _ tls: MQTTConfiguration.TLS) -> MQTTConfiguration {
        .local(port: broker.port) {
            $0.host = host
            $0.tls = tls
        }
    }

    @Test("the right CA lets us in, by name and by address", arguments: ["127.0.0.1", "localhost"])
    func rightCA(host: String) async throws {
        let (broker, certificates) = try await self.broker()
        try await RunningClient.with(self.configuration(broker, host: host, .init(caFile: certificates.ca))) { client in
            _ = try await client.log.session()
            _ = await client.subscribe([MQTTSubscription(filter: "t", qos: .atLeastOnce)])
            let payload = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            #expect(await client.publish(MQTTMessage(topic: "t", payload: payload, qos: .atLeastOnce)) == .acknowledged(.success))
            try await client.log.wait { $0.contains { if case .message = $0 { true } else { false } } }
            #expect(client.log.messages.first?.payload == payload)
        }
    }

    @Test("CONNECT is not sent once another client may have the part of this one")
    func heldBack() async throws {
        let (broker, certificates) = try await self.broker()
        let asked = Mutex(0)
        var configuration = self.configuration(broker, .init(caFile: certificates.ca))
        // Each attempt begins with permission, and has none when the handshake goes on.
        configuration.mayConnect = {
            asked.withLock { count in
                count += 1
                return count % 2 == 1
            }
        }
        try await RunningClient.with(configuration, environment: .eager) { client in
            try await client.log.wait {
                $0.count { if case .attemptFailed(let error, _) = $0 { error.code == .heldBack } else { false } } > 2
            }
            #expect(!client.log.events.contains { if case .connected = $0 { true } else { false } })
        }
    }

    @Test("a certificate that another CA signed is rejected, and so is one without a trusted CA")
    func wrongCA() async throws {
        let (broker, certificates) = try await self.broker()
        for ca in [certificates.otherCA, nil] {
            try await RunningClient.with(self.configuration(broker, .init(caFile: ca))) { client in
                let (error, delay) = try await client.log.first {
                    if case .attemptFailed(let error, let delay) = $0 { (error, delay) } else { nil }
                }
                #expect(error.code == .certificateRejected)
                #expect(delay == .seconds(20))
            }
        }
    }

    @Test("a certificate for another host is rejected, by name and by address", arguments: ["127.0.0.1", "localhost"])
    func wrongHost(host: String) async throws {
        let certificates = try #require(self.certificates)
        let broker = try await MosquittoBroker.running(
            .init(lines: ["certfile \(certificates.elsewhere)", "keyfile \(certificates.elsewhereKey)"]))
        try await RunningClient.with(self.configuration(broker, host: host, .init(caFile: certificates.ca))) { client in
            let error = try await client.log.failure()
            #expect(error.code == .certificateRejected)
            #expect(error.detail.contains("mismatch"))
        }
    }

    @Test("the certificate is checked against the configured name, not against the address behind it")
    func configuredName() async throws {
        let certificates = try #require(self.certificates)
        let broker = try await MosquittoBroker.running(
            .init(lines: ["certfile \(certificates.elsewhere)", "keyfile \(certificates.elsewhereKey)"]))
        var environment = MQTTEnvironment.system
        environment.resolve = { _, port in NumericAddress.resolve("127.0.0.1", port: port, isNumeric: true) }
        let configuration = self.configuration(broker, host: "broker.example", .init(caFile: certificates.ca))
        try await RunningClient.with(configuration, environment: environment) { client in _ = try await client.log.session() }
    }

    @Test("a broker that wants a client certificate gets it; without one its refusal is understood")
    func clientCertificate() async throws {
        let (broker, certificates) = try await self.broker(["require_certificate true"])
        let with = MQTTConfiguration.TLS(
            caFile: certificates.ca, certificateFile: certificates.client, keyFile: certificates.clientKey)
        try await RunningClient.with(self.configuration(broker, with)) { client in _ = try await client.log.session() }
        try await RunningClient.with(self.configuration(broker, .init(caFile: certificates.ca))) { client in
            let error = try await client.log.failure()
            // In TLS 1.3 the alert comes after our side is through; the end of the connection may overtake it.
            #expect([.refusedByTLSAlert, .closedBeforeConnack].contains(error.code))
            #expect(error.remedy.contains("client certificate"))
        }
    }

    @Test("files that cannot be used are named", arguments: ["missing", "keyOfAnother", "notACertificate"])
    func unusableFiles(what: String) async throws {
        let (broker, certificates) = try await self.broker()
        let tls: MQTTConfiguration.TLS =
            switch what {
            case "missing": .init(caFile: "/nowhere/ca.crt")
            case "keyOfAnother": .init(caFile: certificates.ca, certificateFile: certificates.client, keyFile: certificates.serverKey)
            default: .init(caFile: certificates.clientKey)
            }
        try await RunningClient.with(self.configuration(broker, tls)) { client in
            let error = try await client.log.failure()
            #expect(error.code == .invalidConfiguration)
            #expect(!error.isTemporary)
        }
    }

    @Test("a host that refuses the connection is not taken for one that lacks TLS, and is asked again within two seconds")
    func refusingHost() async throws {
        let (broker, certificates) = try await self.broker()
        await broker.kill()
        // A host as near as this one refuses before the library has written its first bytes.
        try await RunningClient.with(self.configuration(broker, .init(caFile: certificates.ca))) { client in
            try await eventually("five attempts") {
                client.log.events.count { if case .attemptFailed = $0 { true } else { false } } >= 5
            }
            for case .attemptFailed(let error, let delay) in client.log.events {
                #expect(error.code == .cannotConnect && error.isRefusedByHost, "\(error)")
                #expect(delay <= .seconds(2))
            }
        }
    }

    @Test("TLS to a plain port and plain to a TLS port fail with a hint")
    func mixedUp() async throws {
        let plain = try await MosquittoBroker.running()
        try await RunningClient.with(self.configuration(plain, .init())) { client in
            let error = try await client.log.failure()
            #expect(error.code == .tlsFailed)
        }
        let (broker, _) = try await self.broker()
        try await RunningClient.with(.local(port: broker.port)) { client in
            let error = try await client.log.failure()
            #expect([.closedBeforeConnack, .protocolError].contains(error.code))
        }
    }
}

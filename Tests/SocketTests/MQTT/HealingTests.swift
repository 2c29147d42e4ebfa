import Dispatch
import Glibc
import NIOCore
import NIOPosix
import NetworkReach
import Synchronization
import TestSupport
import Testing

@testable import MQTTClient

@Suite("The link heals", .timeLimit(.minutes(5)))
struct HealingTests {
    @Test("a broker that starts later than the client is found")
    func lateBroker() async throws {
        let broker = try MosquittoBroker()
        try await RunningClient.with(.local(port: broker.port)) { client in
            let error = try await client.log.failure()
            #expect(error.code == .cannotConnect)
            try await broker.start()
            client.client.wake()
            _ = try await client.log.session()
        }
    }

    @Test("a broker that is killed and started again is found again", arguments: [false, true])
    func killedBroker(isTLS: Bool) async throws {
        let certificates = try TestCertificates.make()
        let broker = try await MosquittoBroker.running(.init(lines: isTLS ? certificates.brokerLines : []))
        let configuration = MQTTConfiguration.local(port: broker.port) { $0.tls = isTLS ? .init(caFile: certificates.ca) : nil }
        try await RunningClient.with(configuration) { client in
            for epoch in 1...3 as ClosedRange<UInt64> {
                _ = try await client.log.session(epoch)
                let message = MQTTMessage(topic: "t", text: "x", qos: .atLeastOnce)
                #expect(await client.publish(message, epoch: epoch) == .acknowledged(.noMatchingSubscribers))
                await broker.kill()
                let error = try await client.log.end(of: epoch)
                #expect(error.code == .connectionLost)
                #expect(await client.publish(message, epoch: epoch) == .refused(.notConnected))
                try await broker.start()
            }
        }
    }

    @Test(
        "a broker that restarts is found again, 50 of 50 times; attempts at most 2 s apart represent the 3 s, which depend on the machine")
    func restartedBroker() async throws {
        let broker = try await MosquittoBroker.running()
        let clients = (1...10).map { RunningClient.start(.local(port: broker.port, "client-\($0)")) }
        do {
            for client in clients { _ = try await client.log.session() }
            for (number, milliseconds) in [2500, 8000, 100, 1500, 4000].enumerated() {
                await broker.kill()
                try await Task.sleep(for: .milliseconds(milliseconds))
                try await broker.start()
                for client in clients { _ = try await client.log.session(UInt64(number) + 2) }
            }
        } catch {
            for client in clients { await client.cancel() }
            throw error
        }
        for client in clients { await client.cancel() }
        let returns = clients.flatMap(\.log.events).count { if case .connected(let session) = $0 { session.epoch > 1 } else { false } }
        #expect(returns == 50)
        let failures = clients.flatMap(\.log.events).compactMap { event -> (error: MQTTLinkError, delay: Duration)? in
            if case .attemptFailed(let error, let delay) = event { (error, delay) } else { nil }
        }
        #expect(failures.count { $0.error.isRefusedByHost } > 20)
        #expect(failures.allSatisfy { !$0.error.isRefusedByHost || $0.delay <= .seconds(2) })
    }

    @Test("a broker is reached though its name always takes longer to resolve than an attempt waits")
    func slowNames() async throws {
        let broker = try await MosquittoBroker.running()
        var environment = MQTTEnvironment.system
        // The longest delays: the next attempt would begin after the answer.
        environment.random = { 1 }
        environment.resolve = { _, port in
            usleep(600_000)
            return NumericAddress.resolve("127.0.0.1", port: port, isNumeric: true)
        }
        let configuration = MQTTConfiguration.local(port: broker.port) {
            $0.host = "slow.name"
            $0.nameLimit = .milliseconds(200)
        }
        try await RunningClient.with(configuration, environment: environment) { client in
            _ = try await client.log.session()
            let failures = client.log.events.count { if case .attemptFailed = $0 { true } else { false } }
            #expect(failures == 1)
        }
    }

    @Test("a broker that restarts while no name server answers is found at its last address", arguments: [false, true])
    func noNames(isSilent: Bool) async throws {
        let broker = try await MosquittoBroker.running()
        let isDown = Mutex(false)
        let end = DispatchSemaphore(value: 0)
        defer { end.signal() }
        var environment = MQTTEnvironment.system
        environment.resolve = { host, port in
            guard isDown.withLock({ $0 }) else { return NumericAddress.resolve("127.0.0.1", port: port, isNumeric: true) }
            if isSilent { end.wait() }
            return .failure(NameNotResolved(detail: "\(host): no name server answers"))
        }
        let configuration = MQTTConfiguration.local(port: broker.port) {
            $0.host = "a.name"
            $0.nameLimit = .milliseconds(200)
        }
        try await RunningClient.with(configuration, environment: environment) { client in
            _ = try await client.log.session()
            isDown.withLock { $0 = true }
            await broker.kill()
            _ = try await client.log.end()
            try await broker.start()
            _ = try await client.log.session(2)
        }
    }

    @Test("a broker that is ended in good order is found again")
    func terminatedBroker() async throws {
        let broker = try await MosquittoBroker.running()
        try await RunningClient.with(.local(port: broker.port, protocolVersion: .v5)) { client in
            _ = try await client.log.session()
            await broker.terminate()
            let error = try await client.log.end()
            // mosquitto reports the reason from 2.0.12 on.
            #expect(error.code == .connectionLost || error.reasonCode == .serverShuttingDown)
            try await broker.start()
            _ = try await client.log.session(2)
        }
    }

    @Test("a refused login waits for the longest delay and has a remedy", arguments: [MQTTConfiguration.ProtocolPreference.v5, .v311])
    func refusedLogin(version: MQTTConfiguration.ProtocolPreference) async throws {
        let broker = try MosquittoBroker(.init(lines: ["password_file %DIR%/passwords"], allowsAnonymous: false))
        try ShortProgram.run(["mosquitto_passwd", "-b", "-c", "\(broker.directory)/passwords", "user", "right"])
        try await broker.start()
        let right = MQTTConfiguration.local(port: broker.port, protocolVersion: version) {
            $0.username = "user"
            $0.password = "right"
        }
        var wrong = right
        wrong.password = "wrong"
        wrong.clientID = "other"
        try await RunningClient.with(wrong) { client in
            let (error, delay) = try await client.log.first {
                if case .attemptFailed(let error, let delay) = $0 { (error, delay) } else { nil }
            }
            #expect(error.code == .refusedByBroker)
            #expect(error.reasonCode == .notAuthorized)
            #expect(delay == .seconds(20))
            #expect(error.remedy.contains("password"))
        }
        try await RunningClient.with(right) { client in _ = try await client.log.session() }
    }

    @Test("a second client with our id takes the link")
    func takeover() async throws {
        let broker = try await MosquittoBroker.running()
        let configuration = MQTTConfiguration.local(port: broker.port, "twin", protocolVersion: .v5)
        try await RunningClient.with(configuration) { first in
            _ = try await first.log.session()
            try await RunningClient.with(configuration) { second in
                _ = try await second.log.session()
                let error = try await first.log.end()
                // mosquitto 2.0.11 closes the old link without a word.
                #expect(error.code == .connectionLost || error.reasonCode == .sessionTakenOver)
            }
        }
    }

    @Test(
        "a broker that stands still is noticed within 15 s and found again, whatever the keep-alive", arguments: [0, 30, 600] as [UInt16])
    func suspendedBroker(keepAlive: UInt16) async throws {
        let broker = try await MosquittoBroker.running()
        try await RunningClient.with(.local(port: broker.port) { $0.keepAliveSeconds = keepAlive }) { client in
            _ = try await client.log.session()
            let clock = ContinuousClock()
            let began = clock.now
            broker.suspend()
            async let unanswered = client.publish(MQTTMessage(topic: "t", text: "x", qos: .atLeastOnce))
            let error = try await client.log.end()
            // The limit is 15 s; the rest is for a slow machine and leaves no room for the keep-alives in the list.
            #expect(clock.now - began < .seconds(20))
            #expect(error.code == .halfOpen)
            #expect(await unanswered == .connectionLost)
            broker.resume()
            _ = try await client.log.session(2)
        }
    }

    @Test("a broker that stops reading for a while loses nothing and costs no CPU", arguments: [false, true])
    func backpressure(isTLS: Bool) async throws {
        let certificates = try TestCertificates.make()
        let broker = try await MosquittoBroker.running(.init(lines: isTLS ? certificates.brokerLines : []))
        let readings = Mutex(0)
        var environment = MQTTEnvironment.system
        environment.now = {
            readings.withLock { $0 += 1 }
            return MQTTEnvironment.system.now()
        }
        let configuration = MQTTConfiguration.local(port: broker.port) {
            $0.tls = isTLS ? .init(caFile: certificates.ca) : nil
            $0.maximumIncomingBytes = 2 << 20
        }
        try await RunningClient.with(configuration, environment: environment) { client in
            let session = try await client.log.session()
            _ = await client.subscribe([MQTTSubscription(filter: "big/+", qos: .atLeastOnce)])
            broker.suspend()
            let before = readings.withLock { $0 }
            let outcomes = Mutex<[MQTTPublishOutcome]>([])
            for number in 0..<10 {
                let payload = [UInt8](repeating: UInt8(number), count: 1 << 20)
                client.publish(MQTTMessage(topic: "big/\(number)", payload: payload, qos: .atLeastOnce), epoch: 1) { outcome in
                    outcomes.withLock { $0.append(outcome) }
                }
            }
            // The sockets' buffers are full by far; a client that spins reads the clock thousands of times in this while.
            try await Task.sleep(for: .milliseconds(200))
            #expect(readings.withLock { $0 } - before < 500)
            #expect(outcomes.withLock { $0 }.isEmpty)
            broker.resume()
            try await client.log.wait { events in events.count { if case .message = $0 { true } else { false } } == 10 }
            try await eventually("everything is acknowledged") { client.client.outstanding == 0 }
            let messages = client.log.messages
            #expect(messages.map(\.topic) == (0..<10).map { "big/\($0)" })
            #expect(messages.enumerated().allSatisfy { number, message in message.payload.allSatisfy { $0 == UInt8(number) } })
            #expect(client.log.events.first == .connected(session))
            #expect(client.log.events.count == 11)
            #expect(outcomes.withLock { $0 } == Array(repeating: .acknowledged(.success), count: 10))
        }
    }

    @Test("an idle link to a live broker is kept up by pings", arguments: [false, true])
    func idleLink(isTLS: Bool) async throws {
        let certificates = try TestCertificates.make()
        let broker = try await MosquittoBroker.running(.init(lines: isTLS ? certificates.brokerLines : []))
        let configuration = MQTTConfiguration.local(port: broker.port) {
            $0.tls = isTLS ? .init(caFile: certificates.ca) : nil
            $0.keepAliveSeconds = 600
            $0.halfOpenLimit = .seconds(2)
        }
        try await RunningClient.with(configuration) { client in
            let session = try await client.log.session()
            try await eventually("four pings") { broker.log.components(separatedBy: "Received PINGREQ").count > 4 }
            #expect(client.log.events == [.connected(session)])
        }
    }

    @Test("a sleep of the machine ends the link at once")
    func suspendedMachine() async throws {
        let broker = try await MosquittoBroker.running()
        let slept = Mutex(Duration.zero)
        var environment = MQTTEnvironment.system
        environment.bootLead = { slept.withLock { $0 } }
        try await RunningClient.with(.local(port: broker.port), environment: environment) { client in
            _ = try await client.log.session()
            slept.withLock { $0 = .seconds(60) }
            client.client.wake()
            let error = try await client.log.end()
            #expect(error.code == .suspended)
            _ = try await client.log.session(2)
        }
    }

    @Test("an owner whose event loop stands still loses the link without DISCONNECT; then the client reconnects")
    func stalledOwner() async throws {
        let broker = try await MosquittoBroker.running()
        let will = MQTTMessage(topic: "state", text: "offline", qos: .atLeastOnce, retain: true)
        let configuration = MQTTConfiguration.local(port: broker.port, "owner") {
            $0.ownerLimit = .seconds(1)
            $0.will = will
        }
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let log = EventLog()
        let running = Mutex<MQTTClient?>(nil)
        let client = MQTTClient(configuration: configuration, logger: .quiet) { event in
            log.record(event)
            loop.execute {
                switch event {
                case .ownerCheck: running.withLock { $0 }?.confirmOwner()
                case .disconnected: running.withLock { $0 }?.wake()
                default: break
                }
            }
        }
        running.withLock { $0 = client }
        let task = Task { await client.run() }
        try await RunningClient.with(.local(port: broker.port, "watcher")) { watcher in
            _ = try await watcher.log.session()
            _ = await watcher.subscribe([MQTTSubscription(filter: "state", qos: .atLeastOnce)])
            _ = try await log.session()
            // An owner that answers keeps its link.
            try await log.wait { $0.count { $0 == .ownerCheck } >= 6 }
            #expect(watcher.log.messages.isEmpty)
            #expect(!log.events.contains { if case .disconnected = $0 { true } else { false } })

            let end = DispatchSemaphore(value: 0)
            let began = ContinuousClock.now
            loop.execute { end.wait() }
            try await watcher.log.wait { events in
                events.contains { if case .message(let message, _) = $0 { message.payload == will.payload } else { false } }
            }
            #expect(.now - began >= .milliseconds(900))
            #expect(try await log.end().code == .ownerStalled)
            end.signal()
            _ = try await log.session(2)
        }
        task.cancel()
        await task.value
    }

    @Test("what cannot be sent for lack of room is refused; what is on its way when the link ends is lost, each once")
    func boundedQueue() async throws {
        let broker = try await MosquittoBroker.running()
        let configuration = MQTTConfiguration.local(port: broker.port) { $0.outgoing = .init(maximumMessages: 50, maximumBytes: 1 << 20) }
        try await RunningClient.with(configuration) { client in
            _ = try await client.log.session()
            broker.suspend()
            let outcomes = Mutex<[MQTTPublishOutcome]>([])
            for _ in 0..<60 {
                client.publish(MQTTMessage(topic: "t", text: "x", qos: .atLeastOnce), epoch: 1) { outcome in
                    outcomes.withLock { $0.append(outcome) }
                }
            }
            #expect(client.client.outstanding == 50)
            #expect(outcomes.withLock { $0 } == Array(repeating: .refused(.queueFull), count: 10))
            await broker.kill()
            _ = try await client.log.end()
            #expect(outcomes.withLock { $0.count { $0 == .connectionLost } } == 50)
            #expect(outcomes.withLock { $0.count } == 60)
            #expect(client.client.outstanding == 0)
        }
    }

    @Test("bytes are bounded as well")
    func boundedBytes() async throws {
        let broker = try await MosquittoBroker.running()
        let configuration = MQTTConfiguration.local(port: broker.port) { $0.outgoing = .init(maximumMessages: 50, maximumBytes: 1000) }
        try await RunningClient.with(configuration) { client in
            _ = try await client.log.session()
            #expect(await client.publish(MQTTMessage(topic: "t", payload: Array(repeating: 0, count: 1000))) == .refused(.queueFull))
            #expect(await client.publish(MQTTMessage(topic: "t", payload: Array(repeating: 0, count: 999))) == .acknowledged(.success))
        }
    }
}

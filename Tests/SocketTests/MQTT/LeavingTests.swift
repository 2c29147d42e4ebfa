import Dispatch
import Glibc
import NetworkReach
import Synchronization
import TestSupport
import Testing

@testable import MQTTClient

@Suite("Leaving, from any state", .timeLimit(.minutes(5)))
struct LeavingTests {
    private static let will = MQTTMessage(topic: "state", text: "will", qos: .atLeastOnce, retain: true)
    private static let farewell = MQTTMessage(topic: "state", text: "farewell", qos: .atLeastOnce, retain: true)

    /// The messages on `state` that a watcher receives after `leave`, up to a sentinel on the same topic.
    private func seen(after leave: (RunningClient) async throws -> Void) async throws -> [String] {
        let broker = try await MosquittoBroker.running()
        var texts: [String] = []
        try await RunningClient.with(.local(port: broker.port, "watcher")) { watcher in
            _ = try await watcher.log.session()
            _ = await watcher.subscribe([MQTTSubscription(filter: "state", qos: .atLeastOnce)])
            try await RunningClient.with(.local(port: broker.port, "leaver") { $0.will = Self.will }) { leaver in
                _ = try await leaver.log.session()
                try await leave(leaver)
                _ = try await leaver.log.end()
            }
            // The broker handles the end of one connection before what another sends after it was closed.
            try await eventually("the broker notices the end") {
                broker.log.contains("leaver disconnected") || broker.log.contains("leaver closed")
            }
            _ = await watcher.publish(MQTTMessage(topic: "state", text: "sentinel", qos: .atLeastOnce))
            try await watcher.log.wait { events in
                events.contains { if case .message(let message, _) = $0 { message.payload == Array("sentinel".utf8) } else { false } }
            }
            texts = watcher.log.messages.map { String(decoding: $0.payload, as: UTF8.self) }
        }
        return texts
    }

    @Test("a stop publishes the farewell and drops the will")
    func stops() async throws {
        let texts = try await self.seen { leaver in
            await leaver.client.stop(publishing: Self.farewell, within: .seconds(10))
            await leaver.task.value
        }
        #expect(texts == ["farewell", "sentinel"])
    }

    @Test("a stop without a farewell drops the will as well")
    func stopsSilently() async throws {
        let texts = try await self.seen { await $0.client.stop() }
        #expect(texts == ["sentinel"])
    }

    @Test("cancellation leaves the last word to the will")
    func cancels() async throws {
        let texts = try await self.seen { await $0.cancel() }
        #expect(texts == ["will", "sentinel"])
    }

    @Test("what was published before the stop is sent before the farewell")
    func sendsWhatWasQueued() async throws {
        let texts = try await self.seen { leaver in
            leaver.publish(MQTTMessage(topic: "state", text: "1"), epoch: 1) { _ in }
            leaver.publish(MQTTMessage(topic: "state", text: "2", qos: .atLeastOnce), epoch: 1) { _ in }
            await leaver.client.stop(publishing: Self.farewell, within: .seconds(10))
        }
        #expect(texts == ["1", "2", "farewell", "sentinel"])
    }

    @Test("a farewell that the broker does not acknowledge delays no caller")
    func unansweredFarewell() async throws {
        let broker = try await MosquittoBroker.running()
        let client = RunningClient.start(.local(port: broker.port))
        _ = try await client.log.session()
        broker.suspend()
        await Self.expectPrompt(limit: .seconds(10)) {
            await client.client.stop(publishing: Self.farewell, within: .milliseconds(300))
            await client.task.value
        }
        let error = try await client.log.end()
        #expect(error.code == .stopped)
        #expect(client.client.outstanding == 0)
    }

    /// The body must not take as long as what it is held up by, which is 60 s or for ever in these tests.
    private static func expectPrompt(limit: Duration = .seconds(5), _ body: () async -> Void) async {
        let clock = ContinuousClock()
        let elapsed = await clock.measure(body)
        #expect(elapsed < limit)
    }

    @Test("run() ends promptly while a name is being resolved without an answer")
    func whileResolving() async throws {
        let isAsked = Mutex(0)
        let answer = DispatchSemaphore(value: 0)
        defer { answer.signal() }
        var environment = MQTTEnvironment.system
        environment.resolve = { _, _ in
            isAsked.withLock { $0 += 1 }
            answer.wait()
            return .success([])
        }
        let configuration = MQTTConfiguration.local(port: 1883) {
            $0.host = "a.name"
            $0.nameLimit = .milliseconds(200)
        }
        let client = RunningClient.start(configuration, environment: environment)
        // Two attempts, one look-up: it cannot be cancelled and is not started twice.
        try await client.log.wait { $0.count >= 2 }
        let error = try await client.log.failure()
        #expect(error.code == .nameResolutionTimedOut)
        #expect(isAsked.withLock { $0 } == 1)
        await Self.expectPrompt { await client.cancel() }
    }

    @Test("run() ends promptly with a name that does not exist")
    func unresolvableName() async throws {
        let client = RunningClient.start(.local(port: 1883) { $0.host = "does-not-exist.invalid" })
        let error = try await client.log.failure(seconds: 60)
        #expect([.nameNotResolved, .nameResolutionTimedOut].contains(error.code))
        await Self.expectPrompt { await client.cancel() }
    }

    @Test("a black hole is given up within the limit, and run() ends promptly in front of it")
    func blackHole() async throws {
        let hole = try BlackHole()
        let configuration = MQTTConfiguration.local(port: hole.port) { $0.connectLimit = .milliseconds(700) }
        let client = RunningClient.start(configuration)
        let error = try await client.log.failure()
        #expect(error.code == .connectTimedOut)
        await Self.expectPrompt { await client.cancel() }

        let patient = RunningClient.start(.local(port: hole.port) { $0.connectLimit = .seconds(60) })
        await Self.expectPrompt { await patient.client.stop() }
        await Self.expectPrompt { await patient.task.value }
    }

    @Test("a black-holed first address does not keep us from the second")
    func secondAddress() async throws {
        let hole = try BlackHole()
        let broker = try await MosquittoBroker.running()
        var environment = MQTTEnvironment.system
        environment.resolve = { _, _ in
            .success(
                [hole.port, broker.port].flatMap { port in
                    (try? NumericAddress.resolve("127.0.0.1", port: port, isNumeric: true).get()) ?? []
                })
        }
        try await RunningClient.with(.local(port: 1) { $0.host = "two.addresses" }, environment: environment) { client in
            let session = try await client.log.session()
            #expect(session.peer == "127.0.0.1:\(broker.port)")
            #expect(client.log.events.count == 1)
        }
    }

    @Test("when no address answers, the reasons of all are reported")
    func noAddress() async throws {
        let ports = [try FreePort.tcp(), try FreePort.tcp()]
        var environment = MQTTEnvironment.system
        environment.resolve = { _, _ in
            .success(ports.flatMap { (try? NumericAddress.resolve("127.0.0.1", port: $0, isNumeric: true).get()) ?? [] })
        }
        try await RunningClient.with(.local(port: 1) { $0.host = "two.addresses" }, environment: environment) { client in
            let error = try await client.log.failure()
            #expect(error.code == .cannotConnect)
            #expect(ports.allSatisfy { error.detail.contains(":\($0): Connection refused") })
        }
    }

    @Test("before run() and after the end everything is refused, and nothing hangs")
    func outsideRun() async throws {
        let completions = RunningClient.Completions()
        let client = MQTTClient(configuration: .local(port: 1), logger: .quiet) { event in
            if case .published(let published, _) = event { completions.call(published) }
        }
        let running = RunningClient(client: client, log: EventLog(), completions: completions, task: Task {})
        #expect(await running.publish(Self.farewell) == .refused(.notConnected))
        #expect(await running.subscribe([MQTTSubscription(filter: "t")]) == .refused(.notConnected))
        client.wake()
        await client.stop(publishing: Self.farewell)
        await client.run()
        await client.stop()
        #expect(await running.unsubscribe(["t"]) == .refused(.notConnected))
    }

    @Test("an unusable setting is reported and does not end run()")
    func invalidConfiguration() async throws {
        try await RunningClient.with(.local(port: 1) { $0.password = "without a user" }) { client in
            let (error, delay) = try await client.log.first {
                if case .attemptFailed(let error, let delay) = $0 { (error, delay) } else { nil }
            }
            #expect(error.code == .invalidConfiguration)
            #expect(delay == .seconds(20))
        }
    }
}

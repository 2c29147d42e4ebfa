import Logging
import Synchronization
import Testing

@testable import MQTTClient

/// Records the events of a client and lets a test wait for them.
final class EventLog: Sendable {
    struct TimedOut: Error, CustomStringConvertible {
        var seen: [MQTTEvent]
        var description: String { "not seen in time; \(self.seen.count) seen, the first: \(self.seen.prefix(6))" }
    }

    private struct State {
        var events: [MQTTEvent] = []
        var waiters: [UInt64: (test: @Sendable ([MQTTEvent]) -> Bool, continuation: CheckedContinuation<Bool, Never>)] = [:]
        var last: UInt64 = 0
    }

    /// Enough for every test; a client that runs wild must not fill the memory.
    private static let maximumEvents = 50_000
    private let state = Mutex(State())

    var events: [MQTTEvent] { self.state.withLock { $0.events } }

    func record(_ event: MQTTEvent) {
        let satisfied = self.state.withLock { state in
            if state.events.count < Self.maximumEvents { state.events.append(event) }
            let done = state.waiters.filter { $0.value.test(state.events) }
            for key in done.keys { state.waiters[key] = nil }
            return done.values.map(\.continuation)
        }
        for continuation in satisfied { continuation.resume(returning: true) }
    }

    /// Waits until the list of all events passes the test.
    func wait(seconds: Int = 30, until test: @escaping @Sendable ([MQTTEvent]) -> Bool) async throws {
        let seen = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            let number = self.state.withLock { state -> UInt64? in
                if test(state.events) { return nil }
                state.last += 1
                state.waiters[state.last] = (test, continuation)
                return state.last
            }
            guard let number else { return continuation.resume(returning: true) }
            // Has no owner on purpose: it ends by itself and does nothing once the waiter has ended.
            Task {
                try? await Task.sleep(for: .seconds(seconds))
                self.state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume(returning: false)
            }
        }
        if !seen { throw TimedOut(seen: self.events) }
    }

    /// The first value that `extract` finds, now or later.
    func first<Value: Sendable>(seconds: Int = 30, _ extract: @escaping @Sendable (MQTTEvent) -> Value?) async throws -> Value {
        try await self.wait(seconds: seconds) { $0.contains { extract($0) != nil } }
        return try #require(self.events.lazy.compactMap(extract).first)
    }

    /// The session of the link number `epoch`.
    func session(_ epoch: UInt64 = 1, seconds: Int = 30) async throws -> MQTTSession {
        try await self.first(seconds: seconds) { if case .connected(let session) = $0, session.epoch == epoch { session } else { nil } }
    }

    /// Why the link number `epoch` ended.
    func end(of epoch: UInt64 = 1, seconds: Int = 30) async throws -> MQTTLinkError {
        try await self.first(seconds: seconds) { if case .disconnected(epoch, let error) = $0 { error } else { nil } }
    }

    /// Why the first failed attempt failed.
    func failure(seconds: Int = 30) async throws -> MQTTLinkError {
        try await self.first(seconds: seconds) { if case .attemptFailed(let error, _) = $0 { error } else { nil } }
    }

    var messages: [MQTTMessage] { self.events.compactMap { if case .message(let message, _) = $0 { message } else { nil } } }
}

/// A client with its log, and `run()` in a task of its own that ends with the test.
struct RunningClient: Sendable {
    let client: MQTTClient
    let log: EventLog
    let completions: Completions
    let task: Task<Void, Never>

    /// Calls those who wait for the outcomes of their messages.
    final class Completions: Sendable {
        private struct State {
            var last: UInt64 = 0
            var waiting: [UInt64: @Sendable (MQTTPublishOutcome) -> Void] = [:]
        }

        private let state = Mutex(State())

        func add(_ completion: @escaping @Sendable (MQTTPublishOutcome) -> Void) -> UInt64 {
            self.state.withLock { state in
                state.last += 1
                state.waiting[state.last] = completion
                return state.last
            }
        }

        func call(_ published: [MQTTPublished]) {
            for message in published {
                let completion = self.state.withLock { $0.waiting.removeValue(forKey: message.token) }
                #expect(completion != nil, "an outcome without a message, or a second one")
                completion?(message.outcome)
            }
        }
    }

    static func start(_ configuration: MQTTConfiguration, environment: MQTTEnvironment = .system, logger: Logger? = nil) -> RunningClient {
        let (log, completions) = (EventLog(), Completions())
        let client = MQTTClient(configuration: configuration, environment: environment, logger: logger ?? .quiet) { event in
            if case .published(let published, _) = event { completions.call(published) } else { log.record(event) }
        }
        return RunningClient(client: client, log: log, completions: completions, task: Task { await client.run() })
    }

    /// Runs a test body, and ends the client after it in any case.
    static func with(
        _ configuration: MQTTConfiguration, environment: MQTTEnvironment = .system, logger: Logger? = nil,
        _ body: (RunningClient) async throws -> Void
    ) async throws {
        let running = Self.start(configuration, environment: environment, logger: logger)
        do { try await body(running) } catch {
            await running.cancel()
            throw error
        }
        await running.cancel()
    }

    func cancel() async {
        self.task.cancel()
        await self.task.value
    }

    func publish(_ message: MQTTMessage, epoch: UInt64 = 1, isAwaited: Bool = true) async -> MQTTPublishOutcome {
        await withCheckedContinuation { continuation in
            self.publish(message, epoch: epoch, isAwaited: isAwaited) { continuation.resume(returning: $0) }
        }
    }

    /// A message by itself.
    func publish(
        _ message: MQTTMessage, epoch: UInt64, isAwaited: Bool = true, completion: @escaping @Sendable (MQTTPublishOutcome) -> Void
    ) {
        self.client.publish(MQTTBatch(message, token: self.completions.add(completion)), epoch: epoch, isAwaited: isAwaited)
    }

    func subscribe(_ filters: [MQTTSubscription], epoch: UInt64 = 1) async -> MQTTSubscribeOutcome {
        await withCheckedContinuation { continuation in self.client.subscribe(filters, epoch: epoch) { continuation.resume(returning: $0) }
        }
    }

    func unsubscribe(_ filters: [String], epoch: UInt64 = 1) async -> MQTTSubscribeOutcome {
        await withCheckedContinuation { continuation in
            self.client.unsubscribe(filters, epoch: epoch) { continuation.resume(returning: $0) }
        }
    }
}

extension MQTTMessage {
    /// Bytes of its PUBLISH packet.
    func packetSize(version: MQTTProtocolVersion) -> Int {
        var size = 0
        MQTTBatch(self).forEach { size = $0.size(version: version) }
        return size
    }
}

extension Logger {
    static var quiet: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}

extension MQTTConfiguration {
    /// A client for a broker of a test.
    static func local(
        port: UInt16, _ clientID: String = "test", protocolVersion: ProtocolPreference = .auto,
        change: (inout MQTTConfiguration) -> Void = { _ in }
    ) -> MQTTConfiguration {
        var configuration = MQTTConfiguration(host: "127.0.0.1", port: port, protocolVersion: protocolVersion, clientID: clientID)
        change(&configuration)
        return configuration
    }
}

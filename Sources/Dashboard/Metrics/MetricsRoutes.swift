import BridgeCore
import CastModels
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// The routes `/metrics`, `/health` and `/ready`.
struct MetricsRoutes: Sendable {
    /// `nil` when there is no bridge.
    let bridge: (any BridgeMonitoring)?
    let registry: MetricsRegistry
    let connections: ConnectionTable
    let version: String
    /// The kind of the listener: on that of the page, `/metrics` requires a role.
    var kind = AccessPolicy.Kind.metrics
    /// How long the bridge may take to answer before it is reported as hanging.
    var patience = Duration.seconds(5)
    private let questions = OpenQuestions()

    func add(to router: Router<DashboardContext>) {
        router.get("/metrics") { request, context in
            if self.kind == .page { try context.require(.view) }
            guard let (measurements, delay) = await self.measure() else { throw Self.hangs }
            var text = MetricsText(MetricsText.Format(accept: request.headers[.accept]))
            BridgeMetrics(measurements: measurements, loopDelay: delay, version: self.version).write(to: &text)
            text.add("cast2mqtt_web_connections", .gauge, Double(self.connections.count), "Connections of clients of the web server.")
            self.registry.write(to: &text)
            let format = MetricsText.Format(accept: request.headers[.accept])
            return Response(
                status: .ok, headers: [.contentType: format.contentType, .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: text.whole)))
        }
        router.get("/health") { _, _ in
            guard await self.measure() != nil else { throw Self.hangs }
            return Response.json(["status": "ok"])
        }
        router.get("/ready") { _, _ in
            guard let (measurements, _) = await self.measure() else { throw Self.hangs }
            guard measurements.isOnline else {
                throw WebError(.serviceUnavailable, "not_ready", "The bridge has not published everything, or has no link to the broker.")
            }
            return Response.json(["status": "ready"])
        }
    }

    private static let hangs = WebError(.serviceUnavailable, "hangs", "The bridge does not answer.")

    /// - Returns: the figures and how long they took; `nil` when the bridge hangs.
    func measure() async -> (BridgeMeasurements, Duration)? {
        guard let bridge = self.bridge, self.questions.begin() else { return nil }
        let begin = ContinuousClock.now
        // Not a task group, because a task group would wait for a bridge that hangs.
        let (answers, answer) = AsyncStream<BridgeMeasurements?>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let questions = self.questions
        Task {
            answer.yield(await bridge.measurements())
            questions.end()
        }
        let alarm = Task { [patience] in
            try? await Task.sleep(for: patience)
            answer.yield(nil)
        }
        defer { alarm.cancel() }
        for await measurements in answers { return measurements.map { ($0, ContinuousClock.now - begin) } }
        return nil
    }
}

/// Counts the requests that the bridge has not answered. Bounded, because a bridge that hangs answers none of them.
final class OpenQuestions: Sendable {
    static let maximumCount = 16

    private let count = Mutex(0)

    /// - Returns: whether one more request is allowed. `end` releases it.
    func begin() -> Bool {
        self.count.withLock { count in
            guard count < Self.maximumCount else { return false }
            count += 1
            return true
        }
    }

    func end() { self.count.withLock { $0 -= 1 } }
}

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
    let measurements: WebMeasurements
    /// Of each listener.
    let connections: [ConnectionTable]
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
            let connections = self.connections.reduce(0) { $0 + $1.count }
            text.add("cast2mqtt_web_connections", .gauge, Double(connections), "Connections of clients of the web server.")
            self.measurements.write(to: &text)
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
            guard measurements.isOnline || measurements.isWaiting else {
                throw WebError(.serviceUnavailable, "not_ready", "The bridge has not published everything, or has no link to the broker.")
            }
            return Response.json(["status": "ready"])
        }
    }

    private static let hangs = WebError(.serviceUnavailable, "hangs", "The bridge does not answer.")

    /// - Returns: the figures and how long they took; `nil` when the bridge hangs.
    func measure() async -> (BridgeMeasurements, Duration)? {
        guard let bridge = self.bridge else { return nil }
        let begin = ContinuousClock.now
        // Not a task group, because a task group would wait for a bridge that hangs.
        let (answers, answer) = AsyncStream<BridgeMeasurements?>.makeStream(bufferingPolicy: .bufferingOldest(1))
        self.questions.ask(bridge, answer)
        let alarm = Task { [patience] in
            try? await Task.sleep(for: patience)
            answer.yield(nil)
        }
        defer { alarm.cancel() }
        for await measurements in answers { return measurements.map { ($0, ContinuousClock.now - begin) } }
        return nil
    }
}

/// Asks the bridge once for all requests that wait, so that clients that ask all the time leave no probe without an answer.
final class OpenQuestions: Sendable {
    /// The most requests that wait. A further one replaces the oldest.
    static let maximumCount = 1_024

    private let waiting = Mutex<[AsyncStream<BridgeMeasurements?>.Continuation]>([])

    func ask(_ bridge: any BridgeMonitoring, _ answer: AsyncStream<BridgeMeasurements?>.Continuation) {
        let isFirst = self.waiting.withLock { waiting in
            if waiting.count == Self.maximumCount { waiting.removeFirst().finish() }
            waiting.append(answer)
            return waiting.count == 1
        }
        guard isFirst else { return }
        Task {
            let measurements = await bridge.measurements()
            let all = self.waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for answer in all { answer.yield(measurements) }
        }
    }
}

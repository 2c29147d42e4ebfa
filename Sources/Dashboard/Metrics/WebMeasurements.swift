import CoreMetrics

/// The measurements of the web server about itself.
struct WebMeasurements: Sendable {
    static let requests = "cast2mqtt_web_requests"
    static let duration = "cast2mqtt_web_request_duration_seconds"

    let factory: MetricsRegistry

    /// - Parameter elapsed: `nil` for a stream of events, because its duration is meaningless.
    func answered(status: Int, elapsed: Duration?) {
        Counter(label: Self.requests, dimensions: [("status", "\(status)")], factory: self.factory).increment()
        if let elapsed {
            Timer(label: Self.duration, dimensions: [], factory: self.factory).recordNanoseconds(
                Int64(clamping: elapsed.components.seconds * 1_000_000_000 + elapsed.components.attoseconds / 1_000_000_000))
        }
    }
}

import CastModels
import Synchronization

/// The measurements of the web server about itself, until `/metrics` is read.
final class WebMeasurements: Sendable {
    private struct State {
        /// The number of answers by their status.
        var answers: [Int: Int] = [:]
        var buckets = [Int](repeating: 0, count: WebMeasurements.bounds.count + 1)
        var totalSeconds = 0.0
    }

    /// The upper bounds of `buckets`, in seconds.
    private static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private let state = Mutex(State())

    /// - Parameter elapsed: `nil` for a stream of events, because its duration is meaningless.
    func answered(status: Int, elapsed: Duration?) {
        self.state.withLock { state in
            state.answers[status, default: 0] += 1
            guard let seconds = elapsed?.inSeconds else { return }
            state.buckets[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
            state.totalSeconds += seconds
        }
    }

    func write(to text: inout MetricsText) {
        let state = self.state.withLock { $0 }
        text.begin(
            "cast2mqtt_web_request_duration_seconds", .histogram,
            "The time from the head of a request to the whole answer, without streams of events.")
        text.histogram(bounds: Self.bounds, counts: state.buckets, sum: state.totalSeconds)
        text.begin("cast2mqtt_web_requests", .counter, "Answers of the web server by status, streams of events included.")
        for (status, count) in state.answers.sorted(by: { $0.key < $1.key }) { text.sample(count, [("status", "\(status)")]) }
    }
}

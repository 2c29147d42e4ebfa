import CoreMetrics
import Synchronization

/// A backend of swift-metrics: stores what the web server and the libraries of the program measure, until `/metrics` is read.
///
/// Two instruments with the same label and dimensions are one time series. The number of time series is bounded; further ones are not kept.
package final class MetricsRegistry: MetricsFactory {
    struct Key: Hashable {
        let name: String
        let labels: [String]

        init(_ label: String, _ dimensions: [(String, String)]) {
            self.name = MetricsText.name(label)
            // Sorted, so that the order of dimensions makes no difference.
            self.labels = dimensions.sorted { $0.0 < $1.0 }.flatMap { [$0.0, $0.1] }
        }

        var pairs: MetricsText.Labels {
            stride(from: 0, to: self.labels.count - 1, by: 2).map { (self.labels[$0], self.labels[$0 + 1]) }
        }
    }

    private struct State {
        var kinds: [String: MetricsText.Kind] = [:]
        var series: [Key: MetricSeries] = [:]
    }

    /// The most time series.
    static let maximumCount = 1000

    private let state = Mutex(State())

    package init() {}

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        self.series(label, dimensions, .counter)
    }

    package func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
        self.series(label, dimensions, .counter)
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { self.series(label, dimensions, .gauge) }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        self.series(label, dimensions, aggregate ? .histogram : .gauge)
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { self.series(label, dimensions, .histogram) }

    package func destroyCounter(_ handler: any CounterHandler) { self.forget(handler) }
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { self.forget(handler) }
    package func destroyMeter(_ handler: any MeterHandler) { self.forget(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { self.forget(handler) }
    package func destroyTimer(_ handler: any TimerHandler) { self.forget(handler) }

    private func series(_ label: String, _ dimensions: [(String, String)], _ kind: MetricsText.Kind) -> MetricSeries {
        let key = Key(label, dimensions)
        return self.state.withLock { state in
            // A name has one kind in the format, so an instrument of another kind is not written.
            guard state.kinds[key.name, default: kind] == kind else { return MetricSeries(kind) }
            if let known = state.series[key] { return known }
            let series = MetricSeries(kind)
            guard state.series.count < Self.maximumCount else { return series }
            state.kinds[key.name] = kind
            state.series[key] = series
            return series
        }
    }

    private func forget(_ handler: AnyObject) {
        self.state.withLock { state in
            guard let key = state.series.first(where: { $0.value === handler })?.key else { return }
            state.series[key] = nil
            if !state.series.keys.contains(where: { $0.name == key.name }) { state.kinds[key.name] = nil }
        }
    }

    /// Writes every time series, sorted by name and labels.
    func write(to text: inout MetricsText) {
        let (series, kinds) = self.state.withLock { ($0.series, $0.kinds) }
        var name: String?
        for (key, series) in series.sorted(by: { ($0.key.name, $0.key.labels.joined()) < ($1.key.name, $1.key.labels.joined()) }) {
            if key.name != name {
                let base = key.name.hasSuffix("_total") ? String(key.name.dropLast(6)) : key.name
                text.begin(base, kinds[key.name] ?? .gauge, Self.help[base] ?? "measured by \(base)")
                name = key.name
            }
            series.write(to: &text, key.pairs)
        }
    }

    private static let help = [
        WebMeasurements.requests: "Answers of the web server by status, streams of events included.",
        WebMeasurements.duration: "The time from the head of a request to the whole answer, without streams of events.",
    ]
}

/// One time series: a counter, a gauge or a histogram.
final class MetricSeries: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    private struct State {
        var value = 0.0
        /// Whole increments, exact where a Double is not; saturates.
        var count: Int64 = 0
        var buckets = [Int](repeating: 0, count: MetricSeries.bounds.count + 1)
    }

    /// Upper bounds of histograms, in seconds.
    static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private let kind: MetricsText.Kind
    private let state = Mutex(State())

    init(_ kind: MetricsText.Kind) { self.kind = kind }

    func increment(by amount: Int64) {
        self.state.withLock { state in
            let (sum, overflow) = state.count.addingReportingOverflow(amount)
            state.count = overflow ? .max : sum
        }
    }

    func increment(by amount: Double) { self.state.withLock { $0.value += amount } }
    func decrement(by amount: Double) { self.state.withLock { $0.value -= amount } }
    func reset() { self.state.withLock { $0 = State() } }
    func set(_ value: Int64) { self.set(Double(value)) }
    func set(_ value: Double) { self.state.withLock { $0.value = value } }
    func record(_ value: Int64) { self.record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { self.record(Double(duration) / 1e9) }

    func record(_ value: Double) {
        self.state.withLock { state in
            guard self.kind == .histogram else { return state.value = value }
            state.buckets[Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count] += 1
            state.value += value
        }
    }

    func write(to text: inout MetricsText, _ labels: MetricsText.Labels) {
        let state = self.state.withLock { $0 }
        switch self.kind {
        case .counter where state.value == 0: text.sample(Int(state.count), labels)
        case .counter: text.sample(Double(state.count) + state.value, labels)
        case .gauge: text.sample(state.value, labels)
        case .histogram: text.histogram(bounds: Self.bounds, counts: state.buckets, sum: state.value, labels)
        }
    }
}

import BridgeCore
import CoreMetrics
import Testing

@testable import Dashboard

@Suite("The text of metrics") struct MetricsTextTests {
    private static func text(_ format: MetricsText.Format, _ write: (inout MetricsText) -> Void) -> String {
        var text = MetricsText(format)
        write(&text)
        return text.whole
    }

    @Test("counters end in _total, in OpenMetrics only their samples do")
    func counters() {
        let write = { (text: inout MetricsText) in
            text.begin("a.b", .counter, "What \"it\" is\\\nhere")
            text.sample(3, [("kind", "x\"y\\z\n"), ("1st", "é")])
        }
        #expect(
            Self.text(.prometheus, write) == """
                # HELP a_b_total What "it" is\\\\\\nhere
                # TYPE a_b_total counter
                a_b_total{kind="x\\"y\\\\z\\n",_1st="é"} 3

                """)
        #expect(
            Self.text(.openMetrics, write) == """
                # HELP a_b What "it" is\\\\\\nhere
                # TYPE a_b counter
                a_b_total{kind="x\\"y\\\\z\\n",_1st="é"} 3
                # EOF

                """)
    }

    @Test("a histogram's buckets add up")
    func histogram() {
        let text = Self.text(.prometheus) { text in
            text.begin("t_seconds", .histogram, "Time.")
            text.histogram(bounds: [0.05, 1], counts: [2, 0, 3], sum: 12.5, [("a", "b")])
        }
        #expect(
            text == """
                # HELP t_seconds Time.
                # TYPE t_seconds histogram
                t_seconds_bucket{a="b",le="0.05"} 2
                t_seconds_bucket{a="b",le="1"} 2
                t_seconds_bucket{a="b",le="+Inf"} 5
                t_seconds_sum{a="b"} 12.5
                t_seconds_count{a="b"} 5

                """)
    }

    @Test(
        "numbers are whole where they can be",
        arguments: [
            (1, "1"), (-0.5, "-0.5"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"), (1e300, "1e+300"), (0.000_132, "0.000132"),
        ])
    func numbers(value: Double, text: String) { #expect(MetricsText.number(value) == text) }

    @Test("OpenMetrics is only for clients that ask for it")
    func formats() {
        #expect(MetricsText.Format(accept: nil) == .prometheus && MetricsText.Format(accept: "*/*") == .prometheus)
        #expect(MetricsText.Format(accept: "application/openmetrics-text;version=1.0.0,text/plain;q=0.5") == .openMetrics)
    }
}

@Suite("The backend of swift-metrics") struct MetricsRegistryTests {
    private static func text(_ registry: MetricsRegistry) -> String {
        var text = MetricsText(.prometheus)
        registry.write(to: &text)
        return text.whole
    }

    private static func lines(_ registry: MetricsRegistry) -> [String] {
        Self.text(registry).split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    }

    @Test("keeps every kind of instrument; equal ones are one")
    func kinds() {
        let registry = MetricsRegistry()
        Counter(label: "c", dimensions: [("b", "2"), ("a", "1")], factory: registry).increment()
        Counter(label: "c", dimensions: [("a", "1"), ("b", "2")], factory: registry).increment(by: 2)
        FloatingPointCounter(label: "f", dimensions: [], factory: registry).increment(by: 0.5)
        Gauge(label: "g", dimensions: [], factory: registry).record(7)
        Meter(label: "m", dimensions: [], factory: registry).set(1.5)
        Timer(label: "t", dimensions: [], factory: registry).recordNanoseconds(7_000_000)
        let lines = Self.lines(registry)
        #expect(lines.starts(with: ["c_total{a=\"1\",b=\"2\"} 3", "f_total 0.5", "g 7", "m 1.5"]))
        #expect(lines.contains("t_bucket{le=\"0.005\"} 0") && lines.contains("t_bucket{le=\"0.01\"} 1") && lines.contains("t_sum 0.007"))
    }

    @Test("a counter saturates")
    func saturation() {
        let registry = MetricsRegistry()
        let counter = Counter(label: "c", dimensions: [], factory: registry)
        counter.increment(by: Int64.max)
        counter.increment(by: 1)
        #expect(Self.lines(registry) == ["c_total \(Int64.max)"])
    }

    @Test("one name has one kind, and each name is declared once")
    func oneKind() {
        let registry = MetricsRegistry()
        Counter(label: "x", dimensions: [("a", "1")], factory: registry).increment()
        Counter(label: "x", dimensions: [("a", "2")], factory: registry).increment()
        Meter(label: "x", dimensions: [], factory: registry).set(9)
        let text = Self.text(registry)
        #expect(text.matches(of: /# TYPE x_total counter/).count == 1 && !text.contains("9"))
    }

    @Test("series are bounded, and a destroyed one makes room")
    func bounded() {
        let registry = MetricsRegistry()
        let first = Counter(label: "x", dimensions: [("n", "0")], factory: registry)
        for number in 1...MetricsRegistry.maximumCount {
            Counter(label: "x", dimensions: [("n", "\(number)")], factory: registry).increment()
        }
        #expect(Self.lines(registry).count == MetricsRegistry.maximumCount)
        first.destroy()
        Meter(label: "x", dimensions: [], factory: registry).set(1)
        #expect(Self.lines(registry).count == MetricsRegistry.maximumCount - 1)
        Counter(label: "x", dimensions: [("n", "new")], factory: registry).increment()
        #expect(Self.lines(registry).count == MetricsRegistry.maximumCount)
    }
}

@Suite("The times of commands") struct CommandTallyTests {
    @Test("are counted by outcome and length")
    func tally() {
        var tally = CommandTally()
        tally.add(.done, elapsed: .milliseconds(5))
        tally.add(.done, elapsed: .milliseconds(6))
        tally.add(.timeout, elapsed: .seconds(60))
        #expect(tally.answers == [.done: 2, .timeout: 1] && tally.count == 3)
        #expect(tally.buckets.first == 1 && tally.buckets[1] == 1 && tally.buckets.last == 1)
        #expect(abs(tally.totalSeconds - 60.011) < 1e-9)
    }
}

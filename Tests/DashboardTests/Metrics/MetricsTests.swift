import BridgeCore
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

@Suite("The measurements of the web server") struct WebMeasurementsTests {
    @Test("count each answer by its status, and the times of those that are no streams")
    func answers() {
        let measurements = WebMeasurements()
        for (status, elapsed) in [(404, 7), (200, 7), (200, nil), (200, 20_000)] as [(Int, Int?)] {
            measurements.answered(status: status, elapsed: elapsed.map { .milliseconds($0) })
        }
        var text = MetricsText(.prometheus)
        measurements.write(to: &text)
        let lines = text.whole.split(separator: "\n").map(String.init)
        #expect(lines.filter { $0.hasPrefix("# TYPE") }.count == 2)
        let samples = lines.filter { !$0.hasPrefix("#") }
        #expect(samples.suffix(2) == [#"cast2mqtt_web_requests_total{status="200"} 3"#, #"cast2mqtt_web_requests_total{status="404"} 1"#])
        let duration = "cast2mqtt_web_request_duration_seconds"
        for (bound, count) in [("0.005", 0), ("0.01", 2), ("10", 2), ("+Inf", 3)] {
            #expect(samples.contains(#"\#(duration)_bucket{le="\#(bound)"} \#(count)"#))
        }
        #expect(samples.contains("\(duration)_count 3") && samples.contains("\(duration)_sum 20.014"))
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

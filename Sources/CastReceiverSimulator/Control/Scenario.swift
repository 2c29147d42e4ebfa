/// Control requests with their times of execution.
public struct Scenario: Sendable, Hashable {
    /// One line of a scenario file.
    public struct Step: Sendable, Hashable {
        /// The time since all devices were announced.
        public var at: Duration
        public var request: ControlRequest

        public init(at: Duration, request: ControlRequest) { (self.at, self.request) = (at, request) }
    }

    /// The latest time of a step, in seconds.
    package static let latest = 1e9

    /// The steps in order of their times.
    public private(set) var steps: [Step]
    /// The devices, if the file describes them.
    public package(set) var fleet: FleetScript?

    public init(steps: [Step]) {
        self.steps = steps.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    /// Parses JSON lines `{"at":seconds,"device":…,"do":…}`; empty lines and lines that begin with `#` are skipped.
    ///
    /// - Throws: `SimulatorError` `configuration` with the line number.
    public init(text: String) throws(SimulatorError) {
        var steps: [Step] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.drop { $0 == " " || $0 == "\t" }
            if line.isEmpty || line == "\r" || line.hasPrefix("#") { continue }
            guard var json = JSONTextReader.read(String(line)), let at = json["at"]?.double, at >= 0, at <= Self.latest else {
                throw SimulatorError(.configuration, "line \(index + 1): not a JSON object with a number \"at\"")
            }
            json["at"] = nil
            do throws(SimulatorError) { steps.append(Step(at: .seconds(at), request: try ControlRequest(json))) } catch {
                throw SimulatorError(.configuration, "line \(index + 1): \(error.detail)")
            }
        }
        self.init(steps: steps)
    }
}

import ArgumentParser
import CastReceiverSimulator
import FoundationEssentials

struct BehaviourOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Path of the control socket, which takes JSON lines.", valueName: "path"))
    var control: String?

    @Option(help: ArgumentHelp("File for what the devices receive, as JSON lines.", valueName: "file"))
    var journal: String?

    @Option(
        help: ArgumentHelp(
            "Scenario: YAML with the fleet and steps in time (.yaml, .yml), or control requests as JSON lines.", valueName: "file"))
    var scenario: String?

    @Option(
        name: .customLong("sabotage"),
        help: ArgumentHelp(
            "Break one behaviour on purpose; may be given several times. One of \(Sabotage.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "name"))
    var sabotages: [Sabotage] = []

    @Option(
        name: .customLong("habit"),
        help: ArgumentHelp(
            "A way of some real receivers; may be given several times. One of \(Habit.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "name"))
    var habits: [Habit] = []

    @Option(
        help: ArgumentHelp(
            "How authentication challenges are answered: \(AuthenticationManner.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "name"))
    var authentication = AuthenticationManner.genuine

    @Option(help: ArgumentHelp("File for the root certificate of the devices' chains, in PEM.", valueName: "file"))
    var authenticationRoot: String?

    @Option(help: ArgumentHelp("Seconds in pause after which an application ends.", valueName: "seconds"))
    var pauseLimit: Double?

    @Option(help: ArgumentHelp("Milliseconds that answers take, as MIN-MAX or one number.", valueName: "ms"))
    var answerDelay: DelayRange = DelayRange(milliseconds: 1...50)

    @Flag(help: "Ask for the URLs of media, as real receivers do; otherwise the URL itself determines how loading ends.")
    var fetchMedia = false

    @Flag(help: "Report the media in every status, as some applications do, instead of only when it changed.")
    var repeatMedia = false

    func validate() throws {
        if let pauseLimit, !(0...1_000_000).contains(pauseLimit) { throw ValidationError("--pause-limit must be between 0 and 1000000") }
    }

    func apply(to configuration: inout SimulatorConfiguration) throws(SimulatorError) {
        configuration.controlPath = self.control
        configuration.journalPath = self.journal
        configuration.settings.sabotages = Set(self.sabotages)
        configuration.settings.habits = Set(self.habits)
        configuration.settings.fetchesMedia = self.fetchMedia
        configuration.settings.pauseLimit = self.pauseLimit.map { .seconds($0) }
        configuration.authentication = self.authentication
        configuration.authenticationRootPath = self.authenticationRoot
        configuration.settings.answerDelay = self.answerDelay.duration
        configuration.settings.repeatsMedia = self.repeatMedia
        guard let path = self.scenario else { return }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw SimulatorError(.configuration, "cannot read \(path)")
        }
        do throws(SimulatorError) {
            let isYAML = path.hasSuffix(".yaml") || path.hasSuffix(".yml")
            let scenario = isYAML ? try Scenario(yaml: text) : try Scenario(text: text)
            configuration.scenario = scenario
            scenario.fleet?.apply(to: &configuration)
        } catch {
            throw SimulatorError(error.code, "\(path), \(error.detail)")
        }
    }
}

/// A range of milliseconds in text: `0`, `1-50`.
struct DelayRange: ExpressibleByArgument, CustomStringConvertible {
    var milliseconds: ClosedRange<Double>

    init(milliseconds: ClosedRange<Double>) { self.milliseconds = milliseconds }

    init?(argument: String) {
        let parts = argument.split(separator: "-", omittingEmptySubsequences: false).map { Double($0) }
        guard (1...2).contains(parts.count), let low = parts.first ?? nil, let high = parts.last ?? nil, low >= 0, low <= high,
            high <= 600_000
        else { return nil }
        self.milliseconds = low...high
    }

    var duration: ClosedRange<Duration> { .milliseconds(self.milliseconds.lowerBound) ... .milliseconds(self.milliseconds.upperBound) }
    var description: String { "\(Int(self.milliseconds.lowerBound))-\(Int(self.milliseconds.upperBound))" }
}

extension Sabotage: ExpressibleByArgument {}
extension Habit: ExpressibleByArgument {}
extension AuthenticationManner: ExpressibleByArgument {}

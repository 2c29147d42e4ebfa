import ArgumentParser
import BridgeConfiguration

/// `cast2mqtt check-config`: checks whether `run` would accept the configuration.
struct CheckConfigurationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config", abstract: "Checks the configuration file and the environment, and starts nothing.",
        discussion:
            "Ends with 0 when they can be used, else with 78 and every mistake with its place. Variables that are ignored and keys that are deprecated are warnings."
    )

    @OptionGroup var file: ConfigurationOption

    func run() throws {
        let loaded = try self.file.load()
        for warning in loaded.warnings { print("warning: \(warning)".printable) }
        print(
            "The configuration can be used\(loaded.path.map { ": \($0)" } ?? "; there is no file, so defaults and the environment hold").")
    }
}

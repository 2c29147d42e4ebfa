import ArgumentParser
import BridgeConfiguration
import CastSender

/// `cast2mqtt check-config`: checks whether `run` would accept the configuration.
struct CheckConfigurationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config", abstract: "Checks the configuration file and the environment, and starts nothing.",
        discussion:
            "Ends with 0 when they can be used, else with 78 and every mistake with its place. Variables that are ignored and keys that are deprecated are warnings."
    )

    @OptionGroup var file: ConfigurationOption

    @Flag(help: "Also print what differs from the settings of the running bridge, and what of it needs a restart.")
    var diff = false

    @Flag(help: "Print the JSON Schema of the configuration file instead, for editors.")
    var schema = false

    func run() async throws {
        if self.schema { return print(ConfigurationSchema.text, terminator: "") }
        let loaded = try self.file.load()
        for warning in loaded.warnings { print("warning: \(warning)".printable) }
        print(
            "The configuration can be used\(loaded.path.map { ": \($0)" } ?? "; there is no file, so defaults and the environment hold").")
        if self.diff { try await self.compare(loaded) }
    }

    /// Prints a line for each key with another value than in the running bridge. Secrets are hidden there, and its environment and what was
    /// chosen are not seen here, so these are not compared.
    private func compare(_ loaded: ConfigurationLoader.Loaded) async throws {
        guard let (socket, _, _) = try await ControlSocket.find(loaded.configuration),
            let running = try await socket.request("/api/v1/settings")?.body["settings"]?.arrayValue
        else {
            StandardError.print("no bridge of this configuration runs here, or this user may not ask it")
            throw ExitCode.noBridge
        }
        for setting in running {
            guard let path = setting["key"]?.stringValue, let former = setting["value"],
                !["environment", "settings"].contains(setting["place"]?.stringValue) || loaded.places[path] == .environment
            else { continue }
            let new = loaded.value(of: path)
            guard new != former else { continue }
            let effect = setting["live"]?.boolValue == true ? "at a reload" : "after a restart"
            print("\(path): \(JSONWriter.text(of: former)) → \(JSONWriter.text(of: new)), \(effect)")
        }
    }
}

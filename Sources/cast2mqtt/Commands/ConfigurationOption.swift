import ArgumentParser
import Bridge
import BridgeConfiguration
import FoundationEssentials
import Glibc

/// `--config FILE`, shared by all commands.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The configuration file.",
            discussion: "Without it $CAST2MQTT_CONFIG names the file, else \(ConfigurationLoader.standardPath) is read if it exists.",
            valueName: "file"))
    var path: String?

    /// Returns the checked configuration; if it has errors, prints all of them and exits with 78.
    func load() throws -> ConfigurationLoader.Loaded {
        do throws(ConfigurationError) {
            var loaded = try self.read()
            guard let path = loaded.configuration.settingsPath else { return loaded }
            switch Self.read(path) {
            case .bytes(let bytes): return try self.read(settings: (path, bytes))
            case .missing: break
            case .unreadable(let reason):
                loaded.warnings.append(
                    ConfigurationProblem(source: .file(path: path, line: nil), message: "left out, since it can't be read: \(reason)"))
            }
            return loaded
        } catch {
            StandardError.print("\(error)")
            throw ExitCode.wrongConfiguration
        }
    }

    /// Reads the configuration.
    ///
    /// - Parameters: as of `ConfigurationLoader.load`.
    func read(settings: (path: String, bytes: [UInt8])? = nil, isTrial: Bool = false) throws(ConfigurationError)
        -> ConfigurationLoader.Loaded
    {
        var loaded = try ConfigurationLoader.load(
            argument: self.path, environment: ProcessInfo.processInfo.environment, settings: settings, isTrial: isTrial, read: Self.read)
        let place = loaded.places["home_assistant.mode"]
        loaded.configuration.homeAssistant.modeSource = place.flatMap { .init(rawValue: $0.rawValue) } ?? .defaults
        return loaded
    }

    static func read(_ path: String) -> FileContents {
        do throws(WholeFile.Failure) {
            return .bytes(try WholeFile.read(path, limit: ConfigurationLoader.maximumBytes))
        } catch {
            return error.number == ENOENT ? .missing : .unreadable(String(cString: strerror(error.number)))
        }
    }
}

import ArgumentParser
import Bridge
import BridgeConfiguration
import FoundationEssentials
import Glibc

/// `--config FILE`, common to every command.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The configuration file.",
            discussion: "Without it $CAST2MQTT_CONFIG names the file, else \(ConfigurationLoader.standardPath) is read if it exists.",
            valueName: "file"))
    var path: String?

    /// The checked configuration; ends the program with 78 and every mistake when there is one.
    func load() throws -> ConfigurationLoader.Loaded {
        do throws(ConfigurationError) {
            return try ConfigurationLoader.load(
                argument: self.path, environment: ProcessInfo.processInfo.environment, read: Self.read)
        } catch {
            StandardError.print("\(error)")
            throw ExitCode.wrongConfiguration
        }
    }

    private static func read(_ path: String) -> FileContents {
        do throws(WholeFile.Failure) {
            return .bytes(try WholeFile.read(path, limit: ConfigurationLoader.maximumBytes))
        } catch {
            return error.number == ENOENT ? .missing : .unreadable(String(cString: strerror(error.number)))
        }
    }
}

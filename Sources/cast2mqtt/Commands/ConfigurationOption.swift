import ArgumentParser
import BridgeConfiguration
import Foundation

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
        guard FileManager.default.fileExists(atPath: path) else { return .missing }
        do { return .bytes([UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))) } catch {
            return .unreadable(error.localizedDescription)
        }
    }
}

/// Words for people that are not part of a command's output.
enum StandardError {
    static func print(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}

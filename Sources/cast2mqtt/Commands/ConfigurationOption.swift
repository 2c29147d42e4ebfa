import ArgumentParser
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
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENOENT ? .missing : .unreadable(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while bytes.count <= ConfigurationLoader.maximumBytes {
            var count = 0
            let part = [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, initialized in
                count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                // `read` has written this many bytes.
                initialized = max(count, 0)
            }
            if count < 0, errno != EINTR { return .unreadable(String(cString: strerror(errno))) }
            if count == 0 { break }
            bytes += part
        }
        return .bytes(bytes)
    }
}

/// Words for people that are not part of a command's output.
enum StandardError {
    static func print(_ text: String) {
        let line = Array((text + "\n").utf8)
        // A closed or full standard error loses the text: there is nowhere left to say so.
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

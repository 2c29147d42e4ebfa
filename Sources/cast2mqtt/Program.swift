import ArgumentParser
import Bridge
import CProgramSupport

@main
struct Program: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cast2mqtt",
        abstract: "Puts Google Cast devices on MQTT and obeys commands from there.",
        discussion: """
            Without a configuration it finds the devices in this network, starts a private mosquitto on 127.0.0.1 and prints the
            mosquitto_sub line that shows everything:

              cast2mqtt run

            With your own broker, in a file (cast2mqtt run --config FILE) or in the environment:

              CAST2MQTT_MQTT_HOST=broker.lan CAST2MQTT_MQTT_USERNAME=cast CAST2MQTT_MQTT_PASSWORD_FILE=/run/secrets/mqtt cast2mqtt run

            Something wrong? "cast2mqtt doctor" finds out what, and what to do.
            Nothing found? "cast2mqtt devices" shows what discovery finds, or why it finds nothing.
            Something does not play? "cast2mqtt check URL" says what is wrong with the address.
            "cast2mqtt hash-password" makes the password for the web page (web.listen), "cast2mqtt make-token" a token for its API.
            "cast2mqtt setup-code" prints what the web page asks for on this machine while it has no password.
            "cast2mqtt health" asks the running bridge, for containers and monitoring.

            Exit codes: 0 clean end, 1 "health" found no bridge that works or "check" an error, 64 wrong usage, 69 mosquitto is missing, 71 a restart was asked for and the system
            refuses it, 75 the state directory is in use, 78 the
            configuration is wrong or can't be used here (no free port, nothing to write to).
            """,
        version: Build.description,
        subcommands: [
            RunCommand.self, HealthCommand.self, DevicesCommand.self, CheckCommand.self, HomeAssistantCommand.self,
            CheckConfigurationCommand.self, HashPasswordCommand.self, MakeTokenCommand.self, SetupCodeCommand.self,
            DoctorCommand.self, BackupCommand.self, RestoreCommand.self,
        ],
        groupedSubcommands: [
            CommandGroup(
                name: "Ask and command the running bridge",
                subcommands: [
                    StatusCommand.self, WatchCommand.self, PlayCommand.self, PauseCommand.self, StopCommand.self, NextCommand.self,
                    PreviousCommand.self, SeekCommand.self, VolumeCommand.self, MuteCommand.self, QueueCommand.self, TransferCommand.self,
                    GroupsCommand.self, RequestCommand.self, LogsCommand.self,
                ])
        ],
        defaultSubcommand: nil)

    static func main() async { await self.main(Array(self.arguments.dropFirst())) }

    /// The program's name and its arguments. Swift's own list is empty when a preloaded library has set a variable of the environment: it looks
    /// for them in front of that, which has moved then.
    static let arguments: [String] = {
        guard let bytes = try? WholeFile.read("/proc/self/cmdline", limit: 1 << 21), bytes.last == 0 else { return CommandLine.arguments }
        return bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }()
}

enum Build {
    static let version = "0.1.0"
    /// The commit that the program was built from; `nil` when the build did not set it.
    static let commit = String(cString: cast2mqtt_commit()).isEmpty ? nil : String(cString: cast2mqtt_commit())
    static let description = "cast2mqtt \(Self.version)" + (Self.commit.map { " (\($0))" } ?? "")
}

/// The exit codes of the program (sysexits.h where a number fits).
extension ExitCode {
    static let unhealthy = ExitCode(1)
    static let mosquittoMissing = ExitCode(69)
    static let restartFailed = ExitCode(71)
    static let stateDirectoryInUse = ExitCode(75)
    static let wrongConfiguration = ExitCode(78)
}

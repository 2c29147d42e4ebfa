import ArgumentParser
import CNetworkNamespace
import CastReceiverSimulator
import FoundationEssentials
import Glibc

/// Runs a command beside a fleet, in a network namespace of their own.
struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a command beside simulated devices, in a network of its own.",
        discussion: """
            Makes a network and process namespace with the card \(NETWORK_NAMESPACE_CARD), starts the devices, waits until they answer, runs the \
            command and ends with its status: 128 and the number for a signal, 127 if there is no such command, 125 if the namespace or the \
            devices failed. Signals are forwarded to the command. Nothing is left at the end, also when this process is killed.

            The command finds in its environment: \(Variable.allCases.map(\.rawValue).joined(separator: ", ")).

            Root makes the namespaces; for other users the kernel must allow user namespaces, and the command stays the same user.
            """)

    /// The variables of the command's environment.
    enum Variable: String, CaseIterable {
        case control = "CAST_SIMULATOR_CONTROL"
        case journal = "CAST_SIMULATOR_JOURNAL"
        case authenticationRoot = "CAST_SIMULATOR_AUTHENTICATION_ROOT"
        case addresses = "CAST_SIMULATOR_ADDRESSES"
    }

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var behaviour: BehaviourOptions

    @Argument(parsing: .postTerminator, help: ArgumentHelp("The command and its arguments, after \"--\".", valueName: "command"))
    var command: [String]

    func validate() throws {
        guard CommandLine.arguments.dropFirst().first == "run" else { throw ValidationError("\"run\" comes before the options.") }
        // The parser knows it from the plain command.
        guard !Self.options.contains("--list") else { throw ValidationError("--list is not for \"run\": \(Variable.addresses.rawValue).") }
        do { _ = try self.plan() } catch { throw ValidationError(error.description) }
    }

    func run() throws {
        let plan = try self.plan()
        // A socket's path has at most 107 bytes.
        let folder = getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.utf8.count < 60 && $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        let directory = "\(folder)/cast-simulator-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
        var options = Self.options
        if self.fleet.interfaces.isEmpty { options += ["--interface", NETWORK_NAMESPACE_CARD] }
        if self.fleet.addressBase == nil { options += ["--address-base", Self.addressBase] }
        var files: [String] = []
        for (variable, name, given) in [
            (Variable.control, "control", self.behaviour.control), (.journal, "journal", self.behaviour.journal),
            (.authenticationRoot, "authentication-root", self.behaviour.authenticationRoot),
        ] {
            let path = given.map { $0.hasPrefix("/") ? $0 : "\(FileManager.default.currentDirectoryPath)/\($0)" } ?? "\(directory)/\(name)"
            if given == nil { options += ["--\(name)", path] }
            // Files that were asked for remain, but no socket.
            if given == nil || variable == .control { files.append(path) }
            setenv(variable.rawValue, path, 1)
        }
        setenv(Variable.addresses.rawValue, plan.devices.map { "\($0.address):\($0.port)" }.joined(separator: " "), 1)
        let first = plan.devices.first?.address ?? Self.addressBase
        throw ExitCode(
            network_namespace_run(
                directory, Self.words(files), inet_addr(first), Self.words(["cast-simulator"] + options), Self.words(self.command)))
    }

    private static let addressBase = "10.98.0.2"

    /// The words between "run" and the command.
    private static var options: [String] { Array(CommandLine.arguments.prefix { $0 != "--" }.dropFirst(2)) }

    /// Copies words for C, for as long as the process runs.
    private static func words(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] { texts.map { strdup($0) } + [nil] }

    private func plan() throws(SimulatorError) -> FleetPlan {
        var configuration = SimulatorConfiguration()
        configuration.addressBase = Self.addressBase
        self.fleet.apply(to: &configuration)
        try self.behaviour.apply(to: &configuration)
        return try configuration.plan()
    }
}

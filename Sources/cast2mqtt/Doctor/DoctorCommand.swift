import ArgumentParser
import Bridge
import BridgeConfiguration
import BridgeCore
import CastSender
import Logging
import NIOPosix

/// `cast2mqtt doctor`: goes through everything that the bridge needs, in the order in which one thing needs another.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Finds out what keeps the bridge from working.",
        discussion: """
            Looks at the machine (clock, state directory, limits), the network (interfaces, firewall, container), the broker (reached, login, rights to
            write and read, retained messages, size limit), the running bridge and each device (port, TLS, authentication). Each finding has a code, a
            remedy and its place in docs/TROUBLESHOOTING.md; the first one is often the cause of the others. It changes nothing, but for one short message below mqtt.base that it removes again.

            Exit codes: 0 nothing is wrong, or only warnings; 1 an error was found; 64 wrong usage; 78 the configuration is wrong.
            """)
    @OptionGroup var file: ConfigurationOption
    @Flag(help: "Print a JSON array of the findings.")
    var json = false
    @Option(
        help: ArgumentHelp(
            "How long to listen for devices while no bridge runs, and to wait for the broker, in seconds (1 to 60).", valueName: "seconds"))
    var seconds = 5

    func validate() throws {
        guard (1...60).contains(self.seconds) else { throw ValidationError("--seconds takes 1 to 60") }
    }

    func run() async throws {
        var configuration = try self.file.load().configuration
        configuration.log.filters.level = max(configuration.log.filters.level, .critical)
        _ = configuration.log.install(configuration.secrets.redaction)
        ProcessLimits.raiseDescriptors()
        var (seen, isRunning) = ([Self.hanging], false)
        do {
            if let running = try await ControlSocket.find(configuration) {
                (seen, isRunning) = (await self.bridge(running.socket), true)
            } else {
                seen = try await [Self.missing] + self.discovery(configuration)
            }
        } catch is ControlSocket.Silence {}
        // A cause goes before its consequences, and what keeps the bridge from working before what may.
        var findings = MachineFacts.read(configuration).findings + seen.filter { Finding.network.contains($0.code) }
        findings += await self.broker(configuration, isRunning: isRunning)
        findings += seen.filter { !Finding.network.contains($0.code) }
        findings = findings.filter { $0.severity == .error } + findings.filter { $0.severity == .warning }
        if self.json {
            print(JSONWriter.text(of: .array(findings.map(\.json))))
        } else {
            for finding in findings { print(configuration.secrets.redaction.redacted(finding.description)) }
            if findings.isEmpty { print("Nothing wrong was found.") }
        }
        if findings.contains(where: { $0.severity == .error }) { throw ExitCode.failure }
    }

    private static let missing = Finding(
        .warning, "bridge_not_running", "no bridge of this configuration runs here, or this user may not ask it",
        "Start it, name its --config, or join the group cast2mqtt.", .starting)
    private static let hanging = Finding(
        .error, "bridge_hangs", "the bridge runs and does not answer", "Restart it, and report it with its log.", .starting)

    private func broker(_ configuration: Configuration, isRunning: Bool) async -> [Finding] {
        // Only a running bridge has its private broker.
        let port =
            configuration.mqtt.host == nil ? configuration.stateDirectoryPath.flatMap { PrivateBroker.port(stateDirectory: $0) } : nil
        guard configuration.mqtt.host != nil || (isRunning && port != nil) else { return [] }
        let fault = await configuration.brokerFault(privatePort: port.map { Int($0) }, within: .seconds(self.seconds))
        return fault.map { [Finding($0.isLimit ? .warning : .error, $0.code, "broker: \($0.reason)", $0.remedy, .broker)] } ?? []
    }

    /// What the running bridge says of its broker, of discovery and of each device.
    private func bridge(_ socket: ControlSocket) async -> [Finding] {
        guard let documents = try? await socket.request("/api/v1/state")?.body["documents"] else { return [] }
        var findings: [Finding] = []
        if let ready = try? await socket.request("/ready"), ready.status != 200 {
            let text = ready.body["error"]?["message"]?.stringValue ?? "the bridge is not ready"
            findings.append(Finding(.error, "bridge_not_ready", text, "Read its log: cast2mqtt logs --level warning.", .broker))
        }
        if let cause = documents["bridge/health"]?["discovery"]?["cause"]?.stringValue {
            findings.append(Finding(.error, cause, "the bridge finds no device", "Look the cause up below.", .devices))
        }
        for device in documents["bridge/devices"]?.arrayValue ?? [] where device["online"]?.boolValue == false {
            guard let slug = device["slug"]?.stringValue else { continue }
            let history = try? await socket.request("/api/v1/devices/\(slug)/history")?.body["entries"]?.arrayValue
            let code = (history ?? []).reversed().lazy.compactMap { $0["code"]?.stringValue }.first
            let text = "\(slug) (\(device["ip"]?.stringValue ?? "no address")) is offline" + (code.map { ": \($0)" } ?? "")
            let remedy = "Check that it has power and is in the network; the bridge keeps trying."
            findings.append(Finding(.warning, "device_offline", text, remedy, .devices))
        }
        return findings
    }

    /// What discovery finds without a bridge, and which devices accept a connection.
    private func discovery(_ configuration: Configuration) async throws -> [Finding] {
        let search = try await FoundDevices.search(configuration, within: .seconds(self.seconds))
        var findings = search.problems.map { problem -> Finding in
            if case .interface(let name) = problem.place {
                let remedy = "Correct discovery.interfaces, or let other programs share UDP port 5353."
                return Finding(.error, "interface_missing", "interface \(name): \(problem.reason)", remedy, .devices)
            }
            let (code, text) = (problem.isAuthenticationFailure ? "not_genuine" : "host_silent", "\(problem.place.name): \(problem.reason)")
            return Finding(.error, code, text, "Check the address, and that the device is on.", .devices)
        }
        if search.devices.isEmpty, let hint = search.hint {
            findings.append(Finding(.error, hint.cause.rawValue, hint.reason, "\(hint.remedy).", .devices))
        }
        for device in search.devices where !search.ready.contains(device.id) {
            let failure = search.failures[device.id]
            let (code, remedy) = Self.kind(of: failure?.code)
            let place = "at \(device.endpoints.first?.description ?? "no address"): \(failure.map { "\($0)" } ?? "no answer")"
            findings.append(
                Finding(.error, code, "\(device.friendlyName) announces itself and can't be used \(place)", remedy, .devices))
        }
        return findings
    }

    /// Returns the code and the remedy for the last error of connecting to a device that announces itself.
    private static func kind(of error: CastError.Code?) -> (code: String, remedy: String) {
        switch error {
        case let error? where error.isAuthenticationFailure:
            ("not_genuine", "Check authentication.roots_file, or set authentication.mode to report.")
        case nil, .timeout?:
            ("device_unverified", "Check the firewall before the device (TCP port 8009), and that both are in one network.")
        default: ("device_refused", "Restart the device, and check that nothing else has its address.")
        }
    }
}

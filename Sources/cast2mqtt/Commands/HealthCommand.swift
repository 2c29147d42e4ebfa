import ArgumentParser
import Bridge
import BridgeConfiguration
import BridgeCore
import NIOPosix

/// `cast2mqtt health`: checks whether the running bridge is online and answers.
struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health", abstract: "Asks the running bridge whether it works.",
        discussion: """
            Reads the configuration of the bridge (the same --config and environment) and asks over its control socket, in $RUNTIME_DIRECTORY, the state
            directory or /run/cast2mqtt. Where this user finds none, it connects to the bridge's broker with a client id of its own and sends
            bridge/request/health_check. With a private broker it needs the bridge's state directory, where broker.json has the port.

            Exit codes: 0 the bridge is online and answered, 1 it did not (one line on standard error with the reason), 64 wrong usage, 78 the
            configuration is wrong.
            """)

    @OptionGroup var file: ConfigurationOption

    @Option(help: ArgumentHelp("How long it may take, in seconds (1 to 60).", valueName: "seconds"))
    var timeout = 5

    func validate() throws {
        guard (1...60).contains(self.timeout) else { throw ValidationError("--timeout takes 1 to 60") }
    }

    func run() async throws {
        let configuration = try self.file.load().configuration
        if try await self.askSocket(configuration) { return }
        let search = BridgeHealthSearch(
            instance: configuration.instance, topics: TopicTree(base: configuration.mqtt.base),
            mqtt: configuration.client(privatePort: try Self.privatePort(configuration), digits: ""), limit: .seconds(self.timeout))
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let health = await search.run(nonce: .random(in: 0..<1 << 48), eventLoop: group.next())
        try await group.shutdownGracefully()
        switch health {
        case .healthy(let version): print("healthy: instance \(configuration.instance), version \((version ?? "unknown").printable)")
        case .unhealthy(let reason): throw Self.unhealthy(reason)
        }
    }

    /// Asks over the control socket.
    /// - Returns: whether a bridge of this configuration listens there. It is then healthy.
    private func askSocket(_ configuration: Configuration) async throws -> Bool {
        do {
            guard let (socket, _, session) = try await ControlSocket.find(configuration, within: .seconds(self.timeout)),
                let ready = try await socket.request("/ready", within: .seconds(self.timeout))
            else { return false }
            let reason = ready.body["error"]?["message"]?.stringValue
            guard ready.status == 200 else { throw Self.unhealthy(reason ?? "the bridge is not ready") }
            print("healthy: instance \(configuration.instance), version \(session["version"]?.stringValue ?? "unknown")")
            return true
        } catch let silence as ControlSocket.Silence {
            throw Self.unhealthy("the bridge did not answer within \(self.timeout) s at \(silence.path)")
        }
    }

    /// Returns the port of the private broker, when no host is configured.
    private static func privatePort(_ configuration: Configuration) throws -> Int? {
        guard configuration.mqtt.host == nil else { return nil }
        guard let directory = configuration.stateDirectoryPath else {
            throw Self.unhealthy("no state directory is given and there is no home, so the private broker is not found")
        }
        guard let port = PrivateBroker.port(stateDirectory: directory) else {
            throw Self.unhealthy("no private broker runs: \(directory)/broker.json is missing or can't be read")
        }
        return Int(port)
    }

    private static func unhealthy(_ reason: String) -> ExitCode {
        StandardError.print("unhealthy: \(reason)".printable)
        return .unhealthy
    }
}

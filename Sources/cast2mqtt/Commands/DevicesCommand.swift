import ArgumentParser
import Bridge
import BridgeConfiguration
import BridgeCore
import CastSender
import Logging
import NIOPosix

/// `cast2mqtt devices`: lists the discovered devices, and which of them can be connected.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "Shows the Cast devices that discovery finds.",
        discussion:
            "Reads the discovery section of the configuration. A device that could not be connected to is unverified: it gets no topics. "
            + "Neither does an excluded one: it can run none of discovery.applications. "
            + "Prints the slug, the device's name in topics: the one that the bridge remembers, else the one that it would choose. "
            + "Reports possible causes and ends with 1 when nothing is found.")

    @OptionGroup var file: ConfigurationOption

    @Flag(help: "Print a JSON array instead of a table.")
    var json = false

    @Option(help: ArgumentHelp("How long to listen, in seconds (1 to 600).", valueName: "seconds"))
    var seconds = 5

    func validate() throws {
        guard (1...600).contains(self.seconds) else { throw ValidationError("--seconds takes 1 to 600") }
    }

    func run() async throws {
        var configuration = try self.file.load().configuration
        // Beside the table, only errors that keep discovery from working are relevant.
        configuration.log.filters.level = max(configuration.log.filters.level, .warning)
        _ = configuration.log.install(configuration.secrets.redaction)
        ProcessLimits.raiseDescriptors()
        let found = try await FoundDevices.search(configuration, within: .seconds(self.seconds))
        let table = DeviceTable(
            devices: found.devices, ready: found.ready, excluded: found.excluded, slugs: Self.slugs(of: found.devices, configuration))
        print(self.json ? table.json : table.text)
        for problem in found.problems { StandardError.print("Nothing found at \(problem.place.name): \(problem.reason)".printable) }
        guard found.devices.isEmpty else { return }
        StandardError.print(found.hint.map { "No device found: \($0.reason). What to do: \($0.remedy)." } ?? "No device found.")
        throw ExitCode.failure
    }

    /// Returns the slug of each device: the remembered one if the state directory can be read, else the one that the bridge would choose.
    static func slugs(of devices: [Device], _ configuration: Configuration) -> [Device.ID: String] {
        var registry = SlugRegistry(identity: configuration.topics.identity)
        for known in configuration.knownDevices ?? [] { registry.restore(known.slug, for: known.id) }
        var slugs: [Device.ID: String] = [:]
        for device in devices { slugs[device.id] = registry.assign(id: device.id, name: device.friendlyName) }
        return slugs
    }
}

/// What discovery has found within some seconds.
struct FoundDevices {
    var devices: [Device]
    /// The devices that could be connected.
    var ready: Set<Device.ID>
    /// The ready devices that can run none of the required applications.
    var excluded: Set<Device.ID>
    /// The errors of the last attempts at the devices that are not ready.
    var failures: [Device.ID: CastError]
    var hint: DiscoveryHint?
    var problems: [DiscoveryProblem]

    static func search(_ configuration: Configuration, within limit: Duration) async throws -> Self {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let (eventLoop, connector, gate) = (group.next(), try TLSConnector(), HandshakeGate())
        let authentication = try configuration.deviceAuthentication
        let links = LinkCheck(
            eventLoop: eventLoop, connector: connector, gate: gate, authentication: authentication,
            requiredApplications: configuration.requiredApplications)
        let manager = DiscoveryManager(
            configuration: configuration.discovery.manager, eventLoop: eventLoop, connector: connector, handshakeGate: gate,
            authentication: authentication, logger: Logger(label: "CastSender.DiscoveryManager"), onChange: { links.handle($0) })
        let (hint, problems) = await withTaskGroup { tasks in
            tasks.addTask { await manager.run() }
            tasks.addTask { await links.run() }
            try? await Task.sleep(for: limit)
            let result = (await manager.hint(), await manager.problems())
            tasks.cancelAll()
            return result
        }
        let devices = await manager.devices
        let found = Self(
            devices: devices, ready: links.ready, excluded: links.excluded, failures: links.failures, hint: hint, problems: problems)
        try await group.shutdownGracefully()
        return found
    }
}

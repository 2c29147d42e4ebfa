import ArgumentParser
import BridgeConfiguration
import CastSender
import Logging
import NIOPosix

/// `cast2mqtt devices`: what discovery finds, and which of it can be connected to.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "Shows the Cast devices that discovery finds.",
        discussion:
            "Reads the discovery section of the configuration. A device that could not be connected to is unverified: it gets no topics. "
            + "Says what may be in the way when nothing is found.")

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
        // Only what keeps discovery from working is of interest beside the table.
        configuration.log.filters.level = max(configuration.log.filters.level, .warning)
        _ = configuration.log.install(configuration.secrets.redaction)
        ProcessLimits.raiseDescriptors()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let (eventLoop, connector, gate) = (group.next(), try TLSConnector(), HandshakeGate())
        let links = LinkCheck(eventLoop: eventLoop, connector: connector, gate: gate)
        let manager = DiscoveryManager(
            configuration: configuration.discovery.manager, eventLoop: eventLoop, connector: connector, handshakeGate: gate,
            logger: Logger(label: "CastSender.DiscoveryManager"), onChange: { links.handle($0) })
        let seconds = self.seconds
        let hint = await withTaskGroup { tasks in
            tasks.addTask { await manager.run() }
            tasks.addTask { await links.run() }
            try? await Task.sleep(for: .seconds(seconds))
            let hint = await manager.hint()
            tasks.cancelAll()
            return hint
        }
        let devices = await manager.devices
        print(self.json ? DeviceTable.json(devices, ready: links.ready) : DeviceTable.text(devices, ready: links.ready))
        if devices.isEmpty, let hint {
            StandardError.print("No device found: \(hint.reason). What to do: \(hint.remedy).")
        }
        try await group.shutdownGracefully()
    }
}

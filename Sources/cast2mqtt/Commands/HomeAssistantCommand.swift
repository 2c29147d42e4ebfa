import ArgumentParser
import Bridge
import BridgeConfiguration
import BridgeCore
import CastSender
import HomeAssistantDiscovery

/// `cast2mqtt home-assistant`: configuration for Home Assistant.
struct HomeAssistantCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "home-assistant", abstract: "Prints configuration for Home Assistant.",
        subcommands: [MediaPlayerCommand.self])
}

/// `cast2mqtt home-assistant media-player`: a media player for each known device.
struct MediaPlayerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "media-player",
        abstract: "Prints a media player for each known device, as a YAML file to include in configuration.yaml.",
        discussion: """
            The devices are those that the bridge remembers in its state directory, so it must have found them once; it need not run.
            A template media player needs Home Assistant 2026.11, a universal one works with any. The comments at the top of the file say how to
            include it.
            """)

    @OptionGroup var file: ConfigurationOption

    @Option(
        name: .customLong("device"),
        help: ArgumentHelp("Only this device: its slug, its id or its name. May be repeated.", valueName: "name"))
    var devices: [String] = []

    @Option(help: "template or universal.")
    var kind = MediaPlayerBlock.Kind.template

    func run() throws {
        let configuration = try self.file.load().configuration
        guard let remembered = configuration.knownDevices else {
            StandardError.print("No device is known yet: the bridge has not run with this state directory.")
            throw ExitCode.failure
        }
        let known = remembered.filter { $0.removal == nil }.sorted { $0.slug < $1.slug }
        var chosen: [KnownDevice] = []
        for name in self.devices {
            let lowered = name.lowercased()
            guard let device = known.first(where: { $0.slug == lowered || $0.id == lowered || $0.name.lowercased() == lowered }) else {
                StandardError.print("No known device is called \(name). Known are: \(known.map(\.slug).joined(separator: ", "))")
                throw ExitCode.failure
            }
            chosen.append(device)
        }
        let block = MediaPlayerBlock(
            tree: TopicTree(base: configuration.mqtt.base),
            applications: DiscoveryMapper.Options.offered(configuration.commands.applications))
        let devices = (self.devices.isEmpty ? known : chosen).map(AnnouncedDevice.init(known:))
        print(block.yaml(self.kind, devices).printableJSON, terminator: "")
    }
}

extension MediaPlayerBlock.Kind: ExpressibleByArgument {}

extension AnnouncedDevice {
    fileprivate init(known: KnownDevice) {
        let device = Device(id: known.id, friendlyName: known.name, modelName: known.model, capabilities: known.capabilities)
        self.init(id: known.id, slug: known.slug, name: known.name, kind: device.kind, model: known.model)
    }
}

import BridgeCore
import CastSender
import HomeAssistantDiscovery
import Logging

/// Shared by all parts of one bridge: settings, the pure types made from them, the event loop and the counters. Only the counters change.
final class BridgeContext {
    let settings: BridgeSettings
    let loop: BridgeLoop
    let logger: Logger
    /// Returns values in `0..<1`.
    let random: @Sendable () -> Double
    let program: ProgramServices
    /// Counts what happens since the start; every part adds, `BridgeDocuments` publishes.
    var counters = HealthReport()
    /// Counts what only monitoring reads.
    var tally = BridgeTally()
    let startedAt: Now
    let mapper: TopicMapper
    /// Forms the announcements to Home Assistant.
    let announcementMapper: DiscoveryMapper
    let parser: CommandParser
    let packets: PacketForm

    init(settings: BridgeSettings, loop: BridgeLoop, program: ProgramServices, random: @escaping @Sendable () -> Double) {
        self.settings = settings
        self.loop = loop
        self.startedAt = loop.now
        self.program = program
        self.logger = program.makeLogger("Bridge")
        self.random = random
        let home = settings.homeAssistant
        var status = settings.status
        if home.mode != .off { status.artworkPlaceholder = status.artworkPlaceholder ?? home.placeholderImage }
        self.mapper = TopicMapper(
            tree: settings.topics,
            options: TopicMapper.Options(
                instance: settings.instance, status: status,
                includesMediaPlayer: home.mode != .off && home.mediaPlayerCompatibility != .off,
                includesArtworkImage: settings.artwork.publishesImages, redaction: settings.redaction))
        let applications = DiscoveryMapper.Options.offered(settings.commands.applications)
        self.announcementMapper = DiscoveryMapper(
            tree: settings.topics,
            options: DiscoveryMapper.Options(
                homeAssistant: home, instance: settings.instance, version: settings.build.version,
                applications: applications, applicationIDs: settings.commands.ids(ofApplications: applications),
                hasPlainValues: settings.status.split != .none, hasArtworkImages: settings.artwork.publishesImages))
        self.parser = CommandParser(topics: settings.topics, responsePrefixes: settings.responsePrefixes, options: settings.commands)
        self.packets = PacketForm(instance: settings.instance)
    }

    var topics: TopicTree { self.settings.topics }
    /// One reading of both clocks.
    var now: Now { self.loop.now }
    /// The monotonic clock.
    var time: MonotonicTime { self.loop.time }
}

/// Services that the program provides to its bridge.
struct ProgramServices {
    let connector: any CastConnector
    /// Creates the logger of a part. Log filters match its label.
    let makeLogger: @Sendable (String) -> Logger
    /// `nil` stores nothing between runs.
    let stateDirectory: StateDirectory?
    /// Fetches pictures; `nil` while no pictures are published.
    let images: (any ImageSource)?
    let levels: LogLevels
    /// Holds the lines for `bridge/log`; `nil` publishes no log.
    let logTap: LogTap?
    /// Finds out why media can't be played; `nil` checks nothing.
    let mediaChecker: MediaChecker?
    /// Stops the bridge and starts it again; `nil` refuses that request.
    let onRestart: (@Sendable () -> Void)?
}

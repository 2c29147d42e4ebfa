import BridgeCore
import CastMediaCheck
import CastSender
import HomeAssistantDiscovery
import Logging
import MediaServer

/// Shared by all parts of one bridge: settings, the pure types made from them, the event loop and the counters. Only the counters change,
/// and the settings that `apply` names.
final class BridgeContext {
    private(set) var settings: BridgeSettings
    let loop: BridgeLoop
    let logger: Logger
    /// Returns values in `0..<1`.
    let random: @Sendable () -> Double
    let program: ProgramServices
    /// Counts what happens since the start; every part adds, `BridgeDocuments` publishes.
    private(set) var counters = HealthReport()
    /// Counts what only monitoring reads.
    private(set) var tally = BridgeTally()
    private(set) var startedAt: Now
    let mapper: TopicMapper
    private(set) var announcementMapper: DiscoveryMapper
    let parser: CommandParser
    let packets: PacketForm
    /// Until when this member of a pair may act; `nil` for a bridge alone, which always may.
    let lease: PairLease?
    /// Whether this bridge has its devices: from the start, or from the moment when it leads its pair.
    private(set) var hasBegun = false
    /// Whether it continues what another member of its pair published.
    private(set) var takesOver = false

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
        let applications = DiscoveryMapper.Options.offered(settings.commands.applications)
        self.announcementMapper = DiscoveryMapper(
            tree: settings.topics,
            options: DiscoveryMapper.Options(
                homeAssistant: home, instance: settings.instance, version: settings.build.version,
                applications: applications, applicationIDs: settings.commands.ids(ofApplications: applications),
                hasPlainValues: settings.status.split != .none, hasArtworkImages: settings.artwork.publishesImages))
        self.announcementMapper.options.page = settings.page()
        self.mapper = TopicMapper(
            tree: settings.topics,
            options: TopicMapper.Options(
                instance: settings.instance, status: status,
                includesMediaPlayer: home.mode != .off && home.mediaPlayerCompatibility != .off,
                includesArtworkImage: settings.artwork.publishesImages, sharesMACAddress: home.sharesMACAddress,
                redaction: settings.redaction, applications: self.announcementMapper.options.applications))
        self.parser = CommandParser(topics: settings.topics, responsePrefixes: settings.responsePrefixes, options: settings.commands)
        self.packets = PacketForm(instance: settings.instance)
        self.lease = settings.pair == nil ? nil : PairLease()
    }

    /// Takes the choices for single devices, which devices are wanted, the presets, and when announcements are.
    func apply(devices: [ConfiguredDevice], discovery: DiscoveryManager.Configuration, presets: Presets, announcements: AnnouncementOptions)
    {
        (self.settings.devices, self.settings.cast.discovery) = (devices, discovery)
        (self.settings.presets, self.settings.announcements) = (presets, announcements)
    }

    /// Takes another form of announcements, where one message still announces a device.
    func apply(_ new: HomeAssistantOptions) {
        guard new.mode == self.settings.homeAssistant.mode || new.mode.isWhole && self.settings.homeAssistant.mode.isWhole else { return }
        (self.settings.homeAssistant.mode, self.settings.homeAssistant.modeSource) = (new.mode, new.modeSource)
        self.announcementMapper.options.homeAssistant = self.settings.homeAssistant
    }

    /// Looks where the page is now; returns whether announcements name another address.
    @discardableResult
    func renewPage() -> Bool {
        let former = self.announcementMapper.options.page
        self.announcementMapper.options.page = self.settings.page()
        return self.announcementMapper.options.page != former
    }

    func begin(takesOver: Bool) { (self.hasBegun, self.takesOver) = (true, takesOver) }

    /// Whether documents and commands may be sent now.
    var mayAct: Bool { self.lease?.isHeld ?? true }

    func clockStepped(by seconds: Double) { self.startedAt.wall.add(seconds: seconds) }

    func count(_ change: (inout HealthReport) -> Void) { change(&self.counters) }

    func countForMonitoring(_ change: (inout BridgeTally) -> Void) { change(&self.tally) }

    var topics: TopicTree { self.settings.topics }
    var now: Now { self.loop.now }
    /// The monotonic clock.
    var time: MonotonicTime { self.loop.time }
}

package struct ProgramServices {
    package let connector: any CastConnector
    package let levels: LogLevels
    /// Creates the logger of a part. Log filters match its label.
    package var makeLogger: @Sendable (String) -> Logger = { Logger(label: $0) }
    /// `nil` stores nothing between runs.
    package var stateDirectory: StateDirectory?
    /// Fetches pictures; `nil` while no pictures are published.
    package var images: (any ImageSource)?
    /// Holds the lines for `bridge/log`; `nil` publishes no log.
    package var logTap: LogTap?
    /// Finds out why media can't be played; `nil` checks nothing.
    package var mediaChecker: MediaChecker?
    /// Looks at addresses before they are loaded; `nil` looks at none.
    package var mediaProbe: MediaProbe?
    /// Serves media of one's own to devices; `nil` without `media.listen`.
    package var media: MediaServer?
    /// Reads the configuration again; `nil` refuses that request.
    package var settings: (any SettingsAccess)?
    /// Stops the bridge and starts it again; `nil` refuses that request.
    package var onRestart: (@Sendable () -> Void)?

    package init(connector: any CastConnector, levels: LogLevels) { (self.connector, self.levels) = (connector, levels) }
}

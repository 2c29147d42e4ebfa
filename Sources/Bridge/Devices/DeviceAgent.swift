import BridgeCore
import CastSender
import HomeAssistantDiscovery
import NIOCore

/// A command that a device is about to obey.
struct RunningCommand {
    var task: Task<Void, Never>
    /// Whether something else takes the place of what plays.
    var isLoad: Bool
}

/// What the bridge keeps for one device. Lives on the bridge's event loop and is touched by the bridge alone.
final class DeviceAgent {
    /// Names one life of a device with the bridge. Whoever was removed and came back has another, and nothing that was begun in the former
    /// life may end in the new one.
    struct Key: Sendable, Hashable {
        var device: Device.ID
        var number: UInt64
    }

    let key: Key
    /// Lent, not copied: a state holds a hundred references.
    var state: DeviceState {
        _read { yield self.storedState }
        _modify { yield &self.storedState }
    }
    private var storedState: DeviceState
    /// Its commands, waiting and running.
    var desk = CommandDesk()
    /// A group's: how loud its members are beside each other.
    var balance = GroupBalance()
    let supervisor: DeviceSupervisor
    /// How its state is derived: the bridge's choice, or the user's for this device.
    var options: DeviceOptions
    /// Aliases that it can't have, as the log has told.
    var refusedAliases: [String] = []
    /// How the session is connected to the running application, as it last told.
    var applicationConnection = BridgeCore.ApplicationConnection(.none)
    /// Commands under way; each is cancelled with its task or with the bridge.
    var running: [CommandDesk.Ticket: RunningCommand] = [:]
    /// Readers of what applications say, by namespace; each ends with its session.
    var channels: [String: Task<Void, Never>] = [:]
    /// Fires at the state's own deadlines.
    var stateTimer = EventLoopTimer()
    /// Fires when a waiting command may start or has waited too long.
    var deskTimer = EventLoopTimer()
    /// When its documents may go out.
    var pace = DocumentPace()
    /// What its documents say of the medium that plays.
    var mediaTexts = MediaTexts()
    /// Fires when documents that were held back may go.
    var paceTimer = EventLoopTimer()
    /// Fires at the next position tick.
    var tickTimer = EventLoopTimer()
    /// What Home Assistant's selects offer for it.
    var offers = OfferedOptions()
    /// What `offers` was made of.
    var offerSource: OfferedOptions.Source?
    /// What Home Assistant was told of it, or is about to be.
    var announced: AnnouncedDevice? {
        didSet { self.isAnnounced = self.announced != nil }
    }
    /// Whether there is `announced`, which is asked with every status.
    private(set) var isAnnounced = false
    /// Fires when the device is to be asked for its position.
    var probeTimer = EventLoopTimer()
    var probedAt: MonotonicTime?
    /// Whether it was told how it stands to groups.
    var isSettledInGroups = false
    /// Whether its documents were due as a whole since there was something to say in them.
    var wasWhole = false
    /// Whether its link was ever ready in this run.
    var wasReady = false
    /// How long the present outage lasts, for one line in the log when it is over.
    var lostSince: MonotonicTime?
    /// Whether the first failure of the present outage was told.
    var hasWarned = false

    init(key: Key, state: DeviceState, supervisor: DeviceSupervisor, options: DeviceOptions) {
        self.key = key
        self.storedState = state
        self.options = options
        self.supervisor = supervisor
    }

    func cancelCommands() {
        for command in self.running.values { command.task.cancel() }
        self.running = [:]
    }

    func cancelTimers() {
        self.stateTimer.cancel()
        self.deskTimer.cancel()
        self.paceTimer.cancel()
        self.probeTimer.cancel()
        self.tickTimer.cancel()
    }
}

import CastModels

/// The lanes that a command occupies while it runs. Two commands with a common lane keep their order.
struct CommandLanes: OptionSet, Hashable {
    var rawValue: UInt8

    /// The device's volume and mute: the platform answers these in every state of the application.
    static let volume = Self(rawValue: 1)
    /// The application and its media.
    static let playback = Self(rawValue: 2)
    /// Reading state again.
    static let reading = Self(rawValue: 4)
    /// Fetching a medium; nothing is sent to the device.
    static let checking = Self(rawValue: 8)
    static let all: Self = [.volume, .playback, .reading, .checking]
}

/// The kinds of commands of which only the newest value matters.
enum Coalescing: Int, Hashable, CaseIterable {
    case volume, position, rate, groupVolume

    /// Whether `command` must keep its order with a value of this kind.
    func conflicts(with command: DeviceCommand) -> Bool {
        switch self {
        case .volume, .groupVolume:
            switch command {
            case .set(let changes): changes.contains { $0.pace == .volume || $0.pace == .groupVolume }
            case .groupVolume, .raw(.receiver): true
            default: false
            }
        case .position, .rate: command.lanes.contains(.playback)
        }
    }
}

extension DeviceCommand {
    var lanes: CommandLanes {
        switch self {
        case .set(let changes): return changes.reduce(into: []) { $0.formUnion($1.lane) }
        case .play, .pause, .playPause, .stop, .next, .previous, .quitApp, .join, .leave, .skipAd, .restartItem, .load, .launch, .show,
            .queue,
            .transfer, .preset, .recent, .save, .recall, .wake,
            .raw(.media), .raw(.channel):
            return .playback
        case .groupVolume: return .volume
        case .raw(.receiver): return [.volume, .playback]
        case .get, .getQueue, .sleep: return .reading
        case .check: return .checking
        // Announcements have a queue of their own, and people act beside them.
        case .announce: return []
        }
    }

    /// The kind of this command if only its newest value matters; otherwise `nil`.
    var coalescing: Coalescing? {
        switch self {
        case .set(let changes) where changes.count == 1: changes[0].pace
        case .groupVolume: .groupVolume
        default: nil
        }
    }

    var mayLoad: Bool { self.isLoad || self.loadsWithoutQueue }

    private var quits: Bool {
        switch self {
        case .quitApp: true
        case .set(let changes): changes == [.application(.quit)]
        default: false
        }
    }

    /// Whether `earlier`, which has not ended yet, becomes pointless by this command.
    ///
    /// - Parameter isAsking: whether it waits for a person's permission to launch an application.
    func ends(_ earlier: DeviceCommand, isAsking: Bool = false) -> Bool {
        let quits = self.quits || isAsking && self == .leave
        return switch earlier {
        case _ where earlier.mayLoad: self == .stop || quits
        case .launch, .show: quits
        case .set(let changes): quits && changes.count == 1 && changes.application?.isLaunch == true
        default: false
        }
    }

    /// Whether it does not wait for the end of `earlier` when that shows no progress.
    func isHurried(behind earlier: DeviceCommand) -> Bool {
        self == .pause || self == .stop || self.quits || (self.isLoad && earlier.mayLoad)
    }

    /// Returns this command merged with a later one of the same `coalescing`.
    func followed(by later: DeviceCommand) -> DeviceCommand {
        switch (self, later) {
        case (.set(let changes), .set(let newer)): return .set(zip(changes, newer).map { $0.followed(by: $1) })
        case (.groupVolume(let change), .groupVolume(let newer)): return .groupVolume(change.followed(by: newer))
        default: return later
        }
    }
}

extension PropertyChange {
    /// Whether its request can carry data for the application.
    var carriesData: Bool { if case .application = self { false } else { self.lane == .playback } }

    var lane: CommandLanes {
        switch self {
        case .volume, .membersVolume, .groupDeviceVolume, .muted: .volume
        case .application, .repeatMode, .shuffled, .rate, .streamVolume, .streamMuted, .audioTrack, .videoTrack, .textTrack, .activeTracks,
            .textStyle, .position:
            .playback
        }
    }

    var pace: Coalescing? {
        switch self {
        case .volume: .volume
        case .membersVolume: .groupVolume
        case .position: .position
        case .rate: .rate
        default: nil
        }
    }

    fileprivate func followed(by later: Self) -> Self {
        switch (self, later) {
        case (.volume(let change), .volume(let newer)): .volume(change.followed(by: newer))
        case (.position(let change), .position(let newer)): .position(change.followed(by: newer))
        default: later
        }
    }
}

/// Spaces requests for one value, so that a dragged slider does not flood the device.
struct CommandPace {
    /// By the raw value of the kind.
    private var next = [MonotonicTime?](repeating: nil, count: Coalescing.allCases.count)

    /// Returns when a command of this kind may start next; `nil` when it need not wait.
    func opening(for kind: Coalescing?) -> MonotonicTime? { kind.flatMap { self.next[$0.rawValue] } }

    mutating func started(_ command: DeviceCommand, now: MonotonicTime, interval: Duration) {
        switch command {
        case .set(let changes): for change in changes { if let pace = change.pace { self.next[pace.rawValue] = now + interval } }
        case .groupVolume: self.next[Coalescing.groupVolume.rawValue] = now + interval
        default: break
        }
    }
}

/// The level from which relative volume changes start.
///
/// The answer to a volume request may still contain the old level, so for a second the requested level is used, not the reported one.
struct VolumeTarget {
    private static let settling = Duration.seconds(1)

    private var reported: (level: Double, step: Double?)?
    private var wanted: Double?
    /// `nil` while a request is in progress.
    private var wantedUntil: MonotonicTime?

    mutating func reported(level: Double?, step: Double?, now: MonotonicTime) {
        guard let level else { return }
        self.reported = (level, step ?? self.reported?.step)
        if let wantedUntil, wantedUntil <= now { self.wanted = nil }
    }

    /// Returns the change to send: an absolute level if the start is known.
    mutating func begin(_ change: RequestedVolume, now: MonotonicTime) -> RequestedVolume {
        if let wantedUntil, wantedUntil <= now { self.wanted = nil }
        self.wantedUntil = nil
        guard let start = change.base ?? self.wanted ?? self.reported?.level else {
            self.wanted = nil
            return change
        }
        // Before the first report the device's step is unknown, so the sender of the request resolves it.
        guard change.steps == 0 || self.reported != nil else {
            self.wanted = nil
            return change
        }
        let level = change.level(reported: start, step: self.reported?.step)
        self.wanted = level
        return .absolute(level)
    }

    mutating func ended(isError: Bool, now: MonotonicTime) {
        if isError { self.wanted = nil }
        self.wantedUntil = now + Self.settling
    }
}

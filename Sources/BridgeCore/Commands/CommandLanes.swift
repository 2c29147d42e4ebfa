import CastModels

/// What a command occupies while it runs; two commands with a common lane keep their order.
struct CommandLanes: OptionSet, Hashable {
    var rawValue: UInt8

    /// The device's volume and mute: the platform answers these whatever the application does.
    static let volume = Self(rawValue: 1)
    /// The application and its media.
    static let playback = Self(rawValue: 2)
    /// Reading state again.
    static let reading = Self(rawValue: 4)
    static let all: Self = [.volume, .playback, .reading]
}

/// Commands of which only the newest value matters.
enum Coalescing: Hashable {
    case volume, position

    /// Whether `command` must keep its order against a value of this kind.
    func conflicts(with command: DeviceCommand) -> Bool {
        switch self {
        case .volume: if case .set(let changes) = command { changes.volume != nil } else { false }
        case .position: command.lanes.contains(.playback)
        }
    }
}

extension DeviceCommand {
    var lanes: CommandLanes {
        switch self {
        case .set(let changes):
            var lanes: CommandLanes = []
            if changes.volume != nil || changes.muted != nil { lanes.insert(.volume) }
            if changes.position != nil { lanes.insert(.playback) }
            return lanes
        case .play, .pause, .playPause, .stop, .next, .previous, .quitApp, .load, .launch: return .playback
        case .get: return .reading
        }
    }

    /// Which newest value this is, when it is nothing else.
    var coalescing: Coalescing? {
        guard case .set(let changes) = self, changes.muted == nil else { return nil }
        switch (changes.volume, changes.position) {
        case (.some, nil): return .volume
        case (nil, .some): return .position
        case (nil, nil), (.some, .some): return nil
        }
    }

    /// This command with a later one of the same `coalescing` in it.
    func followed(by later: DeviceCommand) -> DeviceCommand {
        guard case .set(var changes) = self, case .set(let newer) = later else { return later }
        if let volume = newer.volume { changes.volume = changes.volume?.followed(by: volume) ?? volume }
        if let position = newer.position { changes.position = changes.position?.followed(by: position) ?? position }
        return .set(changes)
    }
}

/// Keeps volume requests and seeks apart in time, so that a dragged slider does not flood the device.
struct CommandPace {
    private var nextVolume: MonotonicTime?
    private var nextPosition: MonotonicTime?

    /// When a command of this kind may start next, if it has to wait for the pace at all.
    func opening(for command: DeviceCommand) -> MonotonicTime? {
        switch command.coalescing {
        case .volume: self.nextVolume
        case .position: self.nextPosition
        case nil: nil
        }
    }

    func allows(_ command: DeviceCommand, now: MonotonicTime) -> Bool { self.opening(for: command).map { $0 <= now } ?? true }

    mutating func started(_ command: DeviceCommand, now: MonotonicTime, interval: Duration) {
        guard case .set(let changes) = command else { return }
        if changes.volume != nil { self.nextVolume = now + interval }
        if changes.position != nil { self.nextPosition = now + interval }
    }
}

/// The level that relative volume changes start from.
///
/// The answer to a volume request may still carry the old level, so for a second the level we asked for counts, not the reported one.
struct VolumeTarget {
    private static let settling = Duration.seconds(1)

    private var reported: (level: Double, step: Double?)?
    private var wanted: Double?
    /// `nil` while a request is on its way.
    private var wantedUntil: MonotonicTime?

    mutating func reported(level: Double?, step: Double?, now: MonotonicTime) {
        guard let level else { return }
        self.reported = (level, step ?? self.reported?.step)
        if let wantedUntil, wantedUntil <= now { self.wanted = nil }
    }

    /// The change to send: an absolute level whenever the start is known.
    mutating func begin(_ change: VolumeChange, now: MonotonicTime) -> VolumeChange {
        if let wantedUntil, wantedUntil <= now { self.wanted = nil }
        self.wantedUntil = nil
        guard let start = change.base ?? self.wanted ?? self.reported?.level else {
            self.wanted = nil
            return change
        }
        // Without a report, the step of the device is still unknown: then it is for the one who sends to resolve.
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

import CastModels

/// Indirect, because the queue copies commands.
public indirect enum DeviceCommand: Sendable, Hashable {
    /// Sets at least one property; several are set in the order of `PropertyChange` and answered once.
    case set([PropertyChange])
    case play, pause, playPause, stop, next, previous, quitApp
    /// Connects to the running application, which then counts the bridge as a sender until `leave`.
    case join
    /// Disconnects from the application, which continues to run.
    case leave
    case skipAd
    /// Returns to the beginning of the current item.
    case restartItem
    case load(LoadCommand)
    case launch(applicationID: String, options: LaunchOptions = LaunchOptions())
    case preset(PresetChoice)
    /// What was loaded by commands before: 1 is the last.
    case recent(Int)
    /// Remembers under a name what plays, with its volume; or forgets that.
    case save(String, forgets: Bool)
    /// Plays what was saved under a name.
    case recall(String)
    /// Becomes quiet in the minute before, and then stops; `nil` ends the wait.
    case sleep(Duration?)
    /// Leaves standby, off or the idle screen, and plays nothing.
    case wake
    /// - Parameter keeps: whether the page is shown again when the device has ended it.
    case show(WebPage, keeps: Bool)
    case queue(QueueCommand)
    /// Sets the volume of all members of a group, keeping their ratio.
    case groupVolume(RequestedVolume)
    /// Moves the stream to the device with this slug, id or alias.
    case transfer(to: String)
    /// Plays something in between, on this device or on others.
    case announce(Announcement)
    /// Finds out why this medium can't be played; `nil` is the loaded one.
    case check(MediaInformation?)
    /// Sends a message to the application or the platform that no other command covers.
    case raw(RawMessage)
    /// Asks the device again and republishes this document.
    case get(DeviceDocuments.Name)
    case getQueue(QueueListing.Page)

    /// The time limit when the sender gave no `timeout`. Loads and launches wait for applications and for a person at the screen who has
    /// two minutes.
    public var defaultTimeout: Duration {
        switch self {
        case .load, .launch, .show, .queue(.load), .transfer, .preset, .recent, .recall, .wake: .seconds(180)
        case .queue where self.loadsWithoutQueue: .seconds(180)
        case .set(let changes): changes.application?.isLaunch == true ? .seconds(180) : .seconds(15)
        case .queue, .groupVolume, .save: .seconds(30)
        // It waits for those before it, and for what it interrupts.
        case .announce: .seconds(900)
        case .getQueue: .seconds(60)
        case .get, .play, .pause, .playPause, .stop, .next, .previous, .quitApp, .join, .leave, .skipAd, .restartItem, .raw, .check,
            .sleep:
            .seconds(15)
        }
    }

    /// Whether `accepted` is sent before the final answer.
    public var isAccepted: Bool {
        switch self {
        case .transfer, .announce: true
        default: false
        }
    }

    /// Whether it loads media if there is no queue to insert into.
    public var loadsWithoutQueue: Bool {
        if case .queue(.insert(let insertion)) = self { insertion.loadsInto != nil } else { false }
    }

    /// Whether it is about the current media, rather than about the device or new media.
    public var isAboutMedia: Bool {
        switch self {
        case .play, .pause, .playPause, .stop, .next, .previous, .skipAd, .restartItem, .transfer, .getQueue, .check(nil), .save: true
        case .set(let changes): changes.contains { $0.lane == .playback } && changes.application == nil
        case .queue(.load): false
        case .queue: true
        case .quitApp, .join, .leave, .load, .launch, .show, .groupVolume, .raw, .get, .check, .announce, .preset, .recent, .recall, .sleep,
            .wake:
            false
        }
    }

    /// The medium that it loads and that plays first; `nil` when it loads none.
    public var loadedMedia: MediaInformation? {
        switch self {
        case .load(let load): load.request.media
        case .queue(.load(let load)): load.items.indices.contains(load.startIndex) ? load.items[load.startIndex].media : nil
        case .queue(.insert(let insertion)) where insertion.loadsInto != nil: insertion.items.first?.media
        default: nil
        }
    }

    /// Whether something else is wanted than a web page that stays.
    public var endsKeptPage: Bool {
        switch self {
        case .stop, .quitApp: true
        case .set(let changes): changes.application != nil
        default: self.isLoad
        }
    }

    public var isLoad: Bool {
        switch self {
        case .load, .queue(.load), .recall: true
        default: false
        }
    }
}

/// One property that `set` changes. Several are set in the order of these cases.
public enum PropertyChange: Sendable, Hashable {
    /// The volume of the device; for a group replaced by `membersVolume` in `addressed(toGroup:)`.
    case volume(RequestedVolume)
    /// The volume of the members of a group, keeping their ratio.
    case membersVolume(RequestedVolume)
    case groupDeviceVolume(RequestedVolume)
    case muted(MuteChange)
    case application(ApplicationChange)
    case repeatMode(RepeatMode)
    case shuffled(Bool)
    /// `MediaLoadRequest.playbackRateRange`.
    case rate(Double)
    /// 0 to 1; the volume of the stream, not of the device.
    case streamVolume(Double)
    case streamMuted(MuteChange)
    case audioTrack(TrackChoice), videoTrack(TrackChoice), textTrack(TrackChoice)
    /// The ids of all tracks to show; replaces the choices by kind.
    case activeTracks([Int])
    /// Properties that are `nil` stay unchanged.
    indirect case textStyle(TextTrackStyle)
    case position(PositionChange)

    /// Whether it changes the volume or mute of the device itself.
    public var isOfOwnVolume: Bool {
        switch self {
        case .volume, .muted: true
        default: false
        }
    }
}

extension [PropertyChange] {
    public var volume: RequestedVolume? { self.lazy.compactMap { if case .volume(let change) = $0 { change } else { nil } }.first }
    public var membersVolume: RequestedVolume? {
        self.lazy.compactMap { if case .membersVolume(let change) = $0 { change } else { nil } }.first
    }
    public var application: ApplicationChange? {
        self.lazy.compactMap { if case .application(let change) = $0 { change } else { nil } }.first
    }
    public var hasGroupDeviceVolume: Bool { self.contains { if case .groupDeviceVolume = $0 { true } else { false } } }

    /// Whether it changes the volume or mute of the device, and nothing else.
    public var areOfVolume: Bool { self.allSatisfy(\.isOfOwnVolume) }
}

public enum ApplicationChange: Sendable, Hashable {
    case launch(applicationID: String)
    case quit

    var isLaunch: Bool { self != .quit }
}

/// The track of a kind to show.
public enum TrackChoice: Sendable, Hashable {
    /// Text only.
    case off
    case id(Int)
    /// A name or a language.
    case named(String)

    /// Returns the chosen track of `tracks`: by id, by name, then by language (RFC 5646); `nil` when none matches.
    public func track(in tracks: [MediaTrack], type: MediaTrack.Kind) -> MediaTrack? {
        switch self {
        case .off: nil
        // A name may be a number.
        case .id(let id): TrackSelection.id(id).track(in: tracks, type: type) ?? TrackSelection.name("\(id)").track(in: tracks, type: type)
        case .named(let text):
            TrackSelection.name(text).track(in: tracks, type: type) ?? TrackSelection.language(text).track(in: tracks, type: type)
        }
    }
}

/// A new device volume: `base` plus `points` plus `steps` times the device's own step.
public struct RequestedVolume: Sendable, Hashable {
    /// 0 to 1; `nil` starts from the device's current level.
    public var base: Double?
    /// Percent points, -100 to 100.
    public var points: Double
    /// A number of the device's recommended steps; negative is quieter.
    public var steps: Int

    public init(base: Double? = nil, points: Double = 0, steps: Int = 0) { (self.base, self.points, self.steps) = (base, points, steps) }

    /// Exactly this level, 0 to 1.
    public static func absolute(_ level: Double) -> Self { Self(base: level) }

    /// The step of a device that does not report one.
    public static let defaultStep = 0.05

    /// Returns the level to send, 0 to 1, rounded to a thousandth.
    /// - Parameters:
    ///   - reported: the current level of the device, 0 to 1.
    ///   - step: the device's recommended step; `nil` or 0 is `defaultStep`.
    public func level(reported: Double, step: Double?) -> Double {
        let step = step.flatMap { $0 > 0 ? $0 : nil } ?? Self.defaultStep
        let level = (self.base ?? reported) + self.points / 100 + Double(self.steps) * step
        return (min(max(level, 0), 1) * 1000).rounded() / 1000
    }

    /// Returns this change followed by `later`, as one change.
    public func followed(by later: Self) -> Self {
        guard later.base == nil else { return later }
        var sum = self
        sum.steps = min(max(self.steps + later.steps, -1000), 1000)
        if let base, sum.steps == 0 {
            sum.base = min(max(base + (self.points + later.points) / 100, 0), 1)
            sum.points = 0
        } else {
            sum.points = min(max(self.points + later.points, -100), 100)
        }
        return sum
    }
}

public enum MuteChange: Sendable, Hashable {
    case to(Bool)
    case toggle
}

/// A seek: `base` plus `offset` seconds.
public struct PositionChange: Sendable, Hashable {
    /// The reference point of `offset`.
    public enum Base: Sendable, Hashable {
        /// The current position.
        case current
        /// Seconds from the start of the medium.
        case seconds(Double)
        /// Percent of the duration, 0 to 100.
        case percent(Double)
        /// The live edge.
        case live
    }

    public var base: Base
    /// Seconds; negative is backward.
    public var offset: Double

    public init(base: Base, offset: Double = 0) { (self.base, self.offset) = (base, offset) }

    /// Returns this seek followed by `later`, as one seek.
    public func followed(by later: Self) -> Self {
        guard later.base == .current else { return later }
        if case .seconds(let seconds) = self.base { return Self(base: .seconds(max(0, seconds + self.offset + later.offset))) }
        return Self(base: self.base, offset: self.offset + later.offset)
    }
}

/// A medium and the application that will play it.
public struct LoadCommand: Sendable, Hashable {
    public var request: MediaLoadRequest
    public var applicationID: String
    /// How to launch the application if it does not run yet.
    public var launchOptions: LaunchOptions

    public init(
        request: MediaLoadRequest, applicationID: String = ReceiverApplication.defaultMediaReceiver,
        launchOptions: LaunchOptions = LaunchOptions()
    ) {
        (self.request, self.applicationID, self.launchOptions) = (request, applicationID, launchOptions)
    }
}

public enum Command: Sendable, Hashable {
    case device(DeviceCommand)
    case bridge(BridgeCommand)
}

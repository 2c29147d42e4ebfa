import CastModels

/// An event of a device, reported by its supervisor, by discovery, by the command path or by a timer.
public enum DeviceEvent: Sendable, Equatable {
    /// Discovery or configuration describes the device again.
    case deviceChanged(Device)
    case connecting
    /// The control link is up and the device reported its identity.
    case identified(DeviceDetails)
    /// The device's state was read completely; reported after every connect.
    case ready(ReceiverStatus, MediaStatus?)
    case receiverStatus(ReceiverStatus)
    /// The merged status of the running application's media session; `nil` when it has none.
    case mediaStatus(MediaStatus?)
    /// The player failed without a request of the bridge.
    case mediaFailed(CastError)
    /// The queue of the media session as far as it was read; `nil` when there is none.
    case queue(MediaQueueWindow?)
    /// The relation of the device to groups, and the playback of one of its groups.
    case group(GroupStanding, GroupPlayback?)
    /// The device answered, now or earlier, that these application ids are not available. It may now be announced.
    case applicationsReported(unavailable: Set<String>)
    /// The bridge's part in the running application. Reported after `ready`, and after the receiver status with that application.
    case application(ApplicationSession)
    /// The link broke, or an attempt failed.
    case linkLost
    case loadRequested
    /// The load shows no progress, and a later command does not wait for it.
    case loadStalled
    /// The load got its final answer.
    /// - failure: the code of the answer, `nil` on success.
    /// - detail: the receiver's detailed error code.
    /// - media: what was to be loaded, of a failure.
    indirect case loadEnded(failure: String?, detail: Int? = nil, media: MediaInformation? = nil)
    /// A stop command of the bridge was sent to the shown media session.
    case stopRequested
    /// The stop was not answered with success.
    case stopFailed
    case commandSucceeded
    /// A preset plays, or was played before the bridge started. Indirect, because the size of an event counts for every status.
    indirect case presetPlayed(PlayedPreset)
    /// When the sleep timer ends; `nil` when none runs.
    case sleepChanged(Timestamp?)
    /// The picture of the media was fetched, or cannot be fetched.
    case artworkImage(ArtworkImage)
    /// A command failed.
    /// - code: the code of the answer, for example `timeout`.
    case commandFailed(code: String)
    /// The deadline of the last `wakeAt` was reached. A late or needless timer is harmless.
    case timer
    /// The wall clock was set: it shows so many seconds more than before.
    case clockStepped(Double)
}

/// An action for the host of a `DeviceState` after an event.
public enum DeviceOutput: Sendable, Equatable {
    /// Some documents may differ from the published ones.
    case changed(DeviceDocuments)
    /// Publish to `<dev>/event`.
    case event(PublishedEvent)
    /// Publish to `bridge/event`.
    case bridgeEvent(BridgeEvent)
    /// Send `timer` at this time. It replaces every earlier request of this device.
    case wakeAt(MonotonicTime)
}

/// The documents of one device, as a set.
public struct DeviceDocuments: OptionSet, Sendable, Hashable {
    public var rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let availability = Self(rawValue: 1 << 0)
    public static let info = Self(rawValue: 1 << 1)
    public static let state = Self(rawValue: 1 << 2)
    public static let media = Self(rawValue: 1 << 3)
    public static let app = Self(rawValue: 1 << 4)
    /// The plain values that depend on the player and the position.
    public static let playerValues = Self(rawValue: 1 << 5)
    /// The device's entry in `bridge/devices`.
    public static let listing = Self(rawValue: 1 << 6)

    public static let queue = Self(rawValue: 1 << 7)
    public static let tracks = Self(rawValue: 1 << 8)
    public static let group = Self(rawValue: 1 << 9)
    /// The plain values of the medium and its queue.
    public static let mediaValues = Self(rawValue: 1 << 10)
    /// The plain values of the receiver: application and volume.
    public static let receiverValues = Self(rawValue: 1 << 11)
    public static let channels = Self(rawValue: 1 << 12)
    /// The picture itself, `artwork/image`.
    public static let artworkImage = Self(rawValue: 1 << 13)

    /// The plain mirror, `status/<name>`.
    public static let plain: Self = [.playerValues, .mediaValues, .receiverValues]
    /// Every topic of the device itself.
    public static let all: Self = [.availability, .info, .state, .media, .app, .queue, .tracks, .group, .plain, .artworkImage, .channels]
    /// The documents that depend on the player and the position.
    static let playback: Self = [.state, .media, .playerValues]

    /// The name of a document, as in its topic and in `get/<doc>`.
    public enum Name: String, Sendable, Hashable, CaseIterable { case state, media, app, queue, tracks, group, info, availability }

    public init(_ name: Name) {
        switch name {
        case .availability: self = .availability
        case .info: self = .info
        case .state: self = .state
        case .media: self = .media
        case .app: self = .app
        case .queue: self = .queue
        case .tracks: self = .tracks
        case .group: self = .group
        }
    }
}

import CastModels

/// One thing that happened to a device, told by its supervisor, by discovery, by the command path or by the clock.
package enum DeviceEvent: Sendable, Equatable {
    /// Discovery or configuration describes the device anew.
    case deviceChanged(Device)
    /// An attempt to connect began.
    case connecting
    /// The control link is up and the device said who it is.
    case identified(DeviceDetails)
    /// The device's state was read completely, after every connect.
    case ready(ReceiverStatus, MediaStatus?)
    case receiverStatus(ReceiverStatus)
    /// The merged status of the running application's media session; `nil` when it has none.
    case mediaStatus(MediaStatus?)
    /// The queue of the media session as far as it was read; `nil` when there is none.
    case queue(MediaQueueWindow?)
    /// How the device stands to groups, and what one of its groups plays.
    case group(GroupStanding, GroupPlayback?)
    /// These ids of applications are not available, as the device answered, now or earlier. Its announcement may go out.
    case applicationsReported(unavailable: Set<String>)
    /// Told after the receiver status that shows the application: a new application session starts unconnected.
    /// - isFirst: it is the first one after `ready`.
    case applicationConnection(ApplicationConnection, isFirst: Bool = false)
    /// A command begins that launches an application.
    case launchRequested
    /// It got its final answer.
    case launchEnded
    /// The bridge ended the application with which it has a session.
    case applicationStopped
    /// The link broke, or an attempt failed.
    case linkLost
    /// A load of ours is on its way.
    case loadRequested
    /// It got its final answer; `failure` is the answer's code unless it succeeded.
    case loadEnded(failure: String?)
    /// A stop of ours is on its way to the shown media session.
    case stopRequested
    /// It got no success for its answer.
    case stopFailed
    case commandSucceeded
    /// The picture of what plays was fetched, or can't be.
    case artworkImage(ArtworkImage)
    /// - Parameter code: the answer's code, for example `timeout`.
    case commandFailed(code: String)
    /// The deadline of the last `wakeAt` came. One that comes late or for nothing does no harm.
    case timer
}

/// What the host of a `DeviceState` has to do after an event.
package enum DeviceOutput: Sendable, Equatable {
    /// Some documents may differ from what is published.
    case changed(DeviceDocuments)
    /// Goes to `<dev>/event`.
    case event(PublishedEvent)
    /// Goes to `bridge/event`.
    case bridgeEvent(BridgeEvent)
    /// Send `timer` at this time. Replaces every earlier wish of this device.
    case wakeAt(MonotonicTime)
}

/// The documents of one device, as a set.
package struct DeviceDocuments: OptionSet, Sendable, Hashable {
    package var rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let availability = Self(rawValue: 1 << 0)
    package static let info = Self(rawValue: 1 << 1)
    package static let state = Self(rawValue: 1 << 2)
    package static let media = Self(rawValue: 1 << 3)
    package static let app = Self(rawValue: 1 << 4)
    /// The plain values that follow the player and the position.
    package static let playerValues = Self(rawValue: 1 << 5)
    /// The device's entry in `bridge/devices`.
    package static let listing = Self(rawValue: 1 << 6)

    package static let queue = Self(rawValue: 1 << 7)
    package static let tracks = Self(rawValue: 1 << 8)
    package static let group = Self(rawValue: 1 << 9)
    /// The plain values of the medium and its queue.
    package static let mediaValues = Self(rawValue: 1 << 10)
    /// The plain values of the receiver: application and volume.
    package static let receiverValues = Self(rawValue: 1 << 11)
    /// The states of the application's namespaces.
    package static let channels = Self(rawValue: 1 << 12)
    /// The picture itself, `artwork/image`.
    package static let artworkImage = Self(rawValue: 1 << 13)

    /// The plain mirror, `status/<name>`.
    package static let plain: Self = [.playerValues, .mediaValues, .receiverValues]
    /// Every topic of the device itself.
    package static let all: Self = [.availability, .info, .state, .media, .app, .queue, .tracks, .group, .plain, .artworkImage, .channels]
    /// What depends on the player and the position.
    static let playback: Self = [.state, .media, .playerValues]

    /// The name of one document, as in its topic and in `get/<doc>`.
    package enum Name: String, Sendable, Hashable, CaseIterable { case state, media, app, queue, tracks, group, info, availability }

    package init(_ name: Name) {
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

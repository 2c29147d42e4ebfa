import CastProtocol

/// An action for the runner of a receiver; perform them in order.
public enum ReceiverAction: Sendable, Hashable {
    case send(CastMessage, on: SocketID)
    /// Write these bytes in place of a frame.
    case sendRaw([UInt8], on: SocketID)
    case close(SocketID)
    /// Answer an authentication challenge; this needs keys, which the receiver does not have.
    case authenticate(challenge: [UInt8], sender: String, on: SocketID)
    /// Update the announcement.
    case announce(Announcement)
    /// Set the volume of this member, because a group's volume was set.
    case setMemberVolume(id: String, change: VolumeChange)
    /// Update the groups of this device, because its own volume changed.
    case volumeChanged(Volume)
    /// Make these members show that their group plays (`true`), or stop showing it.
    case occupyMembers(ids: [String], Bool)
    /// Request the media; pass the answers to `fetched` and `streamEnded`. The previous request is no longer needed.
    case fetch(MediaFetch)
    case stopFetching
    /// Open a port for the streams of this mirror in place of an earlier one; pass it to `mirrorOpened`, and what it receives to `mirrored`.
    case openMirror(id: String)
    case closeMirror
}

/// The part of the announcement that depends on the running application: TXT `st` and `rs`.
public struct Announcement: Sendable, Hashable {
    /// TXT `st`: whether an application is running that a sender could join.
    public var isBusy: Bool
    /// TXT `rs`: the status text of that application.
    public var statusText: String
}

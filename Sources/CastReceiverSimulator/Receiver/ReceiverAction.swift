import CastProtocol

/// What the runner of a receiver has to do, in this order.
public enum ReceiverAction: Sendable, Hashable {
    case send(CastMessage, on: SocketID)
    /// Writes these bytes in place of a frame.
    case sendRaw([UInt8], on: SocketID)
    case close(SocketID)
    /// Answers an authentication challenge; it needs keys, which the receiver has none of.
    case authenticate(challenge: [UInt8], sender: String, on: SocketID)
    /// The announced status changed.
    case announce(Announcement)
    /// A group's volume was set: this member takes its share.
    case setMemberVolume(id: String, change: VolumeChange)
    /// The device's own volume changed: groups that it belongs to follow.
    case volumeChanged(Volume)
    /// A group plays (`true`), or ceased to as far as these members are concerned: they show so.
    case occupyMembers(ids: [String], Bool)
    /// Asks for the media; the answers go to `fetched` and `streamEnded`. What was being asked for before is of no interest any more.
    case fetch(MediaFetch)
    case stopFetching
}

/// The part of the announcement that follows what runs: TXT `st` and `rs`.
public struct Announcement: Sendable, Hashable {
    /// TXT `st`: an application runs that a sender could join.
    public var isBusy: Bool
    /// TXT `rs`: that application's status text.
    public var statusText: String
}

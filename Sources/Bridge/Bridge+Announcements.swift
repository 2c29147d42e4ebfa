import BridgeCore
import CastSender

/// What announces the bridge and its devices outside the topic tree.
extension Bridge {
    /// The retained messages that announce the bridge itself.
    func bridgeAnnouncement() -> [OutgoingMessage] { [] }

    /// The retained messages that announce a device; none once it is being removed.
    func announcement(of id: Device.ID) -> [OutgoingMessage] { [] }
}

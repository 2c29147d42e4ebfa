import BridgeCore
import CastSender

extension DeviceFleet {
    /// What the other parts have to do, in the order in which it happened.
    enum Event {
        /// These documents of the device may differ from what was published.
        case changed(DeviceAgent, DeviceDocuments)
        /// An event was applied to the state: what is due by time may differ.
        case reduced(DeviceAgent)
        /// Something for `<dev>/event`.
        case deviceEvent(PublishedEvent, DeviceAgent, at: Timestamp)
        /// Something for `bridge/event`.
        case bridgeEvent(BridgeEvent)
        /// The link is ready: the device accepts commands.
        case connected(DeviceAgent)
        case disconnected(DeviceAgent)
        /// The link or the running application changed, and with it the namespaces that can be listened to.
        case applicationChanged(DeviceAgent)
        case volumeReported(DeviceAgent, DeviceVolume)
        /// The device is published below its slug from now on.
        case slugAssigned(DeviceAgent)
        /// The device can run none of the required applications: it was dismissed, and its topics are to be cleared.
        case excluded(Device.ID)
        /// What `bridge/devices` lists changed.
        case listChanged
        /// An interface changed: broker and devices may be reachable, or unreachable.
        case networkChanged
        /// The device is no longer one of the bridge's.
        case dismissed(DeviceAgent)
        /// A removal began: a rename that was under way never ends.
        case removalBegan(Device.ID)
        /// A removal ended.
        /// - kept: how many topics the broker refused to clear.
        case removalEnded(Device.ID, kept: Int)
        /// The broker holds nothing of the device any more, announcements included.
        case topicsGone(Device.ID)
    }
}

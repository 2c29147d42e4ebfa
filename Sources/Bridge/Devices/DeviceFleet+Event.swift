import BridgeCore
import CastSender

extension DeviceFleet {
    /// An event for the other parts, in order of occurrence.
    enum Event {
        /// These documents of the device may differ from the published ones, and deadlines may have changed.
        case changed(DeviceAgent, DeviceDocuments)
        /// An event was applied to the state and changed no document; deadlines may have changed.
        case reduced(DeviceAgent)
        /// An event for `<dev>/event`.
        case deviceEvent(PublishedEvent, DeviceAgent, at: Timestamp)
        /// An event for `bridge/event`.
        case bridgeEvent(BridgeEvent)
        /// The link is ready: the device accepts commands.
        case connected(DeviceAgent)
        case disconnected(DeviceAgent)
        /// The link or the running application changed, and with it the namespaces that can be opened.
        case applicationChanged(DeviceAgent)
        case volumeReported(DeviceAgent, DeviceVolume)
        /// The device is published below its slug from now on.
        case slugAssigned(DeviceAgent)
        /// The device can run none of the required applications: it was dismissed, and its topics are to be cleared.
        case excluded(Device.ID)
        /// The content of `bridge/devices` changed.
        case listChanged
        /// A network interface changed, and with it the reachability of broker and devices.
        case networkChanged
        case dismissed(DeviceAgent)
        /// A removal began, so a pending rename will not complete.
        case removalBegan(Device.ID)
        /// A removal ended.
        /// - kept: the number of topics that the broker refused to clear.
        case removalEnded(Device.ID, kept: Int)
        /// The broker holds no more topics of the device, including announcements.
        case topicsRemoved(Device.ID)
    }
}

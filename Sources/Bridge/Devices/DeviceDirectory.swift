import BridgeCore
import CastSender

/// Finds devices. Callers read the returned devices and never change them.
protocol DeviceDirectory: AnyObject {
    /// Every device that was connected in this run or an earlier one, in no particular order.
    var devices: Dictionary<Device.ID, DeviceAgent>.Values { get }
    /// The number of devices that were announced and never connected. They are in no list.
    var unverifiedCount: Int { get }
    /// The number of devices that are connected and have no topics, because they can run none of the required applications.
    var excludedCount: Int { get }
    func device(_ id: Device.ID) -> DeviceAgent?
    /// Returns the device of this registration; `nil` after it was removed, even if it was found again.
    func device(_ key: DeviceAgent.Key) -> DeviceAgent?
    /// Returns the device that a command names by slug, id or alias.
    func device(named name: String) -> DeviceAgent?
    /// Returns the slug of a device; `nil` if it has none.
    func slug(of id: Device.ID) -> String?
}

/// Applies events to the states of devices.
protocol DeviceReducer: AnyObject {
    func reduce(_ event: DeviceEvent, of device: DeviceAgent)
}

import BridgeCore
import CastSender

/// Finds devices. What it returns is read, never changed.
protocol DeviceDirectory: AnyObject {
    /// Every device that was connected to in this run or an earlier one, in no order.
    var devices: Dictionary<Device.ID, DeviceAgent>.Values { get }
    /// The number of devices that were announced and never connected to. They are in no list.
    var unverifiedCount: Int { get }
    /// The number of devices that are connected and have no topics, because they can run none of the required applications.
    var excludedCount: Int { get }
    func device(_ id: Device.ID) -> DeviceAgent?
    /// The device of this registration; `nil` once it was removed, even if it was found again.
    func device(_ key: DeviceAgent.Key) -> DeviceAgent?
    /// The device that a command names: by slug, id or alias.
    func device(named name: String) -> DeviceAgent?
    /// The slug of a device, if it has one.
    func slug(of id: Device.ID) -> String?
}

/// Applies events to the states of devices.
protocol DeviceReducer: AnyObject {
    func reduce(_ event: DeviceEvent, of device: DeviceAgent)
}

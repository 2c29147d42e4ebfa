import BridgeCore
import CastSender

/// Finds devices. What it returns is read, never changed.
protocol DeviceDirectory: AnyObject {
    /// Every device, in no order.
    var devices: Dictionary<Device.ID, DeviceAgent>.Values { get }
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

/// The id of a device and the information that it reported with it.
///
/// A device reports both over its control link: in its answer to GET_DEVICE_INFO (discovery namespace) or `eureka_info` (setup namespace).
/// For a known host, `eureka_info` may be read by HTTP, and the id may be the configured one.
public struct DeviceIdentity: Sendable, Hashable {
    public var id: Device.ID
    /// The information that the device reported. Later answers complete it.
    public var information: DeviceInformation

    public init(id: Device.ID, information: DeviceInformation? = nil) {
        self.id = id
        self.information = information ?? DeviceInformation(id: id)
    }

    /// Returns `newer`, completed with the values that only this identity has.
    func merged(with newer: DeviceIdentity) -> DeviceIdentity {
        var merged = newer
        let (old, new) = (self.information, newer.information)
        merged.information.friendlyName = new.friendlyName ?? old.friendlyName
        merged.information.modelName = new.modelName ?? old.modelName
        merged.information.manufacturer = new.manufacturer ?? old.manufacturer
        merged.information.capabilities = new.capabilities ?? old.capabilities
        merged.information.castBuildRevision = new.castBuildRevision ?? old.castBuildRevision
        merged.information.systemBuildNumber = new.systemBuildNumber ?? old.systemBuildNumber
        merged.information.macAddress = new.macAddress ?? old.macAddress
        return merged
    }
}

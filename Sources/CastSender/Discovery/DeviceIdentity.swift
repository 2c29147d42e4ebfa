/// The identity that a device reports over its control link: GET_DEVICE_INFO of the discovery namespace, `eureka_info` of the setup
/// namespace.
public struct DeviceIdentity: Sendable, Hashable {
    public var id: Device.ID
    /// All other information that the device reported; later answers add to it.
    public var information: DeviceInformation

    public init(id: Device.ID, information: DeviceInformation? = nil) {
        self.id = id
        self.information = information ?? DeviceInformation(id: id)
    }

    /// Returns the information of both; `newer` takes precedence.
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

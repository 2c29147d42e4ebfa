import CastModels

/// The data that a later run of the program needs to resume a session. It contains no secret; the program stores it where it likes.
public struct SessionRecord: Sendable, Hashable, Codable {
    public var deviceID: Device.ID
    public var friendlyName: String
    public var modelName: String
    /// The last endpoints of the device; discovery may know newer ones.
    public var endpoints: [DeviceEndpoint]
    public var applicationID: String
    /// The id of the application session. A later launch of the same application is another session.
    public var sessionID: String
    /// Whether we launched the application, or joined it.
    public var isOwned: Bool

    public init(
        deviceID: Device.ID, friendlyName: String, modelName: String = "", endpoints: [DeviceEndpoint], applicationID: String,
        sessionID: String, isOwned: Bool = true
    ) {
        self.deviceID = deviceID
        self.friendlyName = friendlyName
        self.modelName = modelName
        self.endpoints = endpoints
        self.applicationID = applicationID
        self.sessionID = sessionID
        self.isOwned = isOwned
    }

    var device: Device { Device(id: self.deviceID, friendlyName: self.friendlyName, modelName: self.modelName, endpoints: self.endpoints) }
}

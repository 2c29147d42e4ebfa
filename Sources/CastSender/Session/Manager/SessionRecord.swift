import CastModels

/// All that a later run of the program needs to resume a session. Holds no secret; the program stores it where it likes.
public struct SessionRecord: Sendable, Hashable, Codable {
    public var deviceID: Device.ID
    public var friendlyName: String
    public var modelName: String
    /// Where the device was; discovery may know better by then.
    public var endpoints: [DeviceEndpoint]
    public var applicationID: String
    /// The run of the application. Another run, though of the same application, is another session.
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

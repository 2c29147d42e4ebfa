import CastModels

/// What only the device itself tells, once its control link is up.
public struct DeviceDetails: Sendable, Hashable {
    public var manufacturer: String?
    public var firmware: String?
    /// `aa:bb:cc:dd:ee:ff`.
    public var macAddress: String?
    /// Where the present link, or the last one, leads.
    public var endpoint: DeviceEndpoint?
    public var authentication: Authentication

    public init(
        manufacturer: String? = nil, firmware: String? = nil, macAddress: String? = nil, endpoint: DeviceEndpoint? = nil,
        authentication: Authentication = .notChecked
    ) {
        self.manufacturer = manufacturer
        self.firmware = firmware
        self.macAddress = macAddress
        self.endpoint = endpoint
        self.authentication = authentication
    }

    /// What device authentication found; the raw values are the words of the `info` document.
    public enum Authentication: String, Sendable, Hashable, CaseIterable {
        case notChecked = "not_checked"
        case genuine
        case failed
        case unknownKey = "unknown_key"
        case keyChanged = "key_changed"
    }
}

/// How we are connected to the running application.
public struct ApplicationConnection: Sendable, Hashable {
    public var kind: Kind
    /// Whether this bridge launched the application.
    public var isOurs: Bool

    public init(_ kind: Kind, isOurs: Bool = false) {
        self.kind = kind
        self.isOurs = isOurs
    }

    /// The kind of the virtual connection; the raw values are the words of the `app` document.
    public enum Kind: String, Sendable, Hashable { case none, invisible, strong }
}

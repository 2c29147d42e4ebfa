import CastModels

/// What only the device itself tells, once its control link is up.
package struct DeviceDetails: Sendable, Hashable {
    package var manufacturer: String?
    package var firmware: String?
    /// `aa:bb:cc:dd:ee:ff`.
    package var macAddress: String?
    /// Where the present link, or the last one, leads.
    package var endpoint: DeviceEndpoint?
    package var authentication: Authentication

    package init(
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
    package enum Authentication: String, Sendable, Hashable, CaseIterable {
        case notChecked = "not_checked"
        case genuine
        case failed
        case unknownKey = "unknown_key"
        case keyChanged = "key_changed"
    }
}

import CastModels

/// The facts that only the device itself reports, over its control link.
package struct DeviceDetails: Sendable, Hashable {
    package var manufacturer: String?
    package var firmware: String?
    /// The MAC address, `aa:bb:cc:dd:ee:ff`.
    package var macAddress: String?
    /// The endpoint of the current link, or of the last one.
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

    /// The result of device authentication; the raw values are the words of the `info` document.
    package enum Authentication: String, Sendable, Hashable, CaseIterable {
        case notChecked = "not_checked"
        case genuine
        case failed
        case unknownKey = "unknown_key"
        case keyChanged = "key_changed"
    }
}

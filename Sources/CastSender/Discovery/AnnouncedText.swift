import MulticastDNS

/// The known TXT entries of one announcement; their keys are spelled only in this file.
struct AnnouncedText: Equatable {
    private static let fieldKeys: Set<String> = ["id", "fn", "md", "ca"]

    let friendlyName: String?
    let modelName: String?
    let capabilities: DeviceCapabilities?
    /// All other entries, keys in lower case.
    let others: [String: String]

    init(_ text: TXTRecord) {
        self.friendlyName = text.string("fn").flatMap(Device.name(normalizing:))
        self.modelName = text.string("md").flatMap(Device.name(normalizing:))
        self.capabilities = text.string("ca").flatMap { UInt64($0) }.map(DeviceCapabilities.init(rawValue:))
        var others: [String: String] = [:]
        for entry in text.entries where !Self.fieldKeys.contains(entry.key.lowercased()) {
            others[entry.key.lowercased()] = text.string(entry.key)
        }
        self.others = others
    }

    /// Applies the entries to `device`. Missing entries keep their last known value, because a group may be announced without name or
    /// capabilities for a while.
    func apply(to device: inout Device) {
        device.friendlyName = self.friendlyName ?? device.friendlyName
        device.modelName = self.modelName ?? device.modelName
        device.capabilities = self.capabilities ?? device.capabilities
        device.unknownText = self.others
    }
}

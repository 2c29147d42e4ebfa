/// A change of the list of devices (SDK: `GCKDiscoveryManagerListener`). Indices refer to the list before this change.
public enum DeviceListChange: Sendable, Hashable {
    case inserted(Device, at: Int)
    /// A device changed.
    /// - to: its index afterwards, which differs when its name changed.
    case updated(Device, at: Int, to: Int)
    /// The device no longer meets the criteria, or its announcements have ended.
    case removed(Device, at: Int)
}

/// Devices sorted by name and, for equal names, by id. Does no I/O.
struct DeviceList {
    private(set) var devices: [Device] = []

    init() {}

    /// - Parameter devices: in any order.
    init(_ devices: [Device]) { self.devices = devices.sorted { Self.key($0) < Self.key($1) } }

    private static func key(_ device: Device) -> (name: String, id: Device.ID) { (device.friendlyName.lowercased(), device.id) }

    /// Inserts or updates a device.
    /// - Returns: `nil` when nothing changed.
    mutating func apply(_ device: Device) -> DeviceListChange? {
        guard let index = self.index(of: device.id) else { return .inserted(device, at: self.insert(device)) }
        guard self.devices[index] != device else { return nil }
        self.devices.remove(at: index)
        return .updated(device, at: index, to: self.insert(device))
    }

    mutating func remove(_ id: Device.ID) -> DeviceListChange? {
        self.index(of: id).map { .removed(self.devices.remove(at: $0), at: $0) }
    }

    private func index(of id: Device.ID) -> Int? { self.devices.firstIndex { $0.id == id } }

    /// - Returns: its index.
    private mutating func insert(_ device: Device) -> Int {
        let key = Self.key(device)
        let index = self.devices.firstIndex { Self.key($0) > key } ?? self.devices.count
        self.devices.insert(device, at: index)
        return index
    }
}

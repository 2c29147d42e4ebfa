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
    private struct Key: Comparable {
        let name: String
        let id: Device.ID

        init(_ device: Device) {
            self.name = device.friendlyName.lowercased()
            self.id = device.id
        }

        static func < (left: Self, right: Self) -> Bool { (left.name, left.id) < (right.name, right.id) }
    }

    private(set) var devices: [Device] = []
    private var keys: [Key] = []
    private var keysByID: [Device.ID: Key] = [:]

    init() {}

    /// - Parameter devices: in any order.
    init(_ devices: [Device]) { for device in devices { _ = self.apply(device) } }

    /// Inserts or updates a device.
    /// - Returns: `nil` when nothing changed.
    mutating func apply(_ device: Device) -> DeviceListChange? {
        let key = Key(device)
        guard let known = self.keysByID[device.id] else {
            let index = self.place(of: key)
            self.insert(device, key, at: index)
            return .inserted(device, at: index)
        }
        let index = self.place(of: known)
        guard self.devices[index] != device else { return nil }
        self.delete(at: index)
        let target = self.place(of: key)
        self.insert(device, key, at: target)
        return .updated(device, at: index, to: target)
    }

    mutating func remove(_ id: Device.ID) -> DeviceListChange? {
        guard let key = self.keysByID[id] else { return nil }
        let index = self.place(of: key)
        let device = self.devices[index]
        self.delete(at: index)
        self.keysByID[id] = nil
        return .removed(device, at: index)
    }

    private mutating func insert(_ device: Device, _ key: Key, at index: Int) {
        self.devices.insert(device, at: index)
        self.keys.insert(key, at: index)
        self.keysByID[device.id] = key
    }

    private mutating func delete(at index: Int) {
        self.devices.remove(at: index)
        self.keys.remove(at: index)
    }

    /// Returns the first index whose key is not smaller.
    private func place(of key: Key) -> Int {
        var (low, high) = (0, self.keys.count)
        while low < high {
            let middle = (low + high) / 2
            if self.keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

import CastModels

/// The lines of the state file. The line of a device is kept until that device changes.
public struct StateFileLines: Sendable {
    /// The changes since the last version of the file.
    public struct Changes: Sendable {
        /// The content of the first line; its devices are ignored.
        public var header: StateFile
        /// The new or changed devices.
        public var devices: [KnownDevice]
        public var removed: Set<Device.ID>

        public init(header: StateFile, devices: [KnownDevice] = [], removed: Set<Device.ID> = []) {
            (self.header, self.devices, self.removed) = (header, devices, removed)
        }
    }

    private var header: [UInt8] = []
    private var devices: [Device.ID: [UInt8]] = [:]

    public init() {}

    /// - Returns: whether any line changed.
    public mutating func apply(_ changes: Changes) -> Bool {
        let header = changes.header.headerLine
        var isChanged = header != self.header
        self.header = header
        for id in changes.removed where self.devices.removeValue(forKey: id) != nil { isChanged = true }
        for device in changes.devices {
            let line = device.json
            guard self.devices[device.id] != line else { continue }
            self.devices[device.id] = line
            isChanged = true
        }
        return isChanged
    }

    /// The content of the file, devices sorted by id; every line ends with a newline.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(self.devices.values.reduce(self.header.count + 1) { $0 + $1.count + 1 })
        bytes += self.header
        bytes.append(UInt8(ascii: "\n"))
        for (_, line) in self.devices.sorted(by: { $0.key < $1.key }) {
            bytes += line
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }
}

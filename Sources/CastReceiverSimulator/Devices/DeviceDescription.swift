/// Who a simulated device is and where it listens.
public struct DeviceDescription: Sendable, Hashable {
    /// The name by which the control socket, scenarios and the journal know it: `sim-001`, `group-001`.
    public var controlName: String
    /// TXT `id`: 32 lower-case hexadecimal digits.
    public var id: String
    /// TXT `fn`.
    public var friendlyName: String
    public var model: DeviceModel
    /// IPv4 address in text.
    public var address: String
    /// Port of the Cast server; 0 lets the system choose when the device starts.
    public var port: Int
    /// The devices that a group plays on, its leader first; empty for a device.
    public var members: [GroupMember]
    /// Time of the first of its pings, counted from the start; the next ones follow every 5 s.
    public var pingPhase: Duration
    /// Seed of everything random that it does.
    public var seed: UInt64
    /// TXT `bs`: 12 upper-case hexadecimal digits.
    public var hotspotAddress: String
    /// TXT `cd`: 32 upper-case hexadecimal digits.
    public var cloudDeviceID: String

    /// Bits of TXT `ca` beside those of the model: half of a stereo pair has 0x100.
    public var furtherCapabilities = 0
    /// TXT `ca`.
    public var capabilities: Int { self.model.capabilities | self.furtherCapabilities }

    public var isGroup: Bool { !self.members.isEmpty }

    /// `id` in the form of a UUID, as host name and `ssdp_udn` have it.
    public var uuid: String {
        var rest = Substring(self.id)
        return [8, 4, 4, 4, 12].map { length in
            defer { rest = rest.dropFirst(length) }
            return String(rest.prefix(length))
        }.joined(separator: "-")
    }

    /// The DNS-SD instance name: model and id, at most 63 bytes (it is not the friendly name).
    public var instanceName: String {
        let model = String(self.model.name.map { $0 == " " ? "-" : $0 }.prefix(20))
        return "\(model)-\(self.id)"
    }
}

/// One device of a group.
public struct GroupMember: Sendable, Hashable {
    /// TXT `id` of the device.
    public var id: String
    public var name: String
    public var volume: Volume
    /// As multizone tells it.
    public var capabilities: Int

    public init(id: String, name: String, volume: Volume, capabilities: Int = 196_612) {
        self.id = id
        self.name = name
        self.volume = volume
        self.capabilities = capabilities
    }
}

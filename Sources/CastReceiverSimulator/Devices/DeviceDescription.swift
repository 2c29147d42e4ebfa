/// The identity and the address of a simulated device.
public struct DeviceDescription: Sendable, Hashable {
    /// The name of the device for the control socket, scenarios and the journal: `sim-001`, `group-001`.
    public var controlName: String
    /// TXT `id`: 32 lower-case hexadecimal digits.
    public var id: String
    /// TXT `fn`.
    public var friendlyName: String
    public var model: DeviceModel
    /// The IPv4 address.
    public var address: String
    /// The port of the Cast server; 0 lets the system choose at start.
    public var port: Int
    /// The members of a group, its leader first; empty for a device.
    public var members: [GroupMember]
    /// The time of its first ping after the start; further ones follow every 5 s.
    public var pingPhase: Duration
    /// The seed of all its random values.
    public var seed: UInt64
    /// TXT `bs`: 12 upper-case hexadecimal digits.
    public var hotspotAddress: String
    /// TXT `cd`: 32 upper-case hexadecimal digits.
    public var cloudDeviceID: String

    /// Additional bits of TXT `ca` beyond those of the model: half of a stereo pair has 0x100.
    public var furtherCapabilities = 0
    /// TXT `ca`.
    public var capabilities: Int { self.model.capabilities | self.furtherCapabilities }

    public var isGroup: Bool { !self.members.isEmpty }

    /// Whether a group may contain it: a device or a stereo pair.
    var canBeMember: Bool { !self.isGroup || self.model.isMultichannel }

    /// `id` in UUID form, as used in the host name and `ssdp_udn`.
    public var uuid: String { Self.uuid(of: self.id) }

    static func uuid(of id: String) -> String {
        var rest = Substring(id)
        return [8, 4, 4, 4, 12].map { length in
            defer { rest = rest.dropFirst(length) }
            return String(rest.prefix(length))
        }.joined(separator: "-")
    }

    /// The DNS-SD instance name: model and id, at most 63 bytes. It is not the friendly name.
    public var instanceName: String {
        let model = String(self.model.name.map { $0 == " " ? "-" : $0 }.prefix(20))
        return "\(model)-\(self.id)"
    }
}

/// One member of a group.
public struct GroupMember: Sendable, Hashable {
    /// TXT `id` of the member.
    public var id: String
    public var name: String
    public var volume: Volume
    /// The capabilities, as the multizone namespace reports them.
    public var capabilities: Int

    public init(id: String, name: String, volume: Volume, capabilities: Int = 196_612) {
        self.id = id
        self.name = name
        self.volume = volume
        self.capabilities = capabilities
    }

    /// Creates the entry of a device with its initial volume.
    init(_ device: DeviceDescription, capabilities: Int = 196_612) {
        self.init(id: device.id, name: device.friendlyName, volume: Speakers.initialVolume(of: device), capabilities: capabilities)
    }
}

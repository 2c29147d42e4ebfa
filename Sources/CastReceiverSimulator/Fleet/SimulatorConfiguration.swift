/// The devices of a fleet and its services.
public struct SimulatorConfiguration: Sendable {
    /// The number of devices.
    public var devices = 4
    /// The number of speaker groups.
    public var groups = 0
    /// The number of stereo pairs.
    public var stereoPairs = 0
    /// The network interfaces on which devices are announced; `nil` announces none.
    public var interfaces: [String]? = ["lo"]
    /// The IPv4 address of the first device; each further one has the next.
    public var addressBase = "127.0.1.1"
    /// The port of every device; 0 lets the system choose. Senders treat a device at any port other than 8009 as a group.
    public var port = 8009
    public var eurekaPorts = EurekaPorts()
    /// The seed that determines ids, names, delays and pings.
    public var seed: UInt64 = 1
    public var settings = ReceiverSettings()
    /// The path of the control socket; `nil` opens none.
    public var controlPath: String?
    /// The path of the journal; `nil` writes none.
    public var journalPath: String?
    public var scenario: Scenario?
    /// Describes individual devices. When it lists any, `devices`, `groups` and `stereoPairs` are ignored.
    public var script: FleetScript?
    /// How devices answer authentication challenges.
    public var authentication = AuthenticationManner.genuine
    /// The file for the root certificate of the devices' chains in PEM; `nil` writes none.
    public var authenticationRootPath: String?
    /// Whether groups elect another leader when theirs is switched off or reboots; otherwise they keep it.
    public var electsLeaders = false

    public init() {}

    /// Returns the devices that follow from the configuration.
    public func plan() throws(SimulatorError) -> FleetPlan {
        if let script, !script.devices.isEmpty {
            return try FleetPlan(script, addressBase: self.addressBase, port: self.port, seed: self.seed)
        }
        return try FleetPlan(
            devices: self.devices, groups: self.groups, stereoPairs: self.stereoPairs, addressBase: self.addressBase, port: self.port,
            seed: self.seed)
    }
}

/// What a fleet consists of and what it offers.
public struct SimulatorConfiguration: Sendable {
    /// Number of devices.
    public var devices = 4
    /// Number of speaker groups.
    public var groups = 0
    /// Number of stereo pairs.
    public var stereoPairs = 0
    /// Network interfaces on which devices are announced; `nil` announces nothing.
    public var interfaces: [String]? = ["lo"]
    /// IPv4 address of the first device; each further one has the next.
    public var addressBase = "127.0.1.1"
    /// Port of every device; 0 lets the system choose. Senders take any other port than 8009 for a group.
    public var port = 8009
    public var eurekaPorts = EurekaPorts()
    /// Ids, names, delays and pings follow from it.
    public var seed: UInt64 = 1
    public var settings = ReceiverSettings()
    /// Path of the control socket; `nil` opens none.
    public var controlPath: String?
    /// Path of the journal; `nil` writes none.
    public var journalPath: String?
    public var scenario: Scenario?
    /// Describes the devices one by one; `devices`, `groups` and `stereoPairs` count no more when it lists any.
    public var script: FleetScript?
    /// How devices answer authentication challenges.
    public var authentication = AuthenticationManner.genuine
    /// File for the root certificate of the devices' chains in PEM; `nil` writes none.
    public var authenticationRootPath: String?
    /// Whether groups elect another leader when theirs is switched off or reboots; else they stay where they are.
    public var electsLeaders = false

    public init() {}

    /// The devices that follow from it.
    public func plan() throws(SimulatorError) -> FleetPlan {
        if let script, !script.devices.isEmpty {
            return try FleetPlan(script, addressBase: self.addressBase, port: self.port, seed: self.seed)
        }
        return try FleetPlan(
            devices: self.devices, groups: self.groups, stereoPairs: self.stereoPairs, addressBase: self.addressBase, port: self.port,
            seed: self.seed)
    }
}

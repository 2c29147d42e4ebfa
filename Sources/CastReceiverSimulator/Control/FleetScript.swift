/// The devices of a fleet one by one, as a scenario file describes them.
public struct FleetScript: Sendable, Hashable {
    public struct Device: Sendable, Hashable {
        public var model: DeviceModel
        /// `nil` takes the next room of the seed.
        public var name: String?

        public init(model: DeviceModel, name: String? = nil) { (self.model, self.name) = (model, name) }
    }

    public struct Group: Sendable, Hashable {
        public var name: String
        /// Control names of devices, the leader's first.
        public var members: [String]
        public var isStereoPair: Bool

        public init(name: String, members: [String], isStereoPair: Bool = false) {
            (self.name, self.members, self.isStereoPair) = (name, members, isStereoPair)
        }
    }

    /// One thing that is so from the start.
    public struct Setup: Sendable, Hashable {
        /// Control name.
        public var device: String
        public var verb: ControlVerb

        public init(device: String, verb: ControlVerb) { (self.device, self.verb) = (device, verb) }
    }

    public var devices: [Device] = []
    public var groups: [Group] = []
    public var setup: [Setup] = []
    // What holds for all; `nil` leaves it to the configuration.
    public var seed: UInt64?
    public var addressBase: String?
    public var interfaces: [String]?
    public var electsLeaders: Bool?
    public var fetchesMedia: Bool?
    public var repeatsMedia: Bool?
    /// Seconds.
    public var pauseLimitSeconds: Double?

    public init() {}

    /// Takes over what the file states; `--devices` and the like count no more when it lists devices.
    public func apply(to configuration: inout SimulatorConfiguration) {
        configuration.script = self
        if let seed { configuration.seed = seed }
        if let addressBase { configuration.addressBase = addressBase }
        if let interfaces { configuration.interfaces = interfaces }
        if let electsLeaders { configuration.electsLeaders = electsLeaders }
        if let fetchesMedia { configuration.settings.fetchesMedia = fetchesMedia }
        if let repeatsMedia { configuration.settings.repeatsMedia = repeatsMedia }
        if let pauseLimitSeconds { configuration.settings.pauseLimit = .seconds(pauseLimitSeconds) }
    }

    /// The name by which the control socket knows the device of that place in the list.
    static func controlName(_ index: Int) -> String { FleetPlan.controlName(prefix: "sim", index: index) }
}

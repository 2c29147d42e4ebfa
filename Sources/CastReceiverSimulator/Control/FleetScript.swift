/// The individual devices of a fleet, as a scenario file describes them.
public struct FleetScript: Sendable, Hashable {
    public struct Device: Sendable, Hashable {
        public var model: DeviceModel
        /// The name; `nil` uses the next room of the seed.
        public var name: String?

        public init(model: DeviceModel, name: String? = nil) { (self.model, self.name) = (model, name) }
    }

    public struct Group: Sendable, Hashable {
        public var name: String
        /// The control names of the members, the leader first.
        public var members: [String]
        public var isStereoPair: Bool

        public init(name: String, members: [String], isStereoPair: Bool = false) {
            (self.name, self.members, self.isStereoPair) = (name, members, isStereoPair)
        }
    }

    /// One initial state of a device.
    public struct Setup: Sendable, Hashable {
        /// The control name of the device.
        public var device: String
        public var verb: ControlVerb

        public init(device: String, verb: ControlVerb) { (self.device, self.verb) = (device, verb) }
    }

    public var devices: [Device] = []
    public var groups: [Group] = []
    public var setup: [Setup] = []
    // Settings for the whole fleet; `nil` leaves them to the configuration.
    public var seed: UInt64?
    public var addressBase: String?
    public var interfaces: [String]?
    public var electsLeaders: Bool?
    public var fetchesMedia: Bool?
    public var repeatsMedia: Bool?
    /// Seconds.
    public var pauseLimitSeconds: Double?

    public init() {}

    /// Copies the file's settings into `configuration`. When the file lists devices, `--devices` and similar options are ignored.
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

    /// Returns the control name of the device at that index of the list.
    static func controlName(_ index: Int) -> String { FleetPlan.controlName(prefix: "sim", index: index) }
}

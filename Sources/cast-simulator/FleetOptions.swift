import ArgumentParser
import CastReceiverSimulator

/// The options for the devices and their addresses.
struct FleetOptions: ParsableArguments {
    @Option(help: "Number of devices.")
    var devices = 4

    @Option(help: "Number of speaker groups; each has the address of its leader and a high port.")
    var groups = 0

    @Option(help: "Number of stereo pairs, each made of two devices without a display.")
    var stereoPairs = 0

    @Flag(help: "Groups elect another leader when theirs is switched off or reboots.")
    var electLeaders = false

    @Option(
        name: .customLong("interface"),
        help: "Network interface to announce on; may be given several times. The default is lo, with \"run\" the card of the namespace.")
    var interfaces: [String] = []

    @Option(help: "IPv4 address of the first device; each further one has the next. The default is 127.0.1.1, with \"run\" 10.98.0.2.")
    var addressBase: String?

    @Option(help: "Ids, names, delays and pings follow from this number.")
    var seed: UInt64 = 1

    @Option(help: "Threads that serve the devices.")
    var threads = 2

    func validate() throws {
        guard (1...64).contains(self.threads) else { throw ValidationError("--threads must be between 1 and 64") }
    }

    func apply(to configuration: inout SimulatorConfiguration) {
        configuration.devices = self.devices
        configuration.groups = self.groups
        configuration.stereoPairs = self.stereoPairs
        configuration.electsLeaders = self.electLeaders
        if !self.interfaces.isEmpty { configuration.interfaces = self.interfaces }
        if let addressBase { configuration.addressBase = addressBase }
        configuration.seed = self.seed
    }
}

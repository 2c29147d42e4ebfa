/// Finds the folder of the control socket and of the setup code.
package enum ControlDirectory {
    package static let socketName = "control"
    package static let setupCodeName = "setup-code"

    /// The longest path of a socket that Linux takes, in bytes.
    package static let maximumPathBytes = 107

    /// Returns the folder of a bridge that starts: `$RUNTIME_DIRECTORY`, which systemd sets, else the state directory; `nil` when it has
    /// neither.
    package static func own(stateDirectory: String?, environment: [String: String]) -> String? {
        StateDirectoryPath.given("RUNTIME_DIRECTORY", environment) ?? stateDirectory
    }

    /// Returns the folders in which a command looks for the running bridge of a configuration, the most likely one first.
    package static func candidates(instance: String, stateDirectory: String?, environment: [String: String]) -> [String] {
        [StateDirectoryPath.given("RUNTIME_DIRECTORY", environment), stateDirectory].compactMap { $0 }
            + ["/run/cast2mqtt-\(instance)", "/run/cast2mqtt"]
    }
}

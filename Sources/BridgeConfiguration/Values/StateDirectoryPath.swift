package enum StateDirectoryPath {
    /// Returns a directory that systemd names in a variable; it separates several by colons.
    package static func given(_ variable: String, _ environment: [String: String]) -> String? {
        environment[variable]?.split(separator: ":").first.map { String($0) }
    }

    /// Returns the configured path, else the first of `$STATE_DIRECTORY`, `$XDG_STATE_HOME/cast2mqtt` and `~/.local/state/cast2mqtt` that
    /// is set; `nil` when none is set. The bridge then keeps no state across restarts.
    package static func find(configured: String?, environment: [String: String]) -> String? {
        if let configured { return configured }
        if let given = self.given("STATE_DIRECTORY", environment) { return given }
        if let base = environment["XDG_STATE_HOME"], base.hasPrefix("/") { return "\(base)/cast2mqtt" }
        if let home = environment["HOME"], home.hasPrefix("/") { return "\(home == "/" ? "" : home)/.local/state/cast2mqtt" }
        return nil
    }
}

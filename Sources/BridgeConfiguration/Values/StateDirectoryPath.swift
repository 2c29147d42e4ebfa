/// Finds the path of the state directory.
package enum StateDirectoryPath {
    /// Returns the configured path, else the first of `$STATE_DIRECTORY`, `$XDG_STATE_HOME/cast2mqtt` and `~/.local/state/cast2mqtt` that
    /// is set; `nil` when none is set. The bridge then keeps no state across restarts.
    package static func find(configured: String?, environment: [String: String]) -> String? {
        if let configured { return configured }
        // systemd separates several directories by colons.
        if let given = environment["STATE_DIRECTORY"]?.split(separator: ":").first { return String(given) }
        if let base = environment["XDG_STATE_HOME"], base.hasPrefix("/") { return "\(base)/cast2mqtt" }
        if let home = environment["HOME"], home.hasPrefix("/") { return "\(home == "/" ? "" : home)/.local/state/cast2mqtt" }
        return nil
    }
}

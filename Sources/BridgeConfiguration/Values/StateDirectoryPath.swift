/// Where the state directory is.
package enum StateDirectoryPath {
    /// The configured path, else the first of `$STATE_DIRECTORY`, `$XDG_STATE_HOME/cast2mqtt` and `~/.local/state/cast2mqtt` that is set;
    /// `nil` when nothing says where: then the bridge remembers nothing.
    package static func find(configured: String?, environment: [String: String]) -> String? {
        if let configured { return configured }
        // systemd separates several by colons.
        if let given = environment["STATE_DIRECTORY"]?.split(separator: ":").first { return String(given) }
        if let base = environment["XDG_STATE_HOME"], base.hasPrefix("/") { return "\(base)/cast2mqtt" }
        if let home = environment["HOME"], home.hasPrefix("/") { return "\(home == "/" ? "" : home)/.local/state/cast2mqtt" }
        return nil
    }
}

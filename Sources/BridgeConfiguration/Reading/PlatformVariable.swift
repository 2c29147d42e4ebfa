/// Detects environment variables that a container platform sets. They have our prefix when the service or container is named `cast2mqtt` or
/// `cast2mqtt-…`.
enum PlatformVariable {
    /// Returns whether Kubernetes ("Discovering services", environment variables) or a link of Docker ("Legacy container links") sets a
    /// variable with this name and value.
    static func isLink(_ name: String, value: String) -> Bool {
        let words = name.dropFirst(ConfigurationKey.environmentPrefix.count).split(separator: "_", omittingEmptySubsequences: false)
        for index in words.indices {
            let rest = words[(index + 1)...]
            switch words[index] {
            case "SERVICE": if rest == ["HOST"] || rest.first == "PORT" { return true }
            case "PORT": if self.isPort(rest, value: value) { return true }
            case "NAME": if rest.isEmpty, value.hasPrefix("/") { return true }
            case "ENV": if !rest.isEmpty { return true }
            default: break
            }
        }
        return false
    }

    /// Returns whether the words after `PORT` are those of a link: no words and an address like `tcp://10.0.0.11:1883` as the value, or
    /// port and protocol, optionally with `ADDR`, `PORT` or `PROTO`.
    private static func isPort(_ rest: ArraySlice<Substring>, value: String) -> Bool {
        let protocols = ["tcp", "udp", "sctp"]
        guard let number = rest.first else { return protocols.contains { value.hasPrefix($0 + "://") } }
        let words = Array(rest.dropFirst())
        guard !number.isEmpty, number.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let first = words.first,
            protocols.contains(first.lowercased())
        else { return false }
        return words.count == 1 || words.count == 2 && ["ADDR", "PORT", "PROTO"].contains(words[1])
    }
}

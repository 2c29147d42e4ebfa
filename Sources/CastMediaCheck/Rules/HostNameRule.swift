/// Decides from a host name whether devices can resolve it. Pure.
///
/// Most Cast devices use Google's public DNS, whatever the router announces, so they resolve neither multicast DNS names nor names of the
/// local network.
enum HostNameRule {
    /// Name suffixes that no public DNS has (RFC 6762, RFC 8375, RFC 6761), and those that routers use.
    private static let localEnds = ["local", "lan", "home", "home.arpa", "internal", "intranet", "localdomain", "fritz.box"]

    /// - Parameter hostsFile: the names of this machine's hosts file, in lower case.
    /// - Returns: `nil` for numeric addresses, and for names that public DNS may resolve.
    static func finding(host: String, hostsFile: Set<String>) -> MediaFinding.Code? {
        let name = host.hasSuffix(".") ? host.dropLast().lowercased() : host.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") { return .loopbackAddress }
        guard !self.isNumeric(name) else { return nil }
        if hostsFile.contains(name) { return .hostsFileName }
        let isLocal = !name.contains(".") || self.localEnds.contains { name == $0 || name.hasSuffix("." + $0) }
        return isLocal ? .localName : nil
    }

    static func isNumeric(_ name: some StringProtocol) -> Bool {
        name.contains(":") || !name.isEmpty && name.split(separator: ".").last.map { $0.allSatisfy(\.isNumber) } ?? false
    }

    /// Returns the names in a hosts file (hosts(5)), in lower case; at most 4096.
    static func names(inHostsFile text: String) -> Set<String> {
        var names: Set<String> = []
        for line in text.split(whereSeparator: \.isNewline) where names.count < 4096 {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            for name in words.dropFirst() { names.insert(name.lowercased()) }
        }
        return names
    }
}

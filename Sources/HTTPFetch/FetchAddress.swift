import FoundationEssentials

/// The parts of an http or https address.
package struct FetchAddress: Sendable, Hashable {
    package let url: URL
    package let isSecure: Bool
    /// The host, without the brackets of an IPv6 address.
    package let host: String
    package let port: UInt16

    /// - Returns: `nil` unless `text` is an absolute http or https address with a host and a usable port.
    package init?(_ text: String) {
        guard let url = URL(string: text) else { return nil }
        self.init(url)
    }

    /// - Parameter reference: the value of a Location header or of a manifest, absolute or relative to this address (RFC 3986 section 5).
    package func resolving(_ reference: String) -> FetchAddress? {
        URL(string: reference, relativeTo: self.url).flatMap { Self($0.absoluteURL) }
    }

    /// The whole address, query included.
    package var text: String { self.url.absoluteString }

    /// The value of the Host header: a port only if it differs from the scheme's own (RFC 9110 section 7.2).
    package var authority: String {
        // A zone has a meaning on this machine only (RFC 6874 section 1).
        let host = self.host.contains(":") ? "[\(self.host.prefix { $0 != "%" })]" : self.url.host() ?? self.host
        return self.port == (self.isSecure ? 443 : 80) ? host : "\(host):\(self.port)"
    }

    /// The path with the query (RFC 9112 section 3.2.1).
    package var requestTarget: String {
        let path = self.url.path()
        return (path.isEmpty ? "/" : path) + (self.url.query().map { "?\($0)" } ?? "")
    }

    private init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https", var host = url.host(percentEncoded: false),
            !host.isEmpty, !host.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7f })
        else { return nil }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard let port = UInt16(exactly: url.port ?? (scheme == "https" ? 443 : 80)), port > 0 else { return nil }
        self.url = url
        self.isSecure = scheme == "https"
        self.host = host
        self.port = port
    }
}

import BridgeCore
import HTTPTypes

/// The client of a request and the address by which the browser called the page, with the headers of trusted proxies applied.
package struct RequestOrigin: Sendable, Hashable {
    /// `nil` when the peer has no numeric address.
    package var client: NetworkAddress?
    /// Whether the browser uses https, to us or to the proxy.
    package var isSecure = false
    /// The host as shown in the browser's address bar; `nil` for an invalid header.
    package var host: HostName?
    /// The path below which a proxy serves the page, without a slash at its end: `/cast`, or empty.
    package var prefix = ""
    /// Whether the peer is a trusted proxy. Its client may be anywhere, even if the proxy did not name it.
    package var isFromProxy = false
    /// Whether a proxy that is not configured forwarded the request, so that the peer's address is not the client's.
    package var isForwardedByStranger = false
    /// Whether Home Assistant forwarded the request of a user who is signed in there.
    package var isIngress = false

    package init() {}

    /// The connection that received a request.
    struct Connection: Sendable, Hashable {
        var peer: NetworkAddress?
        var local: NetworkAddress?
        var localPort: Int
        var isTLS: Bool
    }

    /// The address from which Home Assistant's supervisor forwards ingress requests ("Presenting your addon", ingress).
    static let ingressAddress = NetworkAddress("172.30.32.2")

    private static let maximumPrefixLength = 200

    /// - Parameters:
    ///   - authority: the header `Host`.
    ///   - trusted: the peers whose headers are used; headers of other peers are ignored.
    init(connection: Connection, authority: String?, headers: HTTPFields, trusted: [AddressRange]) {
        self.client = connection.peer
        self.isSecure = connection.isTLS
        self.host = authority.flatMap { HostName($0) }
        guard let peer = connection.peer, trusted.contains(where: { $0.contains(peer) }) else {
            self.isForwardedByStranger = headers.contains { field in HTTPField.Name.forwarding.contains(field.name) }
            return
        }
        self.isFromProxy = true
        // Each proxy appends the address of its peer, so the last address that is not a trusted proxy is the client.
        let chain = headers[values: .forwardedFor].flatMap { $0.split(separator: ",") }.map { Self.address($0) }
        for address in chain.reversed() {
            guard let address else { break }
            self.client = address
            if !trusted.contains(where: { $0.contains(address) }) { break }
        }
        if let scheme = Self.last(headers[.forwardedProto]) { self.isSecure = scheme.lowercased() == "https" }
        if let host = Self.last(headers[.forwardedHost]) { self.host = HostName(host) }
        let ingressPath = headers[.ingressPath].flatMap(Self.prefix)
        self.isIngress = ingressPath != nil && peer == Self.ingressAddress
        self.prefix = ingressPath ?? headers[.forwardedPrefix].flatMap(Self.prefix) ?? ""
    }

    /// Returns whether `Origin` names the page as the browser called it. Behind Home Assistant the scheme is not compared, because it knows
    /// only that of its own last proxy.
    func isSame(as origin: String) -> Bool {
        guard let host else { return false }
        for (scheme, isSecure) in [("https://", true), ("http://", false)] where origin.hasPrefix(scheme) {
            guard let other = HostName(origin.dropFirst(scheme.utf8.count)), other.host == host.host else { return false }
            guard isSecure == self.isSecure || self.isIngress else { return false }
            return self.isIngress && host.port == nil && other.port == nil
                || (other.port ?? Self.port(isSecure)) == (host.port ?? Self.port(isSecure))
        }
        return false
    }

    /// The default port of the scheme.
    static func port(_ isSecure: Bool) -> Int { isSecure ? 443 : 80 }

    private static func last(_ value: String?) -> String? {
        value?.split(separator: ",").last.map { $0.trimmed }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// An address with an optional port, as proxies write it.
    private static func address(_ text: Substring) -> NetworkAddress? {
        let text = text.trimmed
        if let address = NetworkAddress(text) { return address }
        return HostName(text).flatMap { NetworkAddress($0.host) }
    }

    /// - Returns: the path without a slash at its end; `nil` for a text that could be more than a path of this host.
    private static func prefix(_ text: String) -> String? {
        let path = text.last == "/" ? String(text.dropLast()) : text
        guard (2...self.maximumPrefixLength).contains(path.utf8.count), path.first == "/", !path.contains("//"),
            path.utf8.allSatisfy({
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || [0x2D, 0x2F, 0x5F].contains($0)
            })
        else { return nil }
        return path
    }
}

extension HTTPField.Name {
    static let forwardedFor = HTTPField.Name(constant: "X-Forwarded-For")
    static let forwardedHost = HTTPField.Name(constant: "X-Forwarded-Host")
    static let forwardedProto = HTTPField.Name(constant: "X-Forwarded-Proto")
    static let forwardedPrefix = HTTPField.Name(constant: "X-Forwarded-Prefix")
    static let ingressPath = HTTPField.Name(constant: "X-Ingress-Path")
    /// The headers that proxies add.
    static let forwarding: Set<HTTPField.Name> = [
        .forwardedFor, .forwardedHost, .forwardedProto, .forwardedPrefix, .ingressPath, HTTPField.Name(constant: "Forwarded"),
        HTTPField.Name(constant: "X-Real-IP"), HTTPField.Name(constant: "Via"),
    ]
    static let secFetchSite = HTTPField.Name(constant: "Sec-Fetch-Site")
    static let csrfToken = HTTPField.Name(constant: "X-CSRF-Token")

    /// Makes a name from a literal. No request reaches the failure: the argument is a `StaticString`, and each literal above is a valid token.
    init(constant name: StaticString) {
        guard let name = HTTPField.Name("\(name)") else { preconditionFailure("not a name of a header field") }
        self = name
    }
}

extension StringProtocol {
    /// Returns the text without spaces and tabs at both ends.
    var trimmed: String {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        return String(self.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}

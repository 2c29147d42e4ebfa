import HTTPTypes

/// The headers of every answer by which browsers keep out scripts of others.
struct SecurityHeaders: Sendable {
    /// The origins that may show `/mini` and `/panel` in a frame.
    let frameOrigins: [String]
    /// Whether the listener itself uses TLS. A proxy with TLS decides for its own name.
    var isTLS = false

    /// Everything is loaded from the page's own address; scripts can't turn text into HTML (trusted types). The page fetches its pictures by
    /// script and shows them as blobs.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; media-src 'self'; "
        + "img-src 'self' blob:; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; "

    /// The only policy that the page may create (`connection.js`). It provides the address of its shared worker, which trusted types cover too.
    private static let trustedTypes = "; require-trusted-types-for 'script'; trusted-types stream-worker"

    /// Sets the headers that the route has not set itself.
    /// - Parameter isSecureContext: whether browsers treat the page as a secure context: https, or this machine. Others warn about some headers.
    func add(to headers: inout HTTPFields, path: String, origin: RequestOrigin, isSecureContext: Bool) {
        if headers[.contentSecurityPolicy] == nil {
            headers[.contentSecurityPolicy] =
                Self.policy + "frame-ancestors " + self.ancestors(path, origin) + Self.trustedTypes
        }
        headers[.xContentTypeOptions] = "nosniff"
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
        for (name, value) in Self.fixed where headers[name] == nil { headers[name] = value }
        if isSecureContext { headers[.openerPolicy] = "same-origin" }
        if self.isTLS { headers[.strictTransportSecurity] = "max-age=2592000" }
    }

    /// The pages for walls and frames, which may have a token instead of a cookie.
    private static func isPanel(_ path: String) -> Bool { path == "/mini" || path == "/panel" }

    /// The origins that may show the page in a frame.
    private func ancestors(_ path: String, _ origin: RequestOrigin) -> String {
        let own = origin.isIngress || Self.isPanel(path) ? ["'self'"] : []
        let all = own + (Self.isPanel(path) ? self.frameOrigins : [])
        return all.isEmpty ? "'none'" : all.joined(separator: " ")
    }

    private static let fixed: [(HTTPField.Name, String)] = [
        (.referrerPolicy, "same-origin"),
        (HTTPField.Name(constant: "Permissions-Policy"), "camera=(), microphone=(), geolocation=(), usb=(), payment=()"),
        (HTTPField.Name(constant: "Cross-Origin-Resource-Policy"), "same-origin"),
    ]
}

extension HTTPField.Name {
    static let referrerPolicy = HTTPField.Name(constant: "Referrer-Policy")
    static let openerPolicy = HTTPField.Name(constant: "Cross-Origin-Opener-Policy")
}

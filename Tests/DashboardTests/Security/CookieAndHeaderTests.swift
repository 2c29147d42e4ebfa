import BridgeCore
import HTTPTypes
import Testing

@testable import Dashboard

@Suite("The session's cookie") struct SessionCookieTests {
    static let cases: [(host: String, isSecure: Bool, prefix: String, header: String)] = [
        ("cast.lan:8099", false, "", "sid-8099=x; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict"),
        ("cast.lan", false, "", "sid=x; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict"),
        ("cast.lan", true, "", "__Host-sid=x; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure"),
        ("cast.lan:8443", true, "/cast", "sid-8443=x; Path=/cast/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure"),
    ]

    @Test("stays with scripts and pages of others off, and on https alone where there is https", arguments: cases)
    func flags(host: String, isSecure: Bool, prefix: String, header: String) {
        var origin = RequestOrigin()
        origin.host = HostName(host)
        origin.isSecure = isSecure
        origin.prefix = prefix
        let cookie = SessionCookie(origin)
        #expect(cookie.header("x") == header)
        #expect(cookie.removal.contains("Max-Age=0"))
        #expect(cookie.id(in: "a=1; \(cookie.name)=abc; \(cookie.name)=def") == "abc")
        #expect(cookie.id(in: "x\(cookie.name)=abc") == nil && cookie.id(in: nil) == nil)
        #expect(cookie.id(in: "\(cookie.name)=" + String(repeating: "a", count: 129)) == nil)
    }
}

@Suite("The headers of every answer") struct SecurityHeadersTests {
    private static func headers(_ path: String, isIngress: Bool = false, isSecureContext: Bool = true, own: HTTPFields = [:]) -> HTTPFields
    {
        var origin = RequestOrigin()
        origin.isIngress = isIngress
        var fields = own
        SecurityHeaders(frameOrigins: ["https://panel.lan"]).add(to: &fields, path: path, origin: origin, isSecureContext: isSecureContext)
        return fields
    }

    @Test("no page but Home Assistant may show the page in a frame, and /mini where it is configured")
    func frames() throws {
        let ancestors = { (fields: HTTPFields) in
            fields[.contentSecurityPolicy]?.split(separator: ";").map(\.trimmed).first { $0.hasPrefix("frame-ancestors") }
        }
        #expect(ancestors(Self.headers("/")) == "frame-ancestors 'none'")
        #expect(ancestors(Self.headers("/", isIngress: true)) == "frame-ancestors 'self'")
        #expect(ancestors(Self.headers("/mini")) == "frame-ancestors 'self' https://panel.lan")
        #expect(ancestors(Self.headers("/mini/")) == "frame-ancestors 'none'")
    }

    @Test("with TLS, browsers use https for the next 30 days; a proxy decides for its own name")
    func strictTransport() {
        var (fields, plain) = (HTTPFields(), HTTPFields())
        let headers = SecurityHeaders(frameOrigins: [], isTLS: true)
        headers.add(to: &fields, path: "/", origin: RequestOrigin(), isSecureContext: true)
        SecurityHeaders(frameOrigins: []).add(to: &plain, path: "/", origin: RequestOrigin(), isSecureContext: true)
        #expect(fields[.strictTransportSecurity] == "max-age=2592000" && plain[.strictTransportSecurity] == nil)
    }

    @Test("scripts come from the page alone, and make no HTML of texts")
    func policy() throws {
        let policy = try #require(Self.headers("/")[.contentSecurityPolicy])
        #expect(!policy.contains("unsafe") && !policy.contains("*") && policy.hasPrefix("default-src 'none'; script-src 'self';"))
        #expect(policy.hasSuffix("require-trusted-types-for 'script'; trusted-types stream-worker"))
        // Pictures are fetched by script.
        #expect(policy.contains("img-src 'self' blob:;"))
    }

    @Test("a route's own policy stays, and plain http elsewhere gets no header that browsers complain about there")
    func exceptions() {
        let fields = Self.headers("/x", isSecureContext: false, own: [.contentSecurityPolicy: "sandbox", .cacheControl: "no-cache"])
        #expect(fields[.contentSecurityPolicy] == "sandbox" && fields[.cacheControl] == "no-cache")
        #expect(fields[.openerPolicy] == nil && Self.headers("/")[.openerPolicy] == "same-origin")
        #expect(fields[.xContentTypeOptions] == "nosniff" && fields[.referrerPolicy] == "same-origin")
    }
}

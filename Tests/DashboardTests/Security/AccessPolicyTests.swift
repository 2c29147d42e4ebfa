import BridgeCore
import HTTPTypes
import Testing

@testable import Dashboard

@Suite("The access policy") struct AccessPolicyTests {
    static let token = "c2m_secret"

    private static func options(password: Bool = true) throws -> WebOptions {
        var options = WebOptions()
        if password {
            options.passwords[.admin] = PasswordHash(
                cost: .standard, salt: [UInt8](repeating: 1, count: 16), key: [UInt8](repeating: 2, count: 32))
        }
        options.tokens = [try #require(AccessToken(name: "ci", role: .control, digest: RandomText.digest(Self.token)))]
        return options
    }

    private static func facts(
        _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields = [:], from peer: String = "192.168.1.9",
        kind: AccessPolicy.Kind = .page
    ) -> AccessPolicy.Facts {
        AccessPolicy.Facts(
            method: method, path: path, authority: "192.168.1.5:8099", headers: headers, connection: connection(from: peer), kind: kind)
    }

    /// The code of the refusal; `nil` when the request is let through.
    private static func refusal(_ policy: inout AccessPolicy, _ facts: AccessPolicy.Facts) -> String? {
        do throws(WebError) {
            _ = try policy.admit(facts, origin: policy.origin(of: facts), now: .zero)
            return nil
        } catch { return error.code }
    }

    static let anonymous: [(method: HTTPRequest.Method, path: String, code: String?)] = [
        (.get, "/", nil), (.head, "/", nil), (.get, "/mini", nil), (.get, "/assets/x/app.js", nil), (.get, "/api/v1/session", nil),
        (.get, "/api/v1/state", "login_required"), (.get, "/api/v1/events", "login_required"),
        (.get, "/api/v1/artwork/tv", "login_required"),
        (.get, "/metrics", "login_required"), (.get, "/api/v1/session/../state", "login_required"), (.get, "/health", nil),
        (.get, "/ready", nil),
        // The router skips empty parts.
        (.get, "/metrics/", "login_required"), (.get, "//metrics", "login_required"), (.get, "//api//v1/state", "login_required"),
        (.get, "/api/v1/session//", nil), (.get, "", nil), (.get, "//", nil),
        (.put, "/", "method_not_allowed"), (.options, "/api/v1/state", "method_not_allowed"), (.trace, "/", "method_not_allowed"),
    ]

    @Test("shows who has not signed in the page and nothing of the home", arguments: anonymous)
    func anonymousCallers(method: HTTPRequest.Method, path: String, code: String?) throws {
        var policy = AccessPolicy(try Self.options())
        #expect(Self.refusal(&policy, Self.facts(method, path)) == code)
    }

    static let own: HTTPFields = [.origin: "http://192.168.1.5:8099", .contentType: "application/json", .secFetchSite: "same-origin"]

    /// The changes to the headers of our own page.
    static let changes: [(name: HTTPField.Name, value: String?, code: String?)] = [
        (.referrerPolicy, "", nil), (.secFetchSite, nil, nil), (.contentType, "Application/JSON; charset=utf-8", nil),
        (.secFetchSite, "cross-site", "forbidden"), (.secFetchSite, "same-site", "forbidden"), (.secFetchSite, "none", "forbidden"),
        (.origin, nil, "forbidden"), (.origin, "null", "forbidden"), (.origin, "http://evil.example", "forbidden"),
        (.origin, "http://192.168.1.5:8098", "forbidden"), (.origin, "https://192.168.1.5:8099", "forbidden"),
        (.origin, "http://192.168.1.5:8099.evil.example", "forbidden"),
        (.contentType, nil, "unsupported_media_type"), (.contentType, "text/plain", "unsupported_media_type"),
        (.contentType, "application/x-www-form-urlencoded", "unsupported_media_type"),
        (.csrfToken, nil, "forbidden"), (.csrfToken, "", "forbidden"), (.csrfToken, String(repeating: "0", count: 64), "forbidden"),
    ]

    @Test("lets changes through from our own page alone", arguments: changes)
    func crossSite(name: HTTPField.Name, value: String?, code: String?) throws {
        var policy = AccessPolicy(try Self.options())
        let (id, caller) = policy.signIn(.control, origin: policy.origin(of: Self.facts(.get, "/")), now: .zero)
        var headers = Self.own
        headers[.cookie] = "a=b; sid-8099=\(id)"
        headers[.csrfToken] = caller.csrfToken
        headers[name] = value
        #expect(Self.refusal(&policy, Self.facts(.post, "/api/v1/commands/tv/cmd/pause", headers)) == code)
    }

    @Test("knows sessions by their cookie, until they are over or signed out")
    func sessions() throws {
        var policy = AccessPolicy(try Self.options())
        let origin = policy.origin(of: Self.facts(.get, "/"))
        let (id, caller) = policy.signIn(.view, origin: origin, now: .zero)
        let (other, _) = policy.signIn(.admin, origin: origin, now: .zero)
        #expect(id != other && caller.role == .view && id.count == 64)
        let facts = Self.facts(.get, "/api/v1/state", [.cookie: "sid-8099=\(id)"])
        let role = { (policy: inout AccessPolicy, now: Duration) in try? policy.admit(facts, origin: origin, now: now).role }
        #expect(role(&policy, .seconds(1)) == .view)
        // The server keeps a hash, which is no valid id.
        for text in [HexadecimalText.of(RandomText.digest(id)), String(id.dropLast()), id.uppercased() + "x", ""] {
            #expect(Self.refusal(&policy, Self.facts(.get, "/api/v1/state", [.cookie: "sid-8099=\(text)"])) == "login_required")
        }
        // A cookie of another port of this host.
        #expect(Self.refusal(&policy, Self.facts(.get, "/api/v1/state", [.cookie: "sid=\(id)"])) == "login_required")
        #expect(role(&policy, .seconds(6 * 86_400)) == .view)
        #expect(role(&policy, .seconds(13 * 86_400)) == nil)
        let (next, signedIn) = policy.signIn(.view, origin: origin, now: .zero)
        policy.signOut(signedIn)
        #expect(Self.refusal(&policy, Self.facts(.get, "/api/v1/state", [.cookie: "sid-8099=\(next)"])) == "login_required")
    }

    static let authorizations: [(header: String, code: String?)] = [
        ("Bearer c2m_secret", nil), ("bearer  c2m_secret ", nil), ("Bearer c2m_secreT", "login_required"),
        ("Bearer c2m_secret2", "login_required"),
        ("Bearer ", "login_required"), ("Basic c2m_secret", "login_required"), ("c2m_secret", "login_required"),
        ("Bearer " + String(repeating: "x", count: 2000), "login_required"),
    ]

    @Test("knows programs by their token, which needs neither origin nor CSRF token", arguments: authorizations)
    func tokens(header: String, code: String?) throws {
        var policy = AccessPolicy(try Self.options())
        #expect(Self.refusal(&policy, Self.facts(.get, "/api/v1/state", [.authorization: header])) == code)
        #expect(Self.refusal(&policy, Self.facts(.post, "/api/v1/commands/tv/cmd/pause", [.authorization: header])) == code)
        // A page that has a token may not be another's.
        let foreign: HTTPFields = [.authorization: header, .origin: "http://evil.example"]
        #expect(Self.refusal(&policy, Self.facts(.post, "/api/v1/commands/tv/cmd/pause", foreign)) == code ?? "forbidden")
    }

    @Test("a request of a trusted proxy is never one of this machine")
    func trustedProxy() throws {
        var options = WebOptions()
        options.trustedProxies = [AddressRange("127.0.0.1")].compactMap { $0 }
        var policy = AccessPolicy(options)
        for headers in [[:], [.forwardedFor: "127.0.0.1"], [.forwardedFor: "203.0.113.9"]] as [HTTPFields] {
            #expect(Self.refusal(&policy, Self.facts(.get, "/api/v1/state", headers, from: "127.0.0.1")) == "login_required")
        }
    }

    @Test("a wrong token is refused even where none is needed, but for the question who one is")
    func wrongTokenOnLoopback() throws {
        var policy = AccessPolicy(WebOptions())
        #expect(
            Self.refusal(&policy, Self.facts(.get, "/api/v1/state", [.authorization: "Bearer x"], from: "127.0.0.1")) == "login_required")
        let session = Self.facts(.get, AccessPolicy.sessionPath, [.authorization: "Bearer x"], from: "127.0.0.1")
        let caller = try policy.admit(session, origin: policy.origin(of: session), now: .zero)
        #expect(caller.role == nil && caller.csrfToken == nil)
    }

    private static func facts(local path: String, _ headers: HTTPFields, from peer: String) -> AccessPolicy.Facts {
        AccessPolicy.Facts(
            method: .get, path: path, authority: "192.168.1.5:8099", headers: headers, connection: connection(from: peer), kind: .page)
    }

    static let local: [(peer: String, password: Bool, headers: HTTPFields, isTaken: Bool)] = [
        ("127.0.0.1", false, [:], true), ("::1", false, [:], true), ("127.0.0.1", true, [:], false), ("192.168.1.9", false, [:], false),
        // A proxy on this machine that is not configured: its clients are anywhere.
        ("127.0.0.1", false, [.forwardedFor: "203.0.113.9"], false), ("127.0.0.1", false, [.forwardedFor: "127.0.0.1"], false),
    ]

    @Test(
        "on this machine the setup code opens everything, while there is no password, and nothing but the metrics opens by itself",
        arguments: local)
    func setupCode(peer: String, password: Bool, headers: HTTPFields, isTaken: Bool) throws {
        var policy = AccessPolicy(try Self.options(password: password), setupCode: "the code")
        for (code, isRight) in [("the code", true), ("another code", false)] {
            var headers = headers
            headers[.authorization] = "Bearer \(code)"
            let refusal = Self.refusal(&policy, Self.facts(local: "/api/v1/configuration", headers, from: peer))
            #expect(refusal == (isRight && isTaken ? nil : "login_required"), "\(code)")
        }
        let bare = Self.facts(local: "/metrics", headers, from: peer)
        #expect(Self.refusal(&policy, bare) == (isTaken ? nil : "login_required"))
        #expect(Self.refusal(&policy, Self.facts(local: "/api/v1/state", headers, from: peer)) == "login_required")
        let origin = policy.origin(of: bare)
        #expect(policy.takesSetupCode(origin) == isTaken)
        let client = try #require(NetworkAddress(peer))
        let outcome = policy.checkSetupCode("the code", origin: origin, client: client, now: .zero)
        #expect(outcome == (isTaken ? .role(.admin) : nil))
    }

    @Test(
        "every machine may choose the first password with the setup code, but for one behind a proxy; then nobody may",
        arguments: [("127.0.0.1", [:], true), ("192.168.1.9", [:], true), ("192.168.1.9", [.forwardedFor: "203.0.113.9"], false)]
            as [(String, HTTPFields, Bool)])
    func firstPassword(peer: String, headers: HTTPFields, isTaken: Bool) throws {
        var policy = AccessPolicy(WebOptions(), setupCode: "the code")
        let facts = Self.facts(local: AccessPolicy.sessionPath, headers, from: peer)
        let (origin, client) = (policy.origin(of: facts), try #require(NetworkAddress(peer)))
        func outcome(_ code: String) -> PasswordCheck.Outcome? {
            policy.checkSetupCode(code, origin: origin, client: client, now: .zero, isFirstPassword: true)
        }
        #expect(policy.takesFirstPassword(origin) == isTaken && outcome("the code") == (isTaken ? .role(.admin) : nil))
        #expect(outcome("another") == (isTaken ? .wrong : nil))
        let program = Caller(identity: .token("setup-code"), role: .admin, csrfToken: nil, origin: origin)
        #expect(policy.isAdmitted(program, now: .zero))
        var options = WebOptions()
        options.passwords = try Self.options(password: true).passwords
        policy.apply(options)
        #expect(!policy.isAdmitted(program, now: .zero), "a stream that the code opened ends")
        #expect(!policy.takesFirstPassword(origin) && outcome("the code") == nil)
    }

    @Test("users whom Home Assistant forwards have the role of the settings", arguments: WebRole.allCases)
    func ingressRole(role: WebRole) throws {
        var options = WebOptions()
        (options.ingressRole, options.trustedProxies) = (role, [try #require(AddressRange("172.30.32.2"))])
        var policy = AccessPolicy(options, setupCode: "the code")
        let facts = Self.facts(
            .get, "/api/v1/state", [.ingressPath: "/api/hassio_ingress/x", .forwardedHost: "192.168.1.5:8099"], from: "172.30.32.2")
        #expect(try policy.admit(facts, origin: policy.origin(of: facts), now: .zero).role == role)
    }

    @Test("the machine's names count as the page's where the network may open it", arguments: [("0.0.0.0", true), ("127.0.0.1", false)])
    func machineNames(listener: String, isAllowed: Bool) throws {
        var options = WebOptions()
        options.listen = [try #require(ListenAddress("\(listener):8099"))]
        var policy = AccessPolicy(options, machineNames: ["nas", "nas.local"].compactMap { HostName($0) })
        for host in ["nas.local:8099", "nas:8099"] {
            let facts = AccessPolicy.Facts(
                method: .get, path: "/", authority: host, headers: [:], connection: connection(from: "192.168.1.9"), kind: .page)
            #expect(Self.refusal(&policy, facts) == (isAllowed ? nil : "misdirected"))
        }
    }

    @Test("guesses of the setup code are delayed, the right one is not")
    func guesses() throws {
        var policy = AccessPolicy(WebOptions(), setupCode: "the code")
        let client = try #require(NetworkAddress("127.0.0.1"))
        let origin = policy.origin(of: Self.facts(.get, "/", from: "127.0.0.1"))
        let outcomes = (0..<6).map { policy.checkSetupCode("guess \($0)", origin: origin, client: client, now: .zero) }
        #expect(outcomes.prefix(5).allSatisfy { $0 == .wrong } && outcomes.last == .wait(LoginThrottle.firstDelay))
        #expect(policy.checkSetupCode("the code", origin: origin, client: client, now: .zero) == .role(.admin))
    }

    @Test("the control socket makes an administrator of everybody who can open it")
    func control() throws {
        var policy = AccessPolicy(try Self.options(), setupCode: "the code")
        var facts = Self.facts(.post, "/api/v1/commands/bridge/request/restart", kind: .control)
        (facts.authority, facts.connection.peer) = ("localhost", nil)
        let caller = try policy.admit(facts, origin: policy.origin(of: facts), now: .zero)
        #expect(caller.role == .admin && caller.limitKey == "control socket")
    }

    @Test("a page of another address changes nothing on this machine either")
    func localCrossSite() throws {
        var policy = AccessPolicy(WebOptions(), setupCode: "the code")
        let origin = policy.origin(of: Self.facts(.get, "/", from: "127.0.0.1"))
        let (id, caller) = policy.signIn(.admin, origin: origin, now: .zero)
        var headers = Self.own
        headers[.cookie] = String(SessionCookie(origin).header(id).prefix { $0 != ";" })
        #expect(Self.refusal(&policy, Self.facts(.post, "/api/v1/commands/tv/cmd/pause", headers, from: "127.0.0.1")) == "forbidden")
        headers[.csrfToken] = caller.csrfToken
        #expect(Self.refusal(&policy, Self.facts(.post, "/api/v1/commands/tv/cmd/pause", headers, from: "127.0.0.1")) == nil)
        headers[.origin] = "http://localhost:3000"
        #expect(Self.refusal(&policy, Self.facts(.post, "/api/v1/commands/tv/cmd/pause", headers, from: "127.0.0.1")) == "forbidden")
    }

    @Test("other pages reach nothing of the API, and use up nothing of the own page's budget")
    func foreign() throws {
        var policy = AccessPolicy(WebOptions(), setupCode: "the code")
        for (site, code) in [("cross-site", "forbidden"), ("same-site", "forbidden"), ("none", nil), ("same-origin", nil)] {
            for path in ["/api/v1/session", "/api/v1/artwork/tv", "//api/v1/events"] {
                #expect(
                    Self.refusal(
                        &policy, Self.facts(.get, path, [.secFetchSite: site, .authorization: "Bearer the code"], from: "127.0.0.1"))
                        == code, "\(site) \(path)")
            }
            // A link may lead to the page.
            #expect(Self.refusal(&policy, Self.facts(.get, "/", [.secFetchSite: site], from: "127.0.0.1")) == nil)
        }
        var codes: [String?] = []
        for _ in 0..<700 { codes.append(Self.refusal(&policy, Self.facts(.get, "/", [.secFetchSite: "cross-site"], from: "127.0.0.1"))) }
        #expect(codes.last == "rate_limited")
        #expect(
            Self.refusal(&policy, Self.facts(.get, "/api/v1/state", [.secFetchSite: "same-origin"], from: "127.0.0.1")) == "login_required")
    }

    @Test("a client that sends too much is refused, others are not")
    func rate() throws {
        var policy = AccessPolicy(try Self.options())
        var codes: [String?] = []
        for _ in 0..<700 { codes.append(Self.refusal(&policy, Self.facts(.get, "/"))) }
        #expect(codes.prefix(600).allSatisfy { $0 == nil } && codes.dropFirst(600).allSatisfy { $0 == "rate_limited" })
        #expect(Self.refusal(&policy, Self.facts(.get, "/", from: "192.168.1.10")) == nil)
        // The pictures of its page neither, nor its page when it has asked for too many pictures.
        let picture = Self.refusal(&policy, Self.facts(.get, "/api/v1/artwork/kitchen?width=64"))
        #expect(picture == "login_required")
        for _ in 0..<700 { _ = Self.refusal(&policy, Self.facts(.get, "/api/v1/artwork/kitchen", from: "192.168.1.10")) }
        #expect(Self.refusal(&policy, Self.facts(.get, "/api/v1/artwork/kitchen", from: "192.168.1.10")) == "rate_limited")
        #expect(Self.refusal(&policy, Self.facts(.get, "/", from: "192.168.1.10")) == nil)
        // Its probe of another listener neither.
        #expect(Self.refusal(&policy, Self.facts(.get, "/health", kind: .metrics)) == nil)
    }

    @Test("a listener of metrics takes reading alone, and checks the host")
    func metrics() throws {
        var policy = AccessPolicy(try Self.options())
        #expect(Self.refusal(&policy, Self.facts(.get, "/metrics", kind: .metrics)) == nil)
        #expect(Self.refusal(&policy, Self.facts(.post, "/api/v1/session", Self.own, kind: .metrics)) == "method_not_allowed")
        var foreign = Self.facts(.get, "/metrics", kind: .metrics)
        foreign.authority = "evil.example"
        #expect(Self.refusal(&policy, foreign) == "misdirected")
    }
}

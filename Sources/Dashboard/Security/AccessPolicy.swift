import BridgeCore
import Crypto
import HTTPTypes

/// Decides which caller sent a request and whether it may use a route. Does no I/O; time is passed in.
struct AccessPolicy {
    /// The purpose of a listener. Whoever can open the control socket is an administrator: its folder and mode decide.
    enum Kind: Sendable { case page, metrics, control }

    /// A request as the policy sees it.
    struct Facts {
        var method: HTTPRequest.Method
        /// Without the query, and normalised, since the router skips empty parts: `//metrics/` is `/metrics`.
        let path: String
        var authority: String?
        var headers: HTTPFields
        var connection: RequestOrigin.Connection
        var kind: Kind

        /// - Parameter path: as received, without the query.
        init(
            method: HTTPRequest.Method, path: String, authority: String?, headers: HTTPFields, connection: RequestOrigin.Connection,
            kind: Kind
        ) {
            self.method = method
            let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
            self.path = "/" + parts.joined(separator: "/")
            self.authority = authority
            self.headers = headers
            self.connection = connection
            self.kind = kind
        }

        /// Whether the request changes nothing.
        var isSafe: Bool { self.method == .get || self.method == .head }
        /// Whether a page of another origin made the browser send the request.
        var isForeign: Bool { self.headers[.secFetchSite].map { $0 != "same-origin" && $0 != "none" } ?? false }
        var hasBody: Bool {
            self.headers[.transferEncoding] != nil || self.headers[.contentLength].map { $0 != "0" } ?? false
        }
    }

    private(set) var options: WebOptions
    private var hosts: HostList
    /// The names of this machine; they count for a page that the network may open.
    private let machineNames: [HostName]
    /// What callers on this machine show while there is no password; `nil` once there is one.
    private var setupCode: AccessToken?
    /// The key of this process. CSRF tokens become invalid when it ends, like sessions.
    private let key: SymmetricKey
    private(set) var sessions = SessionTable()
    /// Counts the changes of passwords: a check that began before one opens nothing.
    private(set) var passwordGeneration = 0
    /// The wrong setup codes of each address.
    private var guesses = LoginThrottle()
    private var budgets: [BudgetKind: RequestBudget] = [:]

    /// Requests to the page take nothing from those to the metrics, requests caused by other pages nothing from those of our own, and pictures
    /// nothing from the page that shows them: with 500 devices they would leave none for its scripts.
    private struct BudgetKind: Hashable {
        let kind: Kind
        let isPicture: Bool
        let isForeign: Bool
    }

    init(
        _ options: WebOptions, setupCode: String? = nil, machineNames: [HostName] = [], key: SymmetricKey = SymmetricKey(size: .bits256)
    ) {
        self.options = options
        self.setupCode = setupCode.flatMap { code in
            options.passwords.isEmpty ? AccessToken(name: "setup-code", role: .admin, digest: RandomText.digest(code)) : nil
        }
        self.machineNames = options.listen.allSatisfy(\.address.isLoopback) ? [] : machineNames
        self.hosts = HostList(names: options.names + self.machineNames)
        self.key = key
    }

    /// Takes other passwords, tokens and names; what listeners need stays.
    mutating func apply(_ options: WebOptions) {
        for role in WebRole.allCases where options.passwords[role] != self.options.passwords[role] {
            self.sessions.remove(all: role)
            self.passwordGeneration += 1
        }
        (self.options.passwords, self.options.tokens, self.options.names) = (options.passwords, options.tokens, options.names)
        self.hosts = HostList(names: options.names + self.machineNames)
        if !options.passwords.isEmpty { self.setupCode = nil }
    }

    var tokens: [AccessToken] { self.options.tokens }

    func hasPassword(of role: WebRole) -> Bool { self.options.passwords[role] != nil }

    var hasPassword: Bool { !self.options.passwords.isEmpty }

    /// Whether there is a password or a token with which a person is an administrator, without the setup code.
    /// - Parameter token: one that does not count.
    func hasAdmin(without token: String? = nil) -> Bool {
        self.hasPassword(of: .admin) || self.tokens.contains { $0.role == .admin && $0.name != token }
    }

    func origin(of facts: Facts) -> RequestOrigin {
        RequestOrigin(
            connection: facts.connection, authority: facts.authority, headers: facts.headers, trusted: self.options.trustedProxies)
    }

    /// - Returns: the caller that sent the request, if the request is admitted.
    mutating func admit(_ facts: Facts, origin: RequestOrigin, now: Duration) throws(WebError) -> Caller {
        if facts.kind == .control { return self.caller(.control, .admin, origin) }
        guard self.hosts.allows(origin, on: facts.connection) else {
            throw WebError(
                .misdirectedRequest, "misdirected",
                "This name or address is not known here. Add \(origin.host?.description ?? "it") to web.names, if it is yours.")
        }
        // A link on another page may lead to the page. The API is only for our own page and for programs.
        if facts.kind == .page, facts.isForeign, facts.path.hasPrefix("/api/") { throw Self.foreign }
        let isPicture = facts.path.hasPrefix("/api/v1/artwork/") || facts.path == "/api/v1/media/picture"
        let budget = BudgetKind(kind: facts.kind, isPicture: isPicture, isForeign: facts.isForeign)
        if let client = origin.client, !self.budgets[budget, default: RequestBudget()].take(client, now: now) {
            throw .rateLimited("Too many requests.", retryAfter: .seconds(1))
        }
        guard facts.isSafe || facts.kind == .page && (facts.method == .post || facts.method == .delete) else {
            let allowed = facts.kind == .page ? "GET, HEAD, POST, DELETE" : "GET, HEAD"
            throw WebError(.methodNotAllowed, "method_not_allowed", "This method has no meaning here.", headers: [.allow: allowed])
        }
        guard facts.kind == .page else { return Caller(origin: origin) }
        let caller = try self.caller(facts, origin, now)
        if !facts.isSafe { try self.checkChange(facts, origin, caller) }
        if Self.needsRole(facts.path), caller.role == nil { throw .loginRequired }
        return caller
    }

    private static let foreign = WebError.forbidden("Another page asked the browser for this.")

    /// Signs a browser in.
    /// - Returns: the session id for the cookie, and the caller of all further requests.
    mutating func signIn(_ role: WebRole, origin: RequestOrigin, now: Duration) -> (id: String, caller: Caller) {
        let id = RandomText.make()
        let digest = RandomText.digest(id)
        self.sessions.add(digest, role: role, client: origin.client?.household, now: now)
        return (id, self.caller(.session(digest), role, origin))
    }

    mutating func signOut(_ caller: Caller) {
        if case .session(let digest) = caller.identity { self.sessions.remove(digest) }
    }

    /// Returns whether the session or the token of a caller is still valid. Does not extend the session.
    func isAdmitted(_ caller: Caller, now: Duration) -> Bool {
        switch caller.identity {
        case .session(let digest): self.sessions.holds(digest, now: now)
        case .token(let name):
            (self.options.tokens + (self.setupCode.map { [$0] } ?? [])).contains { $0.name == name && $0.role == caller.role }
        case .anonymous, .local, .ingress, .control: true
        }
    }

    /// Whether callers without a session or a token have a role.
    func isOpen(to origin: RequestOrigin) -> Bool { origin.isIngress }

    /// Whether a caller signs in with the setup code instead of a password.
    func takesSetupCode(_ origin: RequestOrigin) -> Bool { self.setupCode != nil && self.isLocal(origin) }

    /// Whether a caller may choose the first password with the setup code. Other machines may do nothing else before.
    func takesFirstPassword(_ origin: RequestOrigin) -> Bool {
        self.setupCode != nil && !origin.isFromProxy && !origin.isForwardedByStranger
    }

    /// Checks what a caller without a password to give has given. The right code is never delayed.
    /// - Parameter isFirstPassword: whether the caller chooses the first password; otherwise it signs in, which only this machine may.
    /// - Returns: `nil` when a password is asked for.
    mutating func checkSetupCode(
        _ code: String, origin: RequestOrigin, client: NetworkAddress, now: Duration, isFirstPassword: Bool = false
    ) -> PasswordCheck.Outcome? {
        guard isFirstPassword ? self.takesFirstPassword(origin) : self.takesSetupCode(origin), let setupCode else { return nil }
        if ConstantTime.isEqual(RandomText.digest(code), setupCode.digest) { return .role(setupCode.role) }
        if let delay = self.guesses.delay(client, now: now) { return .wait(delay) }
        self.guesses.failed(client, now: now)
        return .wrong
    }

    /// Whether a path serves state of the home or of the bridge. The page itself contains none, and shows the login.
    private static func needsRole(_ path: String) -> Bool {
        (path.hasPrefix("/api/") && path != Self.sessionPath && path != Self.firstPasswordPath) || path == "/metrics"
    }

    static let sessionPath = "/api/v1/session"
    static let firstPasswordPath = "/api/v1/session/first-password"

    private mutating func caller(_ facts: Facts, _ origin: RequestOrigin, _ now: Duration) throws(WebError) -> Caller {
        if let authorization = facts.headers[.authorization] {
            if let token = self.token(authorization, origin) { return self.caller(.token(token.name), token.role, origin) }
            // A caller that asks for its session learns from the answer that there is none.
            guard facts.path == Self.sessionPath, facts.isSafe else { throw .loginRequired }
            return self.caller(.anonymous, nil, origin)
        }
        if let id = SessionCookie(origin).id(in: facts.headers[.cookie]) {
            let digest = RandomText.digest(id)
            if let role = self.sessions.use(digest, now: now) { return self.caller(.session(digest), role, origin) }
        }
        if origin.isIngress { return self.caller(.ingress, self.options.ingressRole, origin) }
        if facts.path == "/metrics", self.isLocal(origin) { return self.caller(.local, .view, origin) }
        return self.caller(.anonymous, nil, origin)
    }

    /// A request that was forwarded by a proxy may come from anywhere, even if the proxy runs on this machine.
    private func isLocal(_ origin: RequestOrigin) -> Bool {
        self.options.passwords.isEmpty && !origin.isFromProxy && !origin.isForwardedByStranger && origin.client?.isLoopback == true
    }

    private func caller(_ identity: Caller.Identity, _ role: WebRole?, _ origin: RequestOrigin) -> Caller {
        Caller(identity: identity, role: role, csrfToken: self.csrfToken(identity), origin: origin)
    }

    /// Compares with every token, so that the duration does not depend on how many match.
    private func token(_ authorization: String, _ origin: RequestOrigin) -> AccessToken? {
        let scheme = "bearer "
        guard authorization.utf8.count <= 512, authorization.lowercased().hasPrefix(scheme) else { return nil }
        let digest = RandomText.digest(authorization.dropFirst(scheme.count).trimmed)
        var found: AccessToken?
        let own = self.isLocal(origin) ? self.setupCode.map { [$0] } ?? [] : []
        for token in self.options.tokens + own where ConstantTime.isEqual(token.digest, digest) { found = token }
        return found
    }

    private func csrfToken(_ identity: Caller.Identity) -> String? {
        let text: [UInt8]
        switch identity {
        case .anonymous, .token, .control: return nil
        case .local: text = Array("local".utf8)
        case .ingress: text = Array("ingress".utf8)
        case .session(let digest): text = Array("session ".utf8) + digest
        }
        return HexadecimalText.of(HMAC<SHA256>.authenticationCode(for: text, using: self.key))
    }

    /// Returns whether a change was requested by our own page, or by a program with a token: browsers also send cookies with requests of
    /// other pages.
    private func checkChange(_ facts: Facts, _ origin: RequestOrigin, _ caller: Caller) throws(WebError) {
        var isProgram = false
        if case .token = caller.identity { isProgram = true }
        if let site = facts.headers[.secFetchSite], site != "same-origin" {
            throw Self.foreign
        }
        if let text = facts.headers[.origin] {
            guard origin.isSame(as: text) else {
                throw .forbidden(
                    "The page that asked for this has another address. Behind a proxy, pass on X-Forwarded-Proto and X-Forwarded-Host "
                        + "and set web.trusted_proxies.")
            }
        } else if !isProgram {
            throw .forbidden("The header Origin is missing. Programs send a token in the header Authorization.")
        }
        let type = facts.headers[.contentType]?.split(separator: ";").first.map { $0.trimmed.lowercased() }
        if facts.path != UploadRoute.path, facts.hasBody || (facts.method == .post && !isProgram), type != "application/json" {
            throw WebError(.unsupportedMediaType, "unsupported_media_type", "The header Content-Type must be application/json.")
        }
        // A caller that signs in has no token yet; the checks above apply to it.
        guard !isProgram, caller.role != nil, facts.path != Self.sessionPath || facts.method == .delete else { return }
        guard let expected = caller.csrfToken, let token = facts.headers[.csrfToken],
            ConstantTime.isEqual(Array(token.utf8), Array(expected.utf8))
        else { throw .forbidden("The header X-CSRF-Token is missing or of another session; GET api/v1/session has it.") }
    }
}

import BridgeCore
import CastModels
import HTTPTypes
import Hummingbird
import NIOCore

/// `settings/passwords` and `settings/tokens`: what opens the page and its API. The settings hold only hashes, so these routes make them.
struct CredentialRoutes: Sendable {
    let access: AccessControl
    let settings: any SettingsAccess

    func add(to router: Router<DashboardContext>) {
        let group = router.group(RouterPath("\(DashboardAPI.root)/settings"))
        group.post("/passwords/:key") { request, context in
            try context.require(.admin)
            guard let role = WebRole(rawValue: try context.parameters.require("key")) else { throw WebError.notFound }
            return try await self.setPassword(of: role, try await Self.body(request), by: context.caller)
        }
        group.get("/tokens", for: .admin) { _, _ in
            .json(["tokens": .array(self.access.tokens.map { ["name": .string($0.name), "role": .string($0.role.rawValue)] })])
        }
        group.post("/tokens") { request, context in
            try context.require(.admin)
            return try await self.makeToken(try await Self.body(request))
        }
        group.delete("/tokens/:key") { _, context in
            try context.require(.admin)
            let name = try context.parameters.require("key").percentDecoded
            guard self.access.tokens.contains(where: { $0.name == name }) else { throw WebError.notFound }
            // Without a password the setup code opens the page.
            if self.access.hasPassword, !self.access.hasAdmin(without: name) { try Self.requireOtherWay(context.caller) }
            try await self.keep("web.tokens", Self.list(self.access.tokens.filter { $0.name != name }))
            guard !self.access.tokens.contains(where: { $0.name == name }) else { throw Self.fixed("The token") }
            return Response(status: .noContent)
        }
    }

    /// `null` takes the password of a role away; that of `admin` can only be replaced.
    private func setPassword(of role: WebRole, _ body: JSONValue, by caller: Caller) async throws -> Response {
        let password = body["password"]?.stringValue
        guard password.map({ PasswordHash.lengths.contains($0.utf8.count) }) ?? (role != .admin && body["password"] == .null) else {
            throw Self.wrong("The body must be {\"password\":\"…\"}, with a password of \(PasswordHash.lengths.lowerBound) bytes or more.")
        }
        // The first password of any role ends the setup code.
        if role != .admin, password != nil, !self.access.hasAdmin() { try Self.requireOtherWay(caller) }
        // It takes 16 MiB, which may not be there.
        guard let hash = try? password.map({ try PasswordHash.make($0) }) else {
            if password == nil { return try await self.keepPassword(nil, of: role) }
            throw WebError.rateLimited("There is not enough memory for it now.", retryAfter: .seconds(10))
        }
        return try await self.keepPassword(.string(hash.text), of: role)
    }

    private func keepPassword(_ hash: JSONValue?, of role: WebRole) async throws(WebError) -> Response {
        try await self.keep("web.passwords.\(role.rawValue)", hash)
        guard hash != nil || !self.access.hasPassword(of: role) else { throw Self.fixed("The password") }
        return Response(status: .noContent)
    }

    /// The answer is the only place that ever has the token.
    private func makeToken(_ body: JSONValue) async throws -> Response {
        let text = "c2m_\(RandomText.make())"
        guard let name = body["name"]?.stringValue, let role = body["role"]?.stringValue.flatMap({ WebRole(rawValue: $0) }),
            let token = AccessToken(name: name, role: role, digest: RandomText.digest(text))
        else { throw Self.wrong("The body must be {\"name\":\"…\",\"role\":\"view, control or admin\"}.") }
        try await self.keep("web.tokens", Self.list(self.access.tokens + [token]))
        return .json(["token": .string(text)], status: .created)
    }

    private static func list(_ tokens: [AccessToken]) -> JSONValue? {
        let list = tokens.map { token -> JSONValue in
            ["name": .string(token.name), "role": .string(token.role.rawValue), "hash": .string(HexadecimalText.of(token.digest))]
        }
        return list.isEmpty ? nil : .array(list)
    }

    /// - Parameter value: formed when no other change is under way.
    private func keep(_ key: String, _ value: @autoclosure @escaping @Sendable () -> JSONValue?) async throws(WebError) {
        do throws(SettingsRefusal) { _ = try await self.settings.change([(key, value())], triesBroker: false) } catch {
            throw Self.wrong(error.message)
        }
    }

    /// Throws unless the caller comes by a way that needs neither a password nor a token, and so stays an administrator.
    private static func requireOtherWay(_ caller: Caller) throws(WebError) {
        guard caller.identity == .ingress || caller.identity == .control else {
            throw self.wrong("Choose the password of admin first. Without it nobody could change settings on the page any more.")
        }
    }

    private static func body(_ request: Request) async throws -> JSONValue {
        (try? JSONParser.parse(Array(try await request.body.collect(upTo: 16_384).readableBytesView))) ?? .null
    }

    private static func fixed(_ what: String) -> WebError {
        self.wrong("\(what) is set in the configuration file or the environment. Remove it there.")
    }

    private static func wrong(_ message: String) -> WebError { WebError(.badRequest, "bad_payload", message) }
}

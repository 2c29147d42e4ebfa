import BridgeCore
import CastModels
import HTTPTypes
import Hummingbird
import LogKeys
import Logging

/// The routes of `api/v1/session`: report the caller, sign in, sign out, choose the first password.
struct SessionRoutes: Sendable {
    let access: AccessControl
    let instance: String
    let version: String
    /// Keeps the first password; `nil` has no route for it.
    let settings: (any SettingsAccess)?
    let logger: Logger

    /// The longest password, in bytes; longer ones are refused without a check.
    private static let maximumPasswordBytes = 1024

    func add(to router: Router<DashboardContext>) {
        let path = RouterPath(AccessPolicy.sessionPath)
        router.get(path) { _, context in self.answer(context.caller) }
        router.post(path) { request, context in try await self.signIn(request, context) }
        router.delete(path) { _, context in
            self.access.signOut(context.caller)
            return Response(status: .noContent, headers: [.setCookie: SessionCookie(context.caller.origin).removal])
        }
        guard let settings else { return }
        CredentialRoutes(access: self.access, settings: settings).add(to: router)
        router.post(RouterPath(AccessPolicy.firstPasswordPath)) { request, context in
            try await self.chooseFirstPassword(request, context, settings)
        }
    }

    /// Keeps a password that the owner of the setup code chooses; who is signed in with it need not say it again. The caller then signs in
    /// with the password.
    private func chooseFirstPassword(_ request: Request, _ context: DashboardContext, _ settings: any SettingsAccess) async throws
        -> Response
    {
        let body = try await request.body.collect(upTo: 16_384)
        guard let value = try? JSONParser.parse(Array(body.readableBytesView)),
            let code = value["code"]?.stringValue ?? (context.caller.role == .admin ? "" : nil),
            let password = value["password"]?.stringValue, PasswordHash.lengths.contains(password.utf8.count)
        else {
            throw WebError(
                .badRequest, "bad_payload",
                "The body must be {\"code\":\"…\",\"password\":\"…\"}, with a password of \(PasswordHash.lengths.lowerBound) bytes or more."
            )
        }
        let origin = context.caller.origin
        guard let client = origin.client else { throw WebError.forbidden("The address of the client is not known.") }
        guard self.access.takesFirstPassword(origin) else {
            throw WebError.forbidden("There is a password already, or the page was opened through a proxy.")
        }
        if context.caller.role != .admin {
            _ = try self.role(self.access.checkSetupCode(code, origin: origin, from: client) ?? .wrong, "setup code", client)
        }
        // It takes 16 MiB, which may not be there.
        guard let hash = try? PasswordHash.make(password) else {
            throw WebError.rateLimited("There is not enough memory for it now.", retryAfter: .seconds(10))
        }
        do throws(SettingsRefusal) {
            _ = try await settings.change([("web.passwords.admin", .string(hash.text))], triesBroker: false)
        } catch {
            throw WebError(.badRequest, "bad_payload", error.message)
        }
        self.logger.notice("first password of the web page chosen", metadata: [.client: "\(client)"])
        return Response(status: .noContent)
    }

    private func signIn(_ request: Request, _ context: DashboardContext) async throws -> Response {
        let body = try await request.body.collect(upTo: 16_384)
        guard let value = try? JSONParser.parse(Array(body.readableBytesView)), let password = value["password"]?.stringValue,
            (1...Self.maximumPasswordBytes).contains(password.utf8.count)
        else { throw WebError(.badRequest, "bad_payload", "The body must be {\"password\":\"…\"}.") }
        let origin = context.caller.origin
        guard let client = origin.client else { throw WebError.forbidden("The address of the client is not known.") }
        let secret = self.access.takesSetupCode(origin) ? "setup code" : "password"
        let role = try self.role(await self.access.check(password, origin: origin, from: client), secret, client)
        let (id, caller) = self.access.signIn(role, origin: origin)
        self.access.signOut(context.caller)
        self.logger.info("browser signed in", metadata: [.client: "\(client)", .role: "\(role.rawValue)"])
        var response = self.answer(caller)
        response.headers[.setCookie] = SessionCookie(origin).header(id)
        return response
    }

    /// Returns the role that a password or code opens; throws the refusal of a wrong one.
    private func role(_ outcome: PasswordCheck.Outcome, _ secret: String, _ client: NetworkAddress) throws(WebError) -> WebRole {
        switch outcome {
        case .role(let role): return role
        case .wrong:
            self.logger.warning("wrong password for the web page", metadata: [.client: "\(client)"])
            throw WebError(.unauthorized, "wrong_password", "The \(secret) is wrong.")
        case .wait(let delay): throw WebError.rateLimited("Too many wrong passwords.", retryAfter: delay)
        case .busy: throw WebError.rateLimited("Too many browsers are signing in.", retryAfter: .seconds(2))
        }
    }

    private func answer(_ caller: Caller) -> Response {
        .json(
            .object(
                JSONObject([
                    ("login_required", .bool(!self.access.isOpen(to: caller.origin))),
                    ("setup_code", .bool(self.access.takesSetupCode(caller.origin))),
                    ("first_password", .bool(self.settings != nil && self.access.takesFirstPassword(caller.origin))),
                    ("signed_in", .bool(caller.role != nil)),
                    ("role", caller.role.map { .string($0.rawValue) } ?? .null),
                    ("csrf", caller.csrfToken.map { .string($0) } ?? .null),
                    ("instance", .string(self.instance)),
                    ("version", .string(self.version)),
                ])))
    }
}

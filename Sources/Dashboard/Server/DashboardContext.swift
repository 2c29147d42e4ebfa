import BridgeCore
import Hummingbird
import NIOCore

/// What the server knows about a request beside the request itself.
package struct DashboardContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    package let channel: any Channel
    /// The caller. Set before any route handles the request.
    package var caller = Caller()
    /// Returns whether the caller is still valid, for answers of long duration: a session ends when it is signed out or expires. Does not
    /// extend it.
    var isStillAdmitted: @Sendable () -> Bool = { true }

    package init(source: ApplicationRequestContextSource) {
        self.coreContext = CoreRequestContextStorage(source: source)
        self.channel = source.channel
    }

    /// - Throws: `login_required` for a caller without a role, `forbidden` for one whose role is too low.
    package func require(_ role: WebRole) throws(WebError) {
        guard let own = self.caller.role else { throw .loginRequired }
        guard own >= role else { throw .forbidden("This needs the role \(role.rawValue); you have \(own.rawValue).") }
    }
}

extension RouterGroup<DashboardContext> {
    /// Adds a route for callers with at least this role.
    func get(
        _ path: RouterPath, for role: WebRole, use handler: @escaping @Sendable (Request, DashboardContext) async throws -> Response
    ) {
        self.get(path) { request, context in
            try context.require(role)
            return try await handler(request, context)
        }
    }
}

/// The caller of a request, as far as the server knows it.
package struct Caller: Sendable {
    /// How the caller was recognised.
    package enum Identity: Sendable, Hashable {
        case anonymous
        /// Without a login on this machine, where the metrics may be read while no password is configured.
        case local
        /// Over the control socket.
        case control
        /// Signed in to Home Assistant, which forwarded the request.
        case ingress
        /// By the cookie of a session; contains the SHA-256 of its id.
        case session([UInt8])
        /// By the token of this name.
        case token(String)
    }

    package var identity = Identity.anonymous
    /// `nil` may only sign in.
    package var role: WebRole?
    /// The value of `X-CSRF-Token` that requests with a change must send; `nil` for callers with a token, and for those without a role.
    package var csrfToken: String?
    package var origin = RequestOrigin()

    /// The key of the limits that apply to this caller: the session or token, otherwise the client's address.
    package var limitKey: String {
        switch self.identity {
        case .session(let digest): "session \(HexadecimalText.of(digest))"
        case .token(let name): "token \(name)"
        case .control: "control socket"
        case .anonymous, .local, .ingress: "address \(self.origin.client?.household.description ?? "")"
        }
    }
}

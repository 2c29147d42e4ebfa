import BridgeCore
import Hummingbird
import NIOCore

/// What is known of a request beside the request itself.
package struct DashboardContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    package let channel: any Channel
    /// Who sent it. Set before any route sees the request.
    package var caller = Caller()
    /// Whether the caller is still who it was, for answers that go on: a session ends by signing out and by time. Renews nothing.
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

/// Who sent a request, as far as the server knows.
package struct Caller: Sendable {
    /// How the caller was recognised.
    package enum Identity: Sendable, Hashable {
        case anonymous
        /// On this machine, while no password is configured.
        case local
        /// Signed in to Home Assistant, which passed the request on.
        case ingress
        /// By the cookie of a session; the SHA-256 of its id.
        case session([UInt8])
        /// By the token of this name.
        case token(String)
    }

    package var identity = Identity.anonymous
    /// `nil` may do nothing but sign in.
    package var role: WebRole?
    /// What requests that change something must send in `X-CSRF-Token`; `nil` for callers with a token, and without a role.
    package var csrfToken: String?
    package var origin = RequestOrigin()

    package init() {}

    /// Who shares a limit with this caller: the session or token, else the client's address.
    package var limitKey: String {
        switch self.identity {
        case .session(let digest): "session \(HexadecimalText.of(digest))"
        case .token(let name): "token \(name)"
        case .anonymous, .local, .ingress: "address \(self.origin.client?.household.description ?? "")"
        }
    }
}

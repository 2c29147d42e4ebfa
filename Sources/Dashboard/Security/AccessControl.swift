import BridgeCore
import Synchronization

/// The access policy of a server and its state, shared by all connections.
final class AccessControl: Sendable {
    private let policy: Mutex<AccessPolicy>
    private let passwords: PasswordCheck
    private let now: @Sendable () -> Duration

    /// - Parameter now: reads a monotonic clock.
    init(_ options: WebOptions, setupCode: String? = nil, machineNames: [HostName] = [], now: @escaping @Sendable () -> Duration) {
        self.policy = Mutex(AccessPolicy(options, setupCode: setupCode, machineNames: machineNames))
        self.passwords = PasswordCheck(options.passwords, now: now)
        self.now = now
    }

    func origin(of facts: AccessPolicy.Facts) -> RequestOrigin { self.policy.withLock { $0.origin(of: facts) } }

    func admit(_ facts: AccessPolicy.Facts, origin: RequestOrigin) throws(WebError) -> Caller {
        try self.policy.withLock { policy throws(WebError) in try policy.admit(facts, origin: origin, now: self.now()) }
    }

    var tokens: [AccessToken] { self.policy.withLock { $0.tokens } }

    var hasPassword: Bool { self.policy.withLock { $0.hasPassword } }

    func hasAdmin(without token: String? = nil) -> Bool { self.policy.withLock { $0.hasAdmin(without: token) } }

    func hasPassword(of role: WebRole) -> Bool { self.policy.withLock { $0.hasPassword(of: role) } }

    func isOpen(to origin: RequestOrigin) -> Bool { self.policy.withLock { $0.isOpen(to: origin) } }

    func takesSetupCode(_ origin: RequestOrigin) -> Bool { self.policy.withLock { $0.takesSetupCode(origin) } }

    func takesFirstPassword(_ origin: RequestOrigin) -> Bool { self.policy.withLock { $0.takesFirstPassword(origin) } }

    /// Checks the setup code of a caller who chooses the first password; `nil` when there is one already, or this caller may not.
    func checkSetupCode(_ code: String, origin: RequestOrigin, from client: NetworkAddress) -> PasswordCheck.Outcome? {
        self.policy.withLock { $0.checkSetupCode(code, origin: origin, client: client, now: self.now(), isFirstPassword: true) }
    }

    /// - Parameter password: the password or, while there is none, the setup code.
    func check(_ password: String, origin: RequestOrigin, from client: NetworkAddress) async -> PasswordCheck.Outcome {
        let outcome = self.policy.withLock { $0.checkSetupCode(password, origin: origin, client: client, now: self.now()) }
        if let outcome { return outcome }
        let generation = self.policy.withLock { $0.passwordGeneration }
        let answer = await self.passwords.run(password, from: client)
        return self.policy.withLock { $0.passwordGeneration } == generation ? answer : .busy
    }

    func signIn(_ role: WebRole, origin: RequestOrigin) -> (id: String, caller: Caller) {
        self.policy.withLock { $0.signIn(role, origin: origin, now: self.now()) }
    }

    func signOut(_ caller: Caller) { self.policy.withLock { $0.signOut(caller) } }

    /// Returns whether a caller that was admitted would be admitted again. Does not extend its session.
    func isAdmitted(_ caller: Caller) -> Bool { self.policy.withLock { $0.isAdmitted(caller, now: self.now()) } }

    /// Takes other passwords, tokens and names of the page. Other passwords end the sessions of browsers.
    func apply(_ options: WebOptions) {
        self.passwords.apply(options.passwords)
        self.policy.withLock { $0.apply(options) }
    }

    /// Ends the thread that compares passwords.
    func end() async { await self.passwords.end() }
}

import NIOCore
import NIOSSL
import NetworkReach

/// Fetches web addresses that a user or a device named, with limits on bytes and time, and only from addresses that a policy allows.
///
/// The host's name is resolved once, here, and the connection uses exactly the checked address; a name that resolves differently later (DNS
/// rebinding) has no effect. Each fetch uses a separate HTTP/1.1 connection without cookies, cache or redirects.
package struct HTTPFetcher: Sendable {
    package typealias Resolve = @Sendable (_ host: String, _ port: UInt16) async -> NumericAddress.Answer

    private static let resolver = HostResolver(
        threadName: "fetch-resolve", threadLimit: 4, waiterLimit: 64, patience: .seconds(30), now: { Self.start.duration(to: .now) }
    ) { host, port in
        NumericAddress.resolve(host, port: port, isConfigured: true)
    }
    private static let start = ContinuousClock.now

    let group: any EventLoopGroup
    private let policy: AddressPolicy
    private let trustRoots: NIOSSLTrustRoots
    private let resolve: Resolve

    /// - Parameters:
    ///   - group: the event loops of the connections.
    ///   - policy: the allowed addresses.
    ///   - trustRoots: the trusted certificate authorities.
    ///   - resolve: for tests; otherwise the system's resolver on separate threads.
    package init(
        group: any EventLoopGroup, policy: AddressPolicy, trustRoots: NIOSSLTrustRoots = .default,
        resolve: @escaping Resolve = HTTPFetcher.systemResolve
    ) {
        self.group = group
        self.policy = policy
        self.trustRoots = trustRoots
        self.resolve = resolve
    }

    @Sendable
    package static func systemResolve(_ host: String, _ port: UInt16) async -> NumericAddress.Answer {
        await withCheckedContinuation { continuation in
            Self.resolver.resolve(host, port: port) { continuation.resume(returning: $0) }
        }
    }

    /// Sends one request and reads the response up to the request's byte limit. Ends at the time limit, and at once when it is cancelled.
    package func fetch(_ request: HTTPFetchRequest) async throws(HTTPFetchError) -> HTTPFetchResponse {
        guard let target = FetchAddress(request.url) else {
            throw HTTPFetchError(.invalidURL, "not an http or https address with a host")
        }
        let end = ContinuousClock.now + request.timeLimit
        let permitted = try await self.permittedAddresses(of: target, within: request.timeLimit, in: request.scopes)
        do {
            return try await withThrowingTaskGroup(of: HTTPFetchResponse.self) { group in
                group.addTask { try await self.fetch(request, from: target, atOneOf: permitted) }
                group.addTask {
                    try await Task.sleep(until: end, clock: .continuous)
                    throw HTTPFetchError(.timedOut, "no complete answer within \(request.timeLimit)")
                }
                defer { group.cancelAll() }
                // Two tasks were added, so there is a first result.
                guard let response = try await group.next() else { throw HTTPFetchError(.cancelled, "cancelled") }
                return response
            }
        } catch let error as HTTPFetchError {
            throw error
        } catch {
            throw HTTPFetchError(.cancelled, "cancelled")
        }
    }

    /// Fetches, and follows redirects; those of the Internet lead into no private network. The time limit is that of all together.
    /// - Returns: the last response, its address, and the parts of the address space that it may lead to.
    package func follow(
        _ request: HTTPFetchRequest, redirectLimit: Int
    ) async throws(HTTPFetchError) -> (response: HTTPFetchResponse, url: String, scopes: Set<AddressPolicy.Scope>) {
        let end = ContinuousClock.now + request.timeLimit
        var request = request
        for _ in 0...redirectLimit {
            request.timeLimit = max(.milliseconds(1), end - .now)
            let response = try await self.fetch(request)
            // One that was narrowed stays so: a server on the Internet has sent us there.
            let next = AddressPolicy.scopes(afterRedirectFrom: response.address)
            let scopes = request.scopes?.intersection(next) ?? next
            guard response.isRedirect, let location = response.value(of: "Location") else { return (response, request.url, scopes) }
            guard let target = FetchAddress(request.url)?.resolving(location) else {
                throw HTTPFetchError(.invalidAnswer, "redirected to something that is no http or https address")
            }
            (request.url, request.scopes) = (target.text, scopes)
        }
        throw HTTPFetchError(.invalidAnswer, "more than \(redirectLimit) redirects")
    }

    private func fetch(
        _ request: HTTPFetchRequest, from target: FetchAddress, atOneOf permitted: [NumericAddress]
    ) async throws(HTTPFetchError) -> HTTPFetchResponse {
        var last = HTTPFetchError(.unreachable, "no address of \(target.host) could be reached")
        for address in permitted.prefix(4) {
            do throws(HTTPFetchError) {
                return try await self.fetch(request, from: target, at: address)
            } catch {
                // Another address can help only if there was no connection.
                guard error.code == .unreachable else { throw error }
                last = error
            }
        }
        throw last
    }

    /// Returns the addresses of a host that the policy allows; at least one.
    ///
    /// - Parameter scopes: narrow the policy.
    /// - Throws: `nameNotResolved` at the limit as well.
    func permittedAddresses(
        of target: FetchAddress, within limit: Duration, in scopes: Set<AddressPolicy.Scope>? = nil
    ) async throws(HTTPFetchError) -> [NumericAddress] {
        let resolve = self.resolve
        // A lookup cannot be cancelled; the resolver limits the number of running ones.
        let lookup = await FirstAnswer<Lookup>.of(within: limit, late: .late, cancelled: .cancelled) {
            .answer(await resolve(target.host, target.port))
        }
        let addresses: [NumericAddress]
        switch lookup {
        case .answer(.success(let found)): addresses = found
        case .answer(.failure(let failure)): throw HTTPFetchError(.nameNotResolved, failure.detail)
        case .cancelled: throw HTTPFetchError(.cancelled, "cancelled")
        case .late:
            var error = HTTPFetchError(.nameNotResolved, "\(target.host): no answer within \(limit)")
            error.isLookupLate = true
            throw error
        }
        let permitted = addresses.filter { self.policy.allows($0) && scopes?.contains(AddressPolicy.scope(of: $0)) != false }
        guard !permitted.isEmpty else {
            throw HTTPFetchError(.addressRefused, "\(target.host) is an address that is not fetched from", address: addresses.first)
        }
        return permitted
    }

    private enum Lookup: Sendable {
        case answer(NumericAddress.Answer)
        case late, cancelled
    }

    private func fetch(
        _ request: HTTPFetchRequest, from target: FetchAddress, at address: NumericAddress
    ) async throws(HTTPFetchError) -> HTTPFetchResponse {
        do {
            let context = target.isSecure ? try self.tlsContext() : nil
            let head = request.head(for: target, at: address)
            let result = self.group.any().makePromise(of: HTTPExchange.Response.self)
            let response = try await FetchConnection.open(to: address, limit: TimeAmount(request.connectLimit), result: result) { channel in
                let tls = try context.map { try NIOSSLClientHandler(context: $0, serverHostname: target.serverName) }
                try HTTPExchange(head, limits: request, result: result).install(on: channel, tls: tls)
            }
            return HTTPFetchResponse(
                status: Int(response.head.status.code), headers: response.head.headers.map { HTTPFetchRequest.Header($0.name, $0.value) },
                body: response.body, isCut: response.isCut, address: address)
        } catch {
            throw HTTPFetchError(error, host: target.host, address: address)
        }
    }

    /// Reads the system's certificate authorities, which takes some milliseconds.
    private func tlsContext() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = self.trustRoots
        configuration.applicationProtocols = ["http/1.1"]
        return try NIOSSLContext(configuration: configuration)
    }
}

import HTTPTypes
import Hummingbird
import LogKeys
import Logging
import NIOCore
import NIOHTTP1

/// Runs before every route: admits requests by the access policy, reads the body within its limit, and turns errors into answers.
struct AccessMiddleware: MiddlewareProtocol {
    typealias Input = Request
    typealias Output = Response
    typealias Context = DashboardContext

    let access: AccessControl
    let kind: AccessPolicy.Kind
    let isTLS: Bool
    let headers: SecurityHeaders
    let logger: Logger

    static let bodyLimit = 64 << 10
    /// The limit of commands over MQTT.
    static let queueLoadLimit = 256 << 10

    func handle(
        _ input: Request, context: DashboardContext, next: (Request, DashboardContext) async throws -> Response
    ) async throws -> Response {
        let channel = context.channel
        let facts = AccessPolicy.Facts(
            method: input.method, path: input.uri.path, authority: input.head.authority, headers: input.headers,
            connection: .init(
                peer: channel.remoteAddress?.networkAddress, local: channel.localAddress?.networkAddress,
                localPort: channel.localAddress?.port ?? 0, isTLS: self.isTLS),
            kind: self.kind)
        let origin = self.access.origin(of: facts)
        var response: Response
        do {
            response = try await self.answer(input, facts, origin, context, next)
        } catch let error as WebError {
            response = error.response
            // The remaining body is not read.
            if facts.hasBody { response.headers[.connection] = "close" }
        } catch let error as HTTPError {
            response = Self.webError(error).response
        } catch let error where !(error is HTTPParserError || error is CancellationError) {
            // Otherwise the server of the library would answer, without the security headers.
            self.logger.error("web request failed", metadata: [.error: "\(type(of: error))"])
            response = WebError.internal.response
            if facts.hasBody { response.headers[.connection] = "close" }
        }
        let isSecureContext = origin.isSecure || origin.client?.isLoopback == true && !origin.isForwardedByStranger
        self.headers.add(to: &response.headers, path: facts.path, origin: origin, isSecureContext: isSecureContext)
        return response
    }

    private func answer(
        _ request: Request, _ facts: AccessPolicy.Facts, _ origin: RequestOrigin, _ context: DashboardContext,
        _ next: (Request, DashboardContext) async throws -> Response
    ) async throws -> Response {
        var (request, context) = (request, context)
        let caller = try self.access.admit(facts, origin: origin)
        context.caller = caller
        context.isStillAdmitted = { [access = self.access] in access.isAdmitted(caller) }
        // The body of an upload is read by its route, piece by piece.
        if facts.hasBody, facts.path != UploadRoute.path {
            let isQueue = facts.path.hasSuffix("/cmd/queue_load") && context.caller.role != nil
            let limit = isQueue ? Self.queueLoadLimit : Self.bodyLimit
            if let length = facts.headers[.contentLength].flatMap({ Int($0) }), length > limit { throw WebError.tooLarge }
            if facts.headers[.expect]?.lowercased() == "100-continue" {
                context.channel.triggerUserOutboundEvent(RequestHeadHandler.BodyWanted(), promise: nil)
            }
            do {
                _ = try await request.collectBody(upTo: limit)
            } catch is NIOTooManyBytesError {
                throw WebError.tooLarge
            }
            context.channel.triggerUserOutboundEvent(ConnectionClock.Event.bodyRead, promise: nil)
        }
        return try await next(request, context)
    }

    /// Returns an error of the router or of a route in the form of our errors.
    private static func webError(_ error: HTTPError) -> WebError {
        switch error.status {
        case .notFound: .notFound
        case .contentTooLarge: .tooLarge
        default: WebError(error.status, "bad_request", error.body ?? error.status.reasonPhrase)
        }
    }
}

import BridgeCore
import Hummingbird
import HummingbirdCore
import LogKeys
import Logging
import NIOCore
import NIOHTTP1

/// Passes one request from a connection to the routes, and the answer back.
struct RequestResponder<Responder: HTTPResponder>: Sendable where Responder.Context == DashboardContext {
    let responder: Responder
    let measurements: WebMeasurements
    let logger: Logger

    @Sendable func respond(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
        let begin = ContinuousClock.now
        let hasBody = request.headers[.transferEncoding] != nil || request.headers[.contentLength].map { $0 != "0" } ?? false
        channel.triggerUserOutboundEvent(ConnectionClock.Event.requestBegan(hasBody: hasBody), promise: nil)
        let context = DashboardContext(source: ApplicationRequestContextSource(channel: channel, logger: self.logger))
        var response: Response
        do {
            response = try await self.responder.respond(to: request, context: context)
        } catch let error as HTTPParserError {
            throw error
        } catch {
            // The server of the library answers and closes the connection only for its own errors; any other error is a bug of ours.
            if !(error is CancellationError) { self.logger.error("web request failed", metadata: [.error: "\(type(of: error))"]) }
            response = WebError.internal.response
        }
        // Otherwise the client would read the body as the next answer. The router omits it only in answers of routes.
        if request.method == .head { response = response.createHeadResponse() }
        response.headers[.date] = HTTPDate.now
        let isLast = response.headers[.connection] == "close" || request.headers[.connection] == "close"
        if isLast { response.headers[.connection] = "close" }
        let isStream = response.headers[.contentType]?.hasPrefix("text/event-stream") == true
        channel.triggerUserOutboundEvent(ConnectionClock.Event.answering(isStream: isStream), promise: nil)
        try await writer.write(response: response.head, body: response.body)
        self.measurements.answered(status: response.status.code, elapsed: isStream ? nil : ContinuousClock.now - begin)
        guard isLast else { return channel.triggerUserOutboundEvent(ConnectionClock.Event.answered, promise: nil) }
        channel.triggerUserOutboundEvent(ConnectionClock.Event.closing, promise: nil)
        channel.close(mode: .output, promise: nil)
    }
}

import Glibc
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

/// The time in the format of HTTP (RFC 9110, 5.6.7).
enum HTTPDate {
    static var now: String { self.text(time(nil)) }

    static func text(_ seconds: time_t) -> String {
        var (seconds, parts) = (seconds, tm())
        gmtime_r(&seconds, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let two = { (number: Int32) in number < 10 ? "0\(number)" : "\(number)" }
        return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}

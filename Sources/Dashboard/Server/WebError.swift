import CastModels
import HTTPTypes
import Hummingbird
import NIOCore

/// A refusal as clients receive it: a status and `{"error":{"code","message"}}`.
package struct WebError: Error, Sendable {
    package var status: HTTPResponse.Status
    /// One word for programs.
    package var code: String
    /// A sentence for people, with the remedy if there is one.
    package var message: String
    package var headers: HTTPFields

    package init(_ status: HTTPResponse.Status, _ code: String, _ message: String, headers: HTTPFields = [:]) {
        (self.status, self.code, self.message, self.headers) = (status, code, message, headers)
    }

    package static let loginRequired = WebError(
        .unauthorized, "login_required", "Sign in, or send a token in the header Authorization.", headers: [.wwwAuthenticate: "Bearer"])
    package static let notFound = WebError(.notFound, "not_found", "There is nothing at this address.")
    package static let tooLarge = WebError(.contentTooLarge, "too_large", "The body is larger than this address takes.")

    package static let `internal` = WebError(.internalServerError, "internal", "The request failed inside the bridge.")

    package static func forbidden(_ message: String) -> WebError { WebError(.forbidden, "forbidden", message) }

    /// - Parameter delay: the time after which the request may be repeated.
    package static func rateLimited(_ message: String, retryAfter delay: Duration) -> WebError {
        let seconds = max(1, delay.components.seconds + (delay.components.attoseconds > 0 ? 1 : 0))
        return WebError(.tooManyRequests, "rate_limited", message, headers: [.retryAfter: "\(seconds)"])
    }

    /// The body of the answer.
    var json: [UInt8] { JSONWriter.bytes(of: ["error": ["code": .string(self.code), "message": .string(self.message)]]) }

    package var response: Response {
        var response = Response.json(bytes: self.json, status: self.status)
        for field in self.headers { response.headers[field.name] = field.value }
        return response
    }
}

extension Response {
    /// Returns a JSON document that must not be cached.
    package static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        self.json(bytes: JSONWriter.bytes(of: value), status: status)
    }

    package static func json(bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        self.json(ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)), status: status)
    }

    static func json(_ body: ResponseBody, status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"], body: body)
    }
}

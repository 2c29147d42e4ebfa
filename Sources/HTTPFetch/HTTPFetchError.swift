import NetworkReach

/// The reason why a fetch returned no response.
package struct HTTPFetchError: Error, Sendable, Hashable {
    package enum Code: String, Sendable, CaseIterable {
        /// The text is not an http or https address with a host.
        case invalidURL = "invalid_url"
        case nameNotResolved = "name_not_resolved"
        /// The policy refuses every address of the host.
        case addressRefused = "address_refused"
        /// No connection: refused, no route, or no answer within the limit.
        case unreachable
        /// The connection is open and TLS failed: certificate, name or protocol.
        case tlsFailed = "tls_failed"
        /// The server sent no complete response within the limit.
        case timedOut = "timed_out"
        /// The response was not HTTP, or the server closed the connection before it was complete.
        case invalidAnswer = "invalid_answer"
        case cancelled
    }

    package var code: Code
    /// The details, for people and logs, without the query of the address.
    package var detail: String
    /// The address that was tried last; `nil` before a connection was tried.
    package var address: NumericAddress?
    /// With `nameNotResolved`: whether the limit ended the lookup, so that the name may have an address.
    package var isLookupLate = false

    package init(_ code: Code, _ detail: String, address: NumericAddress? = nil) {
        self.code = code
        self.detail = detail
        self.address = address
    }
}

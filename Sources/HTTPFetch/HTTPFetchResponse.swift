import NetworkReach

/// The response to one request. Redirects are not followed: a 3xx is returned like any other response.
package struct HTTPFetchResponse: Sendable, Hashable {
    package var status: Int
    /// The headers in the order of the server.
    package var headers: [HTTPFetchRequest.Header]
    package var body: [UInt8]
    /// Whether the body may be incomplete: the request's `byteLimit` or `bodyLimit` ended it.
    package var isCut: Bool
    /// The address that answered.
    package var address: NumericAddress

    /// Returns all values of a header, joined as RFC 9110 section 5.3 permits; `nil` when it is missing.
    package func value(of name: String) -> String? {
        let values = self.headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    package var isRedirect: Bool { [301, 302, 303, 307, 308].contains(self.status) && self.value(of: "Location") != nil }
}

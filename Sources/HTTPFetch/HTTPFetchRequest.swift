/// One HTTP request with its limits.
package struct HTTPFetchRequest: Sendable, Hashable {
    package struct Header: Sendable, Hashable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// `GET`, `HEAD` or `OPTIONS`.
    package enum Method: String, Sendable { case get = "GET", head = "HEAD", options = "OPTIONS" }

    package var method: Method
    /// The absolute http or https address.
    package var url: String
    package var headers: [Header]
    /// Whether the Host header is the address that is connected to, whatever name `url` has.
    package var namesAddress = false
    /// The largest number of body bytes that are read; the connection is then closed.
    package var byteLimit: Int
    /// The time limit from name resolution to the end of the body.
    package var timeLimit: Duration
    /// The time limit of the connection to each address of the host, TLS included.
    package var connectLimit: Duration
    /// The time after which the body is truncated, which is no error; `nil` waits for its end or another limit.
    package var bodyLimit: Duration?
    /// The parts of the address space that may be connected to, as far as the fetcher's policy allows them; `nil` narrows nothing.
    package var scopes: Set<AddressPolicy.Scope>?

    package init(
        _ method: Method = .get, _ url: String, headers: [Header] = [], byteLimit: Int, timeLimit: Duration = .seconds(10),
        connectLimit: Duration = .seconds(4)
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.byteLimit = byteLimit
        self.timeLimit = timeLimit
        self.connectLimit = connectLimit
    }
}

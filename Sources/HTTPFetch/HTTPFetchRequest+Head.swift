import NIOCore
import NIOHTTP1

extension HTTPFetchRequest {
    /// Returns the head of the request, which asks the server to close the connection after its response.
    func head(for target: FetchAddress) -> HTTPRequestHead {
        var headers = HTTPHeaders([("Host", target.authority)])
        for header in self.headers { headers.add(name: header.name, value: header.value) }
        headers.replaceOrAdd(name: "Connection", value: "close")
        return HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: self.method.rawValue), uri: target.requestTarget, headers: headers)
    }
}

extension FetchAddress {
    /// The name for TLS; `nil` for a numeric address, which is no server name (RFC 6066 section 3).
    var serverName: String? {
        self.host.contains(":") || (try? SocketAddress(ipAddress: self.host, port: 0)) != nil ? nil : self.host
    }
}

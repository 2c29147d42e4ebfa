import NIOCore
import NIOHTTP1
import NetworkReach

extension HTTPFetchRequest {
    /// Returns the head of the request, which asks the server to close the connection after its response.
    func head(for target: FetchAddress, at address: NumericAddress) -> HTTPRequestHead {
        let literal = address.family == .ipv6 ? "[\(address.host.prefix { $0 != "%" })]" : address.host
        var headers = HTTPHeaders([("Host", self.namesAddress ? literal : target.authority)])
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

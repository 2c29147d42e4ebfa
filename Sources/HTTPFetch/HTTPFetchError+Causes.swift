import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NetworkReach

extension HTTPFetchError {
    /// Classifies the errors of HTTP, of TLS and of sockets by their remedy for a user.
    init(_ error: any Error, host: String, address: NumericAddress) {
        let (code, detail) = Self.cause(of: error, host: host, address: address)
        self.init(code, detail, address: address)
    }

    private static func cause(of error: any Error, host: String, address: NumericAddress) -> (Code, String) {
        switch error {
        case let error as HTTPFetchError: (error.code, error.detail)
        case is CancellationError: (.cancelled, "cancelled")
        case let error as NIOSSLError: (.tlsFailed, "TLS with \(host): \(error)")
        case let error as NIOSSLExtraError: (.tlsFailed, "TLS with \(host): \(error.description)")
        case let error as BoringSSLError: (.tlsFailed, "TLS with \(host): \(error)")
        case let error as HTTPParserError: (.invalidAnswer, "\(host) sent no valid HTTP: \(error)")
        case let error as NIOConnectionError:
            (.unreachable, "\(address): \(error.connectionErrors.first.map { Self.reason($0.error) } ?? "no connection")")
        case is ChannelError: (.unreachable, "\(address): no connection within the limit")
        case let error as IOError: (.unreachable, "\(address): \(Self.reason(error))")
        default: (.invalidAnswer, "\(host): \(error)")
        }
    }

    /// Returns the system's reason in words.
    private static func reason(_ error: any Error) -> String {
        (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
    }
}

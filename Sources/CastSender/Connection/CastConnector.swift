import CastModels
import CastTransport
import Glibc
import NIOCore
import NetworkReach

/// Makes the links: TLS over TCP in a program, memory in a test.
public protocol CastConnector: Sendable {
    /// The addresses of a host name, in the order of preference. Numeric addresses never come here.
    ///
    /// - Returns: fails with `networkError` when the name has none.
    func resolve(_ endpoint: DeviceEndpoint, on eventLoop: any EventLoop) -> EventLoopFuture<[SocketAddress]>

    /// Connects, up to the point where the channel reads and writes Cast messages.
    ///
    /// - Parameter timeout: for all of it.
    /// - Returns: a channel on `eventLoop`; fails with `timeout` or `networkError`.
    func connect(to address: SocketAddress, on eventLoop: any EventLoop, timeout: TimeAmount) -> EventLoopFuture<any Channel>
}

/// Connects with TCP and TLS. One serves a whole process, whose links then share one TLS context.
public struct TLSConnector: CastConnector {
    private let bootstrap: CastClientBootstrap
    private let resolver: HostResolver

    /// - Throws: `networkError` when TLS can't be set up at all.
    public init() throws(CastError) {
        self.bootstrap = try CastClientBootstrap()
        self.resolver = HostResolver(threadName: "cast-resolve", threadLimit: 4, waiterLimit: 256) { host, port in
            NumericAddress.resolve(host, port: port, isConfigured: true)
        }
    }

    public func resolve(_ endpoint: DeviceEndpoint, on eventLoop: any EventLoop) -> EventLoopFuture<[SocketAddress]> {
        let promise = eventLoop.makePromise(of: [SocketAddress].self)
        self.resolver.resolve(endpoint.host, port: UInt16(clamping: endpoint.port)) { answer in
            switch answer {
            case .success(let addresses): promise.succeed(addresses.compactMap(SocketAddress.init))
            case .failure(let error): promise.fail(CastError(.networkError, detail: error.detail))
            }
        }
        return promise.futureResult
    }

    public func connect(to address: SocketAddress, on eventLoop: any EventLoop, timeout: TimeAmount) -> EventLoopFuture<any Channel> {
        self.bootstrap.connect(to: address, eventLoop: eventLoop, timeout: timeout)
    }
}

extension DeviceEndpoint {
    /// The address that the host spells out, link-local scope included; `nil` when it is a name. Never blocks.
    var numericAddress: SocketAddress? {
        try? NumericAddress.resolve(self.host, port: UInt16(clamping: self.port), isNumeric: true).get().first.flatMap(SocketAddress.init)
    }
}

extension SocketAddress {
    fileprivate init?(_ address: NumericAddress) {
        let size = address.family == .ipv4 ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
        guard address.bytes.count >= size else { return nil }
        self = address.bytes.withUnsafeBytes { bytes in
            switch address.family {
            case .ipv4: SocketAddress(bytes.loadUnaligned(as: sockaddr_in.self))
            case .ipv6: SocketAddress(bytes.loadUnaligned(as: sockaddr_in6.self))
            }
        }
    }
}

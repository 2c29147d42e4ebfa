import CastModels
import CastTransport
import Glibc
import NIOCore
import NetworkReach

/// Opens links: TLS over TCP in a program, in memory in a test.
public protocol CastConnector: Sendable {
    /// Resolves a host name to addresses, in order of preference. Never called for numeric addresses.
    ///
    /// - Returns: the addresses; fails with `networkError` when the name has none.
    func resolve(_ endpoint: DeviceEndpoint, on eventLoop: any EventLoop) -> EventLoopFuture<[SocketAddress]>

    /// Connects, until the channel reads and writes Cast messages.
    ///
    /// - Parameters:
    ///   - address: the address and port of the device.
    ///   - eventLoop: the event loop of the channel.
    ///   - timeout: the limit for the whole connection setup.
    /// - Returns: a channel on `eventLoop`; fails with `timeout` or `networkError`.
    func connect(to address: SocketAddress, on eventLoop: any EventLoop, timeout: TimeAmount) -> EventLoopFuture<any Channel>
}

/// Connects with TCP and TLS. Use one for a whole process, so that its links share one TLS context.
public struct TLSConnector: CastConnector {
    private let bootstrap: CastClientBootstrap
    private let resolver: HostResolver

    /// - Throws: `networkError` when TLS cannot be set up.
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
    /// The address if the host is numeric, including a link-local scope; `nil` for a name. Never blocks.
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

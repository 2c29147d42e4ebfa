import CastModels
import CastTransport
import NIOCore

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
        self.resolver = HostResolver()
    }

    public func resolve(_ endpoint: DeviceEndpoint, on eventLoop: any EventLoop) -> EventLoopFuture<[SocketAddress]> {
        self.resolver.resolve(endpoint, on: eventLoop)
    }

    public func connect(to address: SocketAddress, on eventLoop: any EventLoop, timeout: TimeAmount) -> EventLoopFuture<any Channel> {
        self.bootstrap.connect(to: address, eventLoop: eventLoop, timeout: timeout)
    }
}

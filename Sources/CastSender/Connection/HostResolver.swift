import CastModels
import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// Looks host names up on threads of its own, since the system's resolver blocks for as long as it likes.
///
/// A name is looked up once at a time: whoever asks meanwhile gets the same answer. So at most `threads` lookups run, and attempts that
/// were given up leave nothing behind but their place in a list of at most `waiterLimit`.
final class HostResolver: Sendable {
    private static let threads = 4
    private static let waiterLimit = 256

    private let pool = NIOThreadPool(numberOfThreads: HostResolver.threads)
    private let waiters = Mutex<[DeviceEndpoint: [EventLoopPromise<[SocketAddress]>]]>([:])

    init() { self.pool.start() }

    deinit { self.pool.shutdownGracefully { _ in } }

    func resolve(_ endpoint: DeviceEndpoint, on eventLoop: any EventLoop) -> EventLoopFuture<[SocketAddress]> {
        let promise = eventLoop.makePromise(of: [SocketAddress].self)
        enum Place { case first, later, none }
        let place = self.waiters.withLock { waiters in
            guard let others = waiters[endpoint] else {
                waiters[endpoint] = [promise]
                return Place.first
            }
            guard others.count < Self.waiterLimit else { return .none }
            waiters[endpoint]?.append(promise)
            return .later
        }
        switch place {
        case .later: break
        case .none: promise.fail(CastError(.networkError, detail: "\(endpoint.host) is being looked up for too many"))
        case .first:
            self.pool.submit { _ in
                let addresses = Self.addresses(of: endpoint, flags: AI_ADDRCONFIG)
                let waiting = self.waiters.withLock { $0.removeValue(forKey: endpoint) } ?? []
                for promise in waiting {
                    if addresses.isEmpty {
                        promise.fail(CastError(.networkError, detail: "the name \(endpoint.host) has no address"))
                    } else {
                        promise.succeed(addresses)
                    }
                }
            }
        }
        return promise.futureResult
    }

    /// The address that `endpoint` spells out, link-local scope included; `nil` when its host is a name. Never blocks.
    static func numericAddress(of endpoint: DeviceEndpoint) -> SocketAddress? {
        self.addresses(of: endpoint, flags: AI_NUMERICHOST).first
    }

    private static func addresses(of endpoint: DeviceEndpoint, flags: Int32) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_flags = flags | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(endpoint.host, String(endpoint.port), &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        while let info = next?.pointee {
            next = info.ai_next
            guard let address = info.ai_addr else { continue }
            // The system says in `ai_family` which of the two structures it has written there.
            switch info.ai_family {
            case AF_INET: addresses.append(SocketAddress(UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)))
            case AF_INET6: addresses.append(SocketAddress(UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)))
            default: continue
            }
        }
        return addresses
    }
}

import CastSender
import Logging
import MulticastDNS
import NIOCore
import NIOPosix
import Synchronization

/// Searches for brokers from which a person may choose: at the usual port of this machine, and those that announce themselves.
struct BrokerSearch {
    /// As `discovery.interfaces`.
    let interfaces: [String]
    /// The service types, and whether they speak TLS.
    private static let types = [("_mqtt._tcp.local", false), ("_secure-mqtt._tcp.local", true)]
    private static let maximumCount = 32

    /// - Returns: each with `name` (as it announces itself; null for this machine), `host` (an address), `port` and `tls`.
    func run(within limit: Duration) async -> [JSONValue] {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let logger = Logger(label: "BrokerSearch") { _ in SwiftLogNoOpLogHandler() }
        let found = Mutex<[JSONValue]>([])
        let browsers = Self.types.map { type, isTLS in
            Browser(
                serviceType: type, interfaces: InterfaceSelection(self.interfaces), eventLoop: group.next(), logger: logger
            ) { change in
                guard case .found(let service) = change, let address = service.addresses.first else { return }
                found.withLock {
                    guard $0.count < Self.maximumCount else { return }
                    $0.append(Self.offer(service.instanceName, "\(address)", Int64(service.port), isTLS: isTLS))
                }
            }
        }
        async let local = Self.isListening(group)
        await withTaskGroup { tasks in
            for browser in browsers { tasks.addTask { try? await browser.run() } }
            try? await Task.sleep(for: limit)
            tasks.cancelAll()
        }
        let own = await local ? [Self.offer(nil, "127.0.0.1", 1883, isTLS: false)] : []
        try? await group.shutdownGracefully()
        return own + found.withLock { $0 }
    }

    /// Returns whether a program listens at the usual port of this machine.
    private static func isListening(_ group: any EventLoopGroup) async -> Bool {
        let bootstrap = ClientBootstrap(group: group).connectTimeout(.seconds(1))
        guard let channel = try? await bootstrap.connect(host: "127.0.0.1", port: 1883).get() else { return false }
        try? await channel.close()
        return true
    }

    private static func offer(_ name: String?, _ host: String, _ port: Int64, isTLS: Bool) -> JSONValue {
        ["name": name.map { .string($0) } ?? .null, "host": .string(host), "port": .integer(port), "tls": .bool(isTLS)]
    }
}

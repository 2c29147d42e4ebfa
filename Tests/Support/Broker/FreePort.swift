import Glibc
import Synchronization

/// Unused ports of 127.0.0.1.
///
/// They lie below the range from which the kernel takes ports of outgoing connections (32 768 and up), so that a server can be ended and
/// started again on its port; none is given out twice by one process.
public enum FreePort {
    public struct Failure: Error {}

    private static let given = Mutex<Set<UInt16>>([])

    public static func tcp() throws -> UInt16 {
        for _ in 0..<1000 {
            let port = UInt16.random(in: 12_000..<32_000)
            if Self.given.withLock({ $0.insert(port).inserted }), Self.canListen(on: port) { return port }
        }
        throw Failure()
    }

    private static func canListen(on port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafeBytes(of: address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { bind(descriptor, $0.baseAddress, socklen_t(bytes.count)) == 0 }
        }
    }
}

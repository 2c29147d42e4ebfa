import Glibc

/// Ports of 127.0.0.1 that nobody listens on.
public enum FreePort {
    public struct Failure: Error {}

    /// Found by the kernel; free until somebody else is given it.
    public static func tcp() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure() }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                bind(descriptor, $0.baseAddress, size) == 0 && getsockname(descriptor, $0.baseAddress, &size) == 0
            }
        }
        guard isBound else { throw Failure() }
        return UInt16(bigEndian: address.sin_port)
    }
}

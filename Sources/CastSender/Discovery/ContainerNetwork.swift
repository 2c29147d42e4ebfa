import Glibc
import MulticastDNS

/// The network that Docker and Podman give to a container: a pair of virtual interfaces whose other end is outside, behind a router.
package enum ContainerNetwork {
    package static var isContainer: Bool { ["/.dockerenv", "/run/.containerenv"].contains { (path: String) in access(path, F_OK) == 0 } }

    /// Returns whether we run in a container and all interfaces are ends of such pairs.
    static func isOnlyWay(_ interfaces: [InterfaceStatus]) -> Bool {
        self.isContainer
            && interfaces.allSatisfy { interface in
                let folder = "/sys/class/net/\(interface.name)"
                guard let index = interface.index, let link = self.text(of: "\(folder)/iflink") else { return false }
                // A VLAN, a macvlan and a wireless interface have a type, and a link of their own to the network.
                return link != "\(index)\n" && self.text(of: "\(folder)/uevent")?.contains("DEVTYPE=") == false
            }
    }

    private static func text(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}

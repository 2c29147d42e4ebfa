import NIOCore

/// The state of one interface, for logs and health reports.
package struct InterfaceStatus: Sendable, Equatable {
    package let name: String
    /// The index; `nil` while a named interface is missing, down or without an address.
    package internal(set) var index: UInt32?
    package internal(set) var addresses: [ServiceAddress] = []
    /// The families whose shared socket on port 5353 is open.
    package internal(set) var families: Set<ServiceAddress.Family> = []
    /// The number of packets from other hosts and from other programs on this one, without our own queries.
    package internal(set) var packetsReceived = 0
    /// The number of packets beyond `Limits.packetsPerSecond`, and of answers from outside the interface's networks.
    package internal(set) var packetsDropped = 0
    package internal(set) var lastReceived: NIODeadline?
    /// Whether the system has passed us what we sent to the group ourselves; `nil` before we sent something. It does so on every interface
    /// unless a firewall drops what arrives there.
    package internal(set) var receivesItself: Bool?
    /// The last error of the system; `nil` again when everything on the interface works.
    package internal(set) var lastError: MulticastDNSError?
}

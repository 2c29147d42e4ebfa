import NIOCore

/// How one interface does, for logs and health reports.
package struct InterfaceStatus: Sendable, Equatable {
    package let name: String
    /// `nil` while a named interface is missing, down or without an address.
    package internal(set) var index: UInt32?
    package internal(set) var addresses: [ServiceAddress] = []
    /// Families whose shared socket on port 5353 is open.
    package internal(set) var families: Set<ServiceAddress.Family> = []
    /// Packets of other hosts, and answers of other programs on this one; our own queries do not count.
    package internal(set) var packetsHeard = 0
    /// Packets beyond `Limits.packetsPerSecond`, and answers from outside the interface's networks.
    package internal(set) var packetsDropped = 0
    package internal(set) var lastHeard: NIODeadline?
    /// The last refusal of the system; `nil` again once everything on the interface works.
    package internal(set) var lastError: MulticastDNSError?
}

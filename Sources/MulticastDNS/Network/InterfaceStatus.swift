import NIOCore

/// How one interface does, for logs and health reports.
public struct InterfaceStatus: Sendable, Equatable {
    public let name: String
    /// `nil` while a named interface is missing, down or without an address.
    public internal(set) var index: UInt32?
    public internal(set) var addresses: [ServiceAddress] = []
    /// Families whose shared socket on port 5353 is open.
    public internal(set) var families: Set<ServiceAddress.Family> = []
    /// Packets of other hosts, and answers of other programs on this one; our own queries do not count.
    public internal(set) var packetsHeard = 0
    /// Packets beyond `Limits.packetsPerSecond`, and answers from outside the interface's networks.
    public internal(set) var packetsDropped = 0
    public internal(set) var lastHeard: NIODeadline?
    /// The last refusal of the system; `nil` again once everything on the interface works.
    public internal(set) var lastError: MulticastDNSError?
}

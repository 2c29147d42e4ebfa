import NIOCore

package struct BrowserStatistics: Sendable, Equatable {
    /// The number of received packets on all interfaces since `run()` began, without our own queries.
    package internal(set) var packetsReceived = 0
    /// The number of packets that were not DNS messages, or were malformed.
    package internal(set) var packetsMalformed = 0
    /// The number of complete services known now.
    package internal(set) var servicesKnown = 0
    /// When a packet was last received on any interface; `nil` before the first.
    package internal(set) var lastReceived: NIODeadline?
    /// The interfaces in use, and the named ones that cannot be used now with the reason in `lastError`.
    package internal(set) var interfaces: [InterfaceStatus] = []
}

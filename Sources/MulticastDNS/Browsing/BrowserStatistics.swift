import NIOCore

/// What a browser has heard so far.
package struct BrowserStatistics: Sendable, Equatable {
    /// Over all interfaces since `run()` began; our own queries do not count.
    package internal(set) var packetsHeard = 0
    /// Packets that were no DNS message, or broke in the middle.
    package internal(set) var packetsMalformed = 0
    /// Complete services known now.
    package internal(set) var servicesKnown = 0
    /// When a packet was last heard on any interface.
    package internal(set) var lastHeard: NIODeadline?
    /// Interfaces in use, and named ones that cannot be used now with the reason in `lastError`.
    package internal(set) var interfaces: [InterfaceStatus] = []
}

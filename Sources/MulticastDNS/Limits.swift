/// Every bound of this module. A peer can fill a table, never grow it past these.
package struct Limits: Sendable, Equatable {
    /// Sets of records, each of one name and type, kept for each interface.
    package var names = 8192
    /// Records of one type kept for one name; the pointers of the browsed type have `services` instead.
    package var recordsPerName = 32
    /// Service instances followed by a browser, and instances announced by an announcer.
    package var services = 2048
    /// Packets taken from one interface in one second; more are dropped and counted.
    package var packetsPerSecond = 2000
    /// Interfaces used at once, in order of their index.
    package var interfaces = 64
    /// Longest life of a record, whatever its TTL says.
    package var maximumTTLSeconds: UInt32 = 86_400
    /// Size of the packets we send; a single larger record travels alone in a larger packet (RFC 6762 section 17).
    package var packetBytes = 1400
    /// Queries with more known answers to come that an announcer keeps waiting.
    package var waitingQueries = 64

    package init() {}

    /// Largest packet taken or sent (RFC 6762 section 17).
    static let largestPacketBytes = 9000
}

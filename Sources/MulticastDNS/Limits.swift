/// The limits of this module. A peer can fill a table, but never exceed them.
package struct Limits: Sendable, Equatable {
    /// The largest number of record sets, each of one name and type, for each interface.
    package var names = 8192
    /// The largest number of records of one type for one name; `services` applies to the pointers of the browsed type.
    package var recordsPerName = 32
    /// The largest number of instances that a browser tracks, and that an announcer announces.
    package var services = 2048
    /// The largest number of packets accepted from one interface in one second; more are dropped and counted.
    package var packetsPerSecond = 2000
    /// The largest number of interfaces in use, in order of their index.
    package var interfaces = 64
    /// The longest TTL of a record, in seconds.
    package var maximumTTLSeconds: UInt32 = 86_400
    /// The size of sent packets in bytes; a single larger record is sent alone in a larger packet (RFC 6762 section 17).
    package var packetBytes = 1400
    /// The largest number of queries with further known answers that an announcer holds.
    package var waitingQueries = 64

    package init() {}

    /// The largest accepted or sent packet, in bytes (RFC 6762 section 17).
    package static let largestPacketBytes = 9000
}

/// Identifies a command that did not come over MQTT while it waits for its answer; never used twice.
public struct DirectTicket: Sendable, Hashable {
    public var number: UInt64
    /// A name that is the same for all commands of one session, token or address, and different for others.
    public var caller: String

    public init(number: UInt64, caller: String) { (self.number, self.caller) = (number, caller) }
}

/// Identifies a command that did not come over MQTT while it waits for its answer; never used twice.
public struct DirectTicket: Sendable, Hashable {
    public var number: UInt64

    public init(number: UInt64) { self.number = number }
}

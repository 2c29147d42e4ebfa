/// Identifies a command that did not come over MQTT while it waits for its answer; never used twice.
package struct DirectTicket: Sendable, Hashable {
    package var number: UInt64

    package init(number: UInt64) { self.number = number }
}

/// The state of the television, which it reports by CEC: standby and the device's input.
struct Screen: Sendable, Hashable {
    var isStandBy = false
    var isActiveInput = true
}

/// What a television tells by CEC about the input that the device is plugged into.
struct Screen: Sendable, Hashable {
    var isStandBy = false
    var isActiveInput = true
}

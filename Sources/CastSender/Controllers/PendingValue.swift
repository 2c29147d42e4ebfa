import CastModels

/// A value that a user asked for and the device has not confirmed. It is shown in place of the device's value, so that a dragged slider
/// does not jump back.
///
/// The value is confirmed when no request is open and the device reports it. After `patience` the device's value is shown in any case.
struct PendingValue<Value: Sendable>: Sendable {
    /// How long an unconfirmed value is shown after the last request.
    static var patience: Duration { .seconds(2) }

    private var wanted: (value: Value, number: UInt64, until: MonotonicTime)?
    private var openRequests = 0
    private var lastNumber: UInt64 = 0

    /// When `value` expires; `nil` while no value is pending.
    var deadline: MonotonicTime? { self.wanted?.until }

    /// The value to show in place of the device's; `nil` shows the device's.
    func value(at now: MonotonicTime) -> Value? {
        guard let wanted, now < wanted.until else { return nil }
        return wanted.value
    }

    /// Starts a request for the value.
    /// - Returns: the number of the request, for `ended`.
    mutating func begin(_ value: Value, at now: MonotonicTime) -> UInt64 {
        self.lastNumber += 1
        self.openRequests += 1
        self.wanted = (value, self.lastNumber, now + Self.patience)
        return self.lastNumber
    }

    /// Ends a request.
    /// - Parameter isRefused: whether it failed; the value of a newer request is kept.
    mutating func ended(_ number: UInt64, isRefused: Bool) {
        self.openRequests -= 1
        if isRefused, self.wanted?.number == number { self.wanted = nil }
    }

    /// Removes the value when the device has confirmed it or it has expired.
    /// - Parameter isConfirmed: whether the device reports this value.
    mutating func settle(at now: MonotonicTime, _ isConfirmed: (Value) -> Bool) {
        guard let wanted else { return }
        if now >= wanted.until || self.openRequests == 0 && isConfirmed(wanted.value) { self.wanted = nil }
    }
}

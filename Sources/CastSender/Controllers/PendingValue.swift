import CastModels

/// A value that a user has asked for and the device has not confirmed: it is shown in place of the device's, so that a slider that is dragged
/// does not jump back.
///
/// The device confirms when no request is open and it reports the value. After `patience` the device's value is shown in any case.
struct PendingValue<Value: Sendable>: Sendable {
    /// How long a value is shown that the device does not confirm, counted from the last request.
    static var patience: Duration { .seconds(2) }

    private var wanted: (value: Value, number: UInt64, until: MonotonicTime)?
    private var openRequests = 0
    private var lastNumber: UInt64 = 0

    /// When `value` changes by time alone; `nil` while nothing is pending.
    var deadline: MonotonicTime? { self.wanted?.until }

    /// The value to show in place of the device's; `nil` shows the device's.
    func value(at now: MonotonicTime) -> Value? {
        guard let wanted, now < wanted.until else { return nil }
        return wanted.value
    }

    /// A request for the value is about to be sent.
    /// - Returns: the request's number, for `ended`.
    mutating func begin(_ value: Value, at now: MonotonicTime) -> UInt64 {
        self.lastNumber += 1
        self.openRequests += 1
        self.wanted = (value, self.lastNumber, now + Self.patience)
        return self.lastNumber
    }

    /// The request has ended.
    /// - Parameter isRefused: whether it failed; what a newer request wants stays.
    mutating func ended(_ number: UInt64, isRefused: Bool) {
        self.openRequests -= 1
        if isRefused, self.wanted?.number == number { self.wanted = nil }
    }

    /// Forgets the value when the device has confirmed it or the time is over.
    /// - Parameter isConfirmed: whether the device reports this value.
    mutating func settle(at now: MonotonicTime, _ isConfirmed: (Value) -> Bool) {
        guard let wanted else { return }
        if now >= wanted.until || self.openRequests == 0 && isConfirmed(wanted.value) { self.wanted = nil }
    }
}

/// What a user may choose about how one device's state is derived.
package struct DeviceOptions: Sendable, Hashable {
    /// How long a lost link may stay lost before the device counts as offline.
    package var availabilityGrace: Duration
    /// How long the end of an item is held back, since most ends are followed by a beginning.
    package var idleDebounce: Duration
    /// The same when the queue has a next item.
    package var queueGapDebounce: Duration
    /// Whether an HDMI input that is known to be inactive makes the player `off`.
    package var inactiveInputIsOff: Bool
    /// How long a device may stay unreached after the start before the documents of an earlier run are replaced by unknowns.
    package var startPatience: Duration

    package init(
        availabilityGrace: Duration = .seconds(3), idleDebounce: Duration = .milliseconds(1500),
        queueGapDebounce: Duration = .seconds(6), inactiveInputIsOff: Bool = true, startPatience: Duration = .seconds(10)
    ) {
        self.availabilityGrace = availabilityGrace
        self.idleDebounce = idleDebounce
        self.queueGapDebounce = queueGapDebounce
        self.inactiveInputIsOff = inactiveInputIsOff
        self.startPatience = startPatience
    }
}

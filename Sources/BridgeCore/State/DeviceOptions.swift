/// A user's choices for how the state of a device is derived.
public struct DeviceOptions: Sendable, Hashable {
    /// How long a lost link may take to recover before the device is offline.
    public var availabilityGrace: Duration
    /// How long the end of an item is held back, because most ends are followed by a new item.
    public var idleDebounce: Duration
    /// The same while the queue has a next item.
    public var queueGapDebounce: Duration
    /// Whether the player is `off` while its HDMI input is known to be inactive.
    public var inactiveInputIsOff: Bool
    /// How long after the start an unreached device keeps the documents of an earlier run before they are replaced by unknown values.
    public var startPatience: Duration

    public init(
        availabilityGrace: Duration = .seconds(3), idleDebounce: Duration = .milliseconds(1500),
        queueGapDebounce: Duration = .seconds(6), inactiveInputIsOff: Bool = true, startPatience: Duration = .seconds(30)
    ) {
        self.availabilityGrace = availabilityGrace
        self.idleDebounce = idleDebounce
        self.queueGapDebounce = queueGapDebounce
        self.inactiveInputIsOff = inactiveInputIsOff
        self.startPatience = startPatience
    }
}

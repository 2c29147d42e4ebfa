/// A user's choices for how the state of a device is derived.
public struct DeviceOptions: Sendable, Hashable {
    /// How long a lost link may take to recover before the device is offline.
    public var availabilityGrace = Duration.seconds(3)
    /// How long the end of an item is held back, because most ends are followed by a new item.
    public var idleDebounce = Duration.milliseconds(1500)
    /// The same while the queue has a next item.
    public var queueGapDebounce = Duration.seconds(6)
    /// Whether the player is `off` while its HDMI input is known to be inactive.
    public var inactiveInputIsOff = true
    /// The loudest that the bridge makes the device, 0 to 1.
    public var maximumVolume = 1.0
    /// How long after the start an unreached device keeps the documents of an earlier run before they are replaced by unknown values.
    public var startPatience = Duration.seconds(30)

    public init() {}
}

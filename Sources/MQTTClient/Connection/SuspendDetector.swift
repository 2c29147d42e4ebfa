/// Detects a suspend of the machine: CLOCK_BOOTTIME advances while CLOCK_MONOTONIC stands still. Steps of the wall clock change neither.
struct SuspendDetector: Sendable {
    /// The shortest detected suspend; smaller differences come from the time between two clock readings.
    static let threshold = Duration.seconds(1)

    private var lead: Duration

    /// - Parameter bootLead: CLOCK_BOOTTIME minus CLOCK_MONOTONIC.
    init(bootLead: Duration) { self.lead = bootLead }

    /// - Returns: how long the machine slept since the last call; `nil` if it did not.
    mutating func slept(bootLead: Duration) -> Duration? {
        let slept = bootLead - self.lead
        self.lead = bootLead
        return slept >= Self.threshold ? slept : nil
    }
}

import Glibc
import NetworkReach

/// The system services that the client uses; tests replace them.
struct MQTTEnvironment: Sendable {
    /// CLOCK_MONOTONIC.
    var now: @Sendable () -> Duration
    /// CLOCK_BOOTTIME minus CLOCK_MONOTONIC: the total time that the machine has slept since it started.
    var bootLead: @Sendable () -> Duration
    /// A random number in `0..<1`.
    var random: @Sendable () -> Double
    /// Resolves a name; may block without a limit.
    var resolve: @Sendable (_ host: String, _ port: UInt16) -> NumericAddress.Answer

    static let system = MQTTEnvironment(
        now: { MachineSleep.read(CLOCK_MONOTONIC) },
        bootLead: { MachineSleep.total },
        random: { Double.random(in: 0..<1) },
        resolve: { NumericAddress.resolve($0, port: $1) })
}

/// How long the machine has slept.
package enum MachineSleep {
    /// The sleep since the machine was started: CLOCK_BOOTTIME minus CLOCK_MONOTONIC.
    package static var total: Duration { Self.read(CLOCK_BOOTTIME) - Self.read(CLOCK_MONOTONIC) }

    fileprivate static func read(_ clock: Int32) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

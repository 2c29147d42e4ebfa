import BridgeCore
import Glibc
import ProcessSpawning

/// The time of day in a time zone, from the program `date`. In this process the C library has one zone, and to change it would race with
/// other threads that read the environment.
enum LocalTime {
    /// Returns the minutes after midnight.
    /// - Parameter zone: like `Europe/Berlin`; `nil` is the zone of the machine.
    /// - Returns: `nil` when the machine has no data of the zone.
    static func minutes(of time: Timestamp, in zone: String?) async -> Int? {
        // `date` would take UTC.
        if let zone, access("/usr/share/zoneinfo/\(zone)", R_OK) != 0 { return nil }
        let output = await Blocking.run {
            Spawning.output(
                of: ["date", "-d", "@\(time.milliseconds / 1000)", "+%H:%M"], environment: zone.map { ["TZ=\($0)"] }, limit: 64,
                until: .now + .seconds(2))
        }
        return (output ?? nil).flatMap { QuietHours.minutes(String(decoding: $0.prefix(5), as: UTF8.self)) }
    }
}

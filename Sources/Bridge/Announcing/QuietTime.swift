import BridgeCore
import Glibc
import LogKeys
import Logging
import ProcessSpawning

/// Refuses announcements in quiet hours.
final class QuietTime {
    private let context: BridgeContext
    /// The time zones that were warned about.
    private var unknownZones: Set<String> = []

    init(_ context: BridgeContext) { self.context = context }

    /// Returns the refusal of an announcement of normal priority; `nil` outside of quiet hours.
    nonisolated(nonsending) func refusal() async -> CommandResult? {
        let options = self.context.settings.announcements
        guard let hours = options.quietHours else { return nil }
        let now = self.context.now.wall
        let minutes = await LocalTime.minutes(of: now, in: options.timeZone)
        if minutes == nil, self.unknownZones.insert(options.timeZone ?? "").inserted {
            let reason = "the machine has no data of the time zone \(options.timeZone ?? "")"
            self.context.logger.warning(
                "quiet hours are in UTC", metadata: [.reason: "\(reason)", .remedy: "correct announcements.time_zone, or install tzdata"])
        }
        guard hours.contains(minute: minutes ?? Int(now.milliseconds / 60_000 % 1440)) else { return nil }
        return CommandResult(.notApplied, message: "Quiet hours are \(hours).", hint: "In them only priority high is heard.")
    }
}

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

/// Decides whether the time of day is plausible. A machine without a battery for its clock starts in 1970, or at another past time, until
/// it gets the time from the network. Decisions that depend on the time of day wait for that.
package enum WallClock {
    /// The start of the month in which the program was first written, in seconds since 1970 (2026-11-01). No earlier time is plausible.
    package static let earliest: Int64 = 1_793_491_200

    /// Returns whether a time can be the present, or one that this program recorded.
    /// - Parameter seconds: seconds since 1970.
    package static func isPlausible(_ seconds: Int64, earliest: Int64 = Self.earliest) -> Bool { seconds >= earliest }
}

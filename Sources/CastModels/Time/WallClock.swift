/// Tells whether the time of day can be right. A machine without a battery for its clock starts in 1970, or at another moment of the past, until it
/// gets the time from the network. What is decided by the time of day waits for that.
package enum WallClock {
    /// The start of the month in which the program was first written, in seconds since 1970 (2026-11-01). No earlier time can be right.
    package static let earliest: Int64 = 1_793_491_200

    /// Whether a time can be the present, or one that this program recorded.
    /// - Parameter seconds: seconds since 1970.
    package static func isPlausible(_ seconds: Int64, earliest: Int64 = Self.earliest) -> Bool { seconds >= earliest }
}

import FoundationEssentials

/// The time of day, for certificates.
enum WallClock {
    static var now: Date { Date() }
}

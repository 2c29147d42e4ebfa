/// Writes times of a player: `0:07`, `12:03`, `1:02:03`, `-2:52`.
public enum PlaybackTime {
    /// - Parameters:
    ///   - seconds: any value; fractions are cut off. The text of NaN and of infinity is `-:--`.
    ///   - isRemaining: whether the time is what is left of the medium; then it has a minus sign.
    public static func text(_ seconds: Double, isRemaining: Bool = false) -> String {
        guard seconds.isFinite, let whole = Int(exactly: abs(seconds).rounded(.down)) else { return "-:--" }
        let (hours, minutes) = (whole / 3600, whole / 60 % 60)
        func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let minutesText = hours > 0 ? "\(hours):\(twoDigits(minutes))" : "\(minutes)"
        return (whole > 0 && (seconds < 0 || isRemaining) ? "-" : "") + "\(minutesText):\(twoDigits(whole % 60))"
    }
}

extension Duration {
    /// The duration in seconds, with the precision of a `Double`.
    var inSeconds: Double {
        let (seconds, attoseconds) = self.components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// Returns the duration of a number of seconds that a sender chose, limited to 1e9 s (about 31 years) in both directions. NaN becomes
    /// the upper limit.
    static func bounded(seconds: Double) -> Duration {
        let limit = 1e9
        return .seconds(seconds < limit ? max(seconds, -limit) : limit)
    }
}

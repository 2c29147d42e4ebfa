extension Duration {
    /// The duration in seconds, with the precision of a `Double`.
    var inSeconds: Double {
        let (seconds, attoseconds) = self.components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// Returns a sender's number of seconds as a duration. NaN and more than thirty years become thirty years, which never pass.
    static func bounded(seconds: Double) -> Duration {
        let limit = 1e9
        return .seconds(seconds < limit ? max(seconds, -limit) : limit)
    }
}

extension Duration {
    /// The duration in seconds, with the precision of a `Double`.
    var inSeconds: Double {
        let (seconds, attoseconds) = self.components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// Seconds that a sender stated: what is no number or longer than thirty years is thirty years, long enough never to come.
    static func bounded(seconds: Double) -> Duration {
        let limit = 1e9
        return .seconds(seconds < limit ? max(seconds, -limit) : limit)
    }
}

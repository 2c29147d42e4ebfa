extension Duration {
    /// The duration in seconds, with the precision of a `Double`.
    var inSeconds: Double {
        let (seconds, attoseconds) = self.components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}

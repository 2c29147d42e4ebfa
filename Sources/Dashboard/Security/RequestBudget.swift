import BridgeCore

/// Limits how many requests each client may send, by a token bucket (RFC 2697).
struct RequestBudget {
    private struct Bucket {
        var tokens: Double
        var last: Duration
    }

    /// A first page load needs about 100 files, so several tabs and a hundred pictures fit.
    static let burst = 600.0
    static let perSecond = 60.0
    /// The most clients. A further one replaces the one whose last request is the oldest.
    static let maximumCount = 1024

    private var buckets: [NetworkAddress: Bucket] = [:]

    /// - Returns: whether the client may send a request now.
    mutating func take(_ client: NetworkAddress, now: Duration) -> Bool {
        let key = client.household
        var bucket = self.buckets[key] ?? Bucket(tokens: Self.burst, last: now)
        bucket.tokens = min(Self.burst, bucket.tokens + max(0, (now - bucket.last) / .seconds(1)) * Self.perSecond)
        bucket.last = now
        let isAllowed = bucket.tokens >= 1
        if isAllowed { bucket.tokens -= 1 }
        if self.buckets[key] == nil, self.buckets.count >= Self.maximumCount,
            let oldest = self.buckets.min(by: { $0.value.last < $1.value.last })
        {
            self.buckets[oldest.key] = nil
        }
        self.buckets[key] = bucket
        return isAllowed
    }
}

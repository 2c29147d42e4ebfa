/// A reproducible random generator: the same seed gives the same sequence on every machine (SplitMix64).
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { self.state = seed }

    /// Creates a separate sequence for one object of a fleet, independent of the number of other objects.
    init(seed: UInt64, purpose: String, index: Int = 0) {
        self.init(seed: seed ^ Self.hash(purpose) ^ (UInt64(truncatingIfNeeded: index) &* 0xA24B_AED4_963E_E407))
        _ = self.next()
    }

    public mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var z = self.state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func duration(in range: ClosedRange<Duration>) -> Duration {
        .seconds(Double.random(in: range.lowerBound.inSeconds...range.upperBound.inSeconds, using: &self))
    }

    /// Returns lower-case hexadecimal digits.
    mutating func hexadecimal(digits: Int) -> String {
        (0..<digits).map { _ in String(Int.random(in: 0..<16, using: &self), radix: 16) }.joined()
    }

    /// Returns text in the form of a UUID.
    mutating func uuid() -> String {
        [8, 4, 4, 4, 12].map { self.hexadecimal(digits: $0) }.joined(separator: "-")
    }

    /// Returns the FNV-1a hash, for seeds and rules that are derived from a text.
    static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

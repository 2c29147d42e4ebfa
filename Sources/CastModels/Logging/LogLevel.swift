/// The severity of a log line, lowest first, in the words of swift-log.
public enum LogLevel: String, Sendable, Hashable, CaseIterable, Comparable {
    case trace, debug, info, notice, warning, error, critical

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    /// The place among all levels, from 0 for the lowest.
    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// Creates a level from its name in any case; `nil` for an unknown name.
    public init?(name: some StringProtocol) { self.init(rawValue: name.lowercased()) }
}

/// When announcements are refused, unless they are urgent.
public struct AnnouncementOptions: Sendable, Hashable {
    public var quietHours: QuietHours?
    /// The zone of these hours, like `Europe/Berlin`; `nil` is that of the machine.
    public var timeZone: String?

    public init() {}
}

/// Hours of every day, like `22:00-07:00`; they may cross midnight.
public struct QuietHours: Sendable, Hashable, CustomStringConvertible {
    /// In minutes after midnight.
    private let begin: Int
    private let end: Int
    public let description: String

    /// - Returns: `nil` for anything but two different times of day.
    public init?(_ text: String) {
        let minutes = text.split(separator: "-", omittingEmptySubsequences: false).map { Self.minutes($0) }
        guard minutes.count == 2, let begin = minutes[0], let end = minutes[1], begin != end else { return nil }
        (self.begin, self.end, self.description) = (begin, end, text)
    }

    /// Returns the minutes after midnight of a time like `07:30`.
    public static func minutes(_ time: some StringProtocol) -> Int? {
        let (digits, colon) = (time.utf8.map { Int($0) - 0x30 }, 0x0A)
        guard digits.count == 5, digits[2] == colon, [0, 1, 3, 4].allSatisfy({ (0...9).contains(digits[$0]) }) else { return nil }
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[3] * 10 + digits[4])
        return hour < 24 && minute < 60 ? hour * 60 + minute : nil
    }

    public func contains(minute: Int) -> Bool {
        self.begin < self.end ? (self.begin..<self.end).contains(minute) : minute >= self.begin || minute < self.end
    }
}

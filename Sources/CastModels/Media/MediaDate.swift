/// A date in metadata: ISO 8601, as precise as its source (`2024`, `2024-03`, `2024-03-01`, `2024-03-01T20:15:00Z`).
public struct MediaDate: Sendable, Hashable {
    public var year: Int
    /// The month, 1 to 12.
    public var month: Int?
    /// The day of the month, 1 to 31.
    public var day: Int?
    /// The time of day with its zone as written, without the `T` (`20:15:00Z`).
    public var timeOfDay: String?

    /// Creates a date; `nil` when no calendar has it. A day requires a month.
    public init?(year: Int, month: Int? = nil, day: Int? = nil) {
        guard (0...9999).contains(year), (1...12).contains(month ?? 1), month != nil || day == nil else { return nil }
        if let day, let month, !(1...Self.days(in: month, of: year)).contains(day) { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Parses ISO 8601, with or without hyphens; `nil` for any other text.
    public init?(_ text: String) {
        let halves = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "T" || $0 == " " }
        let date = halves[0]
        let parts = date.split(separator: "-", omittingEmptySubsequences: false)
        let fields: [Substring]
        switch (parts.count, date.utf8.count) {
        case (1, 8): fields = [date.prefix(4), date.dropFirst(4).prefix(2), date.dropFirst(6)]
        case (1, 4), (2, 7), (3, 10): fields = parts
        default: return nil
        }
        let lengths = [4, 2, 2]
        var numbers: [Int] = []
        for (field, length) in zip(fields, lengths) {
            guard field.utf8.count == length, field.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(field) else { return nil }
            numbers.append(number)
        }
        self.init(year: numbers[0], month: numbers.count > 1 ? numbers[1] : nil, day: numbers.count > 2 ? numbers[2] : nil)
        if halves.count == 2 {
            guard numbers.count == 3, Self.isTime(halves[1]) else { return nil }
            self.timeOfDay = String(halves[1])
        }
    }

    /// The date as ISO 8601 with hyphens.
    public var text: String {
        var text = Self.padded(self.year, to: 4)
        if let month { text += "-" + Self.padded(month, to: 2) }
        if let day { text += "-" + Self.padded(day, to: 2) }
        if let timeOfDay { text += "T" + timeOfDay }
        return text
    }

    private static func isTime(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, (48...57).contains(first), text.utf8.count <= 32 else { return false }
        return text.utf8.allSatisfy { (48...57).contains($0) || [43, 45, 46, 58, 90, 44].contains($0) }
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func padded(_ number: Int, to length: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, length - digits.count)) + digits
    }
}

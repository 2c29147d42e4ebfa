import CastModels

/// A wall-clock time in whole milliseconds, for documents. Decisions use `MonotonicTime`, except for those that outlast the machine's
/// uptime.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public var milliseconds: Int64

    /// - Parameter milliseconds: milliseconds since 1970-01-01T00:00:00Z.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Reads a number of milliseconds from a file. Files may be damaged, so a number outside the years 1970 to 9999 gives `nil`.
    init?(json: JSONValue?) {
        guard let milliseconds = json?.intValue, (0...253_402_300_799_000).contains(milliseconds) else { return nil }
        self.init(milliseconds: Int64(milliseconds))
    }

    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    /// Returns this time moved by `seconds`, which may be negative; saturates far outside any calendar.
    public func adding(seconds: Double) -> Self {
        let moved = Double(self.milliseconds) + (seconds * 1000).rounded()
        return Self(milliseconds: Int64(min(max(moved, -9e15), 9e15)))
    }

    /// Moves this time, as `adding` does.
    public mutating func add(seconds: Double) { self = self.adding(seconds: seconds) }

    /// Returns the seconds from this time to `other`; negative when `other` is earlier.
    public func seconds(until other: Self) -> Double { Double(other.milliseconds - self.milliseconds) / 1000 }

    /// RFC 3339 in UTC with milliseconds, always 24 characters for years 0 to 9999: `2026-11-21T14:03:22.481Z`.
    public var text: String { String(decoding: self.utf8, as: UTF8.self) }

    static let length = 24

    public var utf8: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.length) { buffer, count in
            if let start = buffer.baseAddress { self.write(to: start) }
            count = Self.length
        }
    }

    /// Writes the bytes of `text` to memory for `length` bytes; every document contains several times.
    public func write(to place: UnsafeMutablePointer<UInt8>) {
        let days = self.milliseconds.floorDivided(by: 86_400_000)
        let inDay = UInt32(self.milliseconds - days * 86_400_000)
        let (year, month, day) = Self.civil(days: days)
        // It fits: 24 bytes, whatever the values are.
        func write(_ value: UInt32, at index: Int, then separator: Unicode.Scalar) {
            place[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10 % 10)
            place[index + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10)
            place[index + 2] = UInt8(ascii: separator)
        }
        let (seconds, years) = (inDay / 1000, UInt32(year.magnitude % 10_000))
        write(years / 100, at: 0, then: "-")
        write(years % 100, at: 2, then: "-")
        write(UInt32(month), at: 5, then: "-")
        write(UInt32(day), at: 8, then: "T")
        write(seconds / 3600, at: 11, then: ":")
        write(seconds / 60 % 60, at: 14, then: ":")
        write(seconds % 60, at: 17, then: ".")
        write(inDay % 1000 / 10, at: 20, then: "Z")
        place[22] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: inDay % 10)
        place[23] = UInt8(ascii: "Z")
    }

    /// Converts days since 1970 to a date of the proleptic Gregorian calendar (Howard Hinnant, "chrono-Compatible Low-Level Date
    /// Algorithms").
    private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted.floorDivided(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthIndex + 2) / 5 + 1
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// Converts a date of the proleptic Gregorian calendar to days since 1970; the inverse of `civil(days:)`.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.floorDivided(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Parses RFC 3339 with any offset and any number of fraction digits; `nil` for any other text.
    public init?(rfc3339 text: String) {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int64? {
            guard range.upperBound <= bytes.count else { return nil }
            var value: Int64 = 0
            for byte in bytes[range] {
                guard case UInt8(ascii: "0")...UInt8(ascii: "9") = byte else { return nil }
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            return value
        }
        guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"), bytes[10] | 0x20 == UInt8(ascii: "t"),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
            let minute = number(14..<16), let second = number(17..<19),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        var index = 19
        var fraction: Int64 = 0
        if bytes[index] == UInt8(ascii: ".") {
            index += 1
            var weight: Int64 = 100
            let start = index
            while index < bytes.count, let digit = number(index..<index + 1) {
                fraction += digit * weight
                weight /= 10
                index += 1
            }
            guard index > start else { return nil }
        }
        guard index < bytes.count else { return nil }
        var offsetMinutes: Int64 = 0
        switch bytes[index] {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"):
            guard index + 1 == bytes.count else { return nil }
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            guard index + 6 == bytes.count, bytes[index + 3] == UInt8(ascii: ":"), let hours = number(index + 1..<index + 3),
                let minutes = number(index + 4..<index + 6), hours < 24, minutes < 60
            else { return nil }
            offsetMinutes = (hours * 60 + minutes) * (bytes[index] == UInt8(ascii: "-") ? -1 : 1)
        default: return nil
        }
        let days = Self.days(year: year, month: month, day: day)
        let seconds = ((days * 24 + hour) * 60 + minute - offsetMinutes) * 60 + second
        self.milliseconds = seconds * 1000 + fraction
    }
}

extension Int64 {
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = self.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

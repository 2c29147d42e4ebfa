import CastModels

/// Plain values as people and dashboards write them. Digits, one point, one sign: what `Double` accepts beyond that is refused.
enum PlainValue {
    /// Seconds beyond this are no position; time lines that count from 1970 fit.
    static let maximumSeconds = 10_000_000_000.0

    /// An unsigned decimal number of at most 15 digits; `nil` for anything else, exponents, hexadecimal and `inf` included.
    static func number(_ text: some StringProtocol) -> Double? {
        let digits = text.utf8.filter { (0x30...0x39).contains($0) }.count
        let points = text.utf8.filter { $0 == UInt8(ascii: ".") }.count
        guard (1...15).contains(digits), points <= 1, digits + points == text.utf8.count else { return nil }
        return Double(text)
    }

    /// A number for a message: without a fraction when it has none.
    static func text(_ number: Double) -> String {
        Int64(exactly: number).map(String.init) ?? number.description
    }

    /// A sign in front and the rest.
    private static func signed(_ text: Substring) -> (sign: Double?, rest: Substring) {
        switch text.utf8.first {
        case UInt8(ascii: "+"): (1, text.dropFirst())
        case UInt8(ascii: "-"): (-1, text.dropFirst())
        default: (nil, text)
        }
    }

    /// `34`, `34%`, `+5`, `-5` in percent.
    static func volume(_ text: Substring) throws(CommandRejection) -> VolumeChange {
        let refusal = CommandRejection(.badPayload, "volume must be 0 to 100, optionally with %, or +5 or -5 for a change.")
        let (sign, unsigned) = self.signed(text)
        let isPercent = unsigned.utf8.last == UInt8(ascii: "%")
        let digits = (isPercent ? unsigned.dropLast() : unsigned).trimmedSpace
        guard let value = self.number(digits), value <= 100 else { throw refusal }
        if let sign { return VolumeChange(points: sign * value) }
        // Between 0 and 1 with a point nobody can tell percent from level; guessing wrong is loud.
        if !isPercent, digits.utf8.contains(UInt8(ascii: ".")), value > 0, value <= 1 {
            throw CommandRejection(.badPayload, "volume is in percent; use volume_level for 0.0 to 1.0, or write \(digits)%.")
        }
        return .absolute(value / 100)
    }

    /// The same from JSON: a number is a percentage, a text is read like a payload.
    static func volume(_ value: JSONValue) throws(CommandRejection) -> VolumeChange {
        if let text = value.stringValue { return try self.volume(text.trimmedSpace) }
        guard let number = value.doubleValue, (0...100).contains(number) else {
            throw CommandRejection(.badPayload, "volume must be a number from 0 to 100, or a text like \"+5\" or \"-5\".")
        }
        return .absolute(number / 100)
    }

    /// `0.0` to `1.0`.
    static func volumeLevel(_ value: JSONValue) throws(CommandRejection) -> VolumeChange {
        let number = value.stringValue.map { self.number($0.trimmedSpace) } ?? value.doubleValue
        guard let number, (0...1).contains(number) else {
            throw CommandRejection(.badPayload, "volume_level must be a number from 0 to 1.")
        }
        return .absolute(number)
    }

    /// `ON`/`OFF`/`true`/`false`/`1`/`0`/`toggle`.
    static func muted(_ value: JSONValue) throws(CommandRejection) -> MuteChange {
        switch value {
        case .bool(let muted): return .to(muted)
        case .integer(1): return .to(true)
        case .integer(0): return .to(false)
        case .string(let text):
            switch text.trimmedSpace.lowercased() {
            case "on", "true", "1": return .to(true)
            case "off", "false", "0": return .to(false)
            case "toggle": return .toggle
            default: break
            }
        default: break
        }
        throw CommandRejection(.badPayload, "muted must be ON, OFF or toggle.")
    }

    /// Seconds, `1:02:03`, `+30`, `-10` or `live`.
    static func position(_ value: JSONValue) throws(CommandRejection) -> PositionChange {
        let refusal = CommandRejection(.badPayload, "position must be seconds, h:mm:ss, a change like +30 or -10, or live.")
        guard let text = value.stringValue?.trimmedSpace else {
            guard let number = value.doubleValue, (0...self.maximumSeconds).contains(number) else { throw refusal }
            return PositionChange(base: .seconds(number))
        }
        if text.lowercased() == "live" { return PositionChange(base: .live) }
        let (sign, unsigned) = self.signed(text)
        guard let seconds = self.seconds(unsigned) else { throw refusal }
        return sign.map { PositionChange(base: .current, offset: $0 * seconds) } ?? PositionChange(base: .seconds(seconds))
    }

    /// `90`, `90.5`, `1:30`, `1:02:03`: at most `maximumSeconds`.
    static func seconds(_ text: Substring) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 3, let last = parts.last, var seconds = self.number(last) else { return nil }
        if parts.count > 1, seconds >= 60 { return nil }
        var unit = 60.0
        for (index, part) in parts.dropLast().enumerated().reversed() {
            guard !part.utf8.contains(UInt8(ascii: ".")), let value = self.number(part), index == 0 || value < 60 else { return nil }
            seconds += value * unit
            unit *= 60
        }
        return seconds <= self.maximumSeconds ? seconds : nil
    }

    /// The step of `volume_up` and `volume_down`: 1 to 100 percent points, 0 excluded.
    static func step(_ value: JSONValue) throws(CommandRejection) -> Double {
        var number = value.doubleValue
        if let text = value.stringValue?.trimmedSpace {
            number = self.number((text.utf8.last == UInt8(ascii: "%") ? text.dropLast() : text).trimmedSpace)
        }
        guard let number, number > 0, number <= 100 else {
            throw CommandRejection(.badPayload, "step must be a percentage above 0 and up to 100.")
        }
        return number
    }
}

import CastModels

/// Reads plain values as users and dashboards write them: digits, one point, one sign. Other forms that `Double` accepts are rejected.
enum PlainValue {
    /// The largest position in seconds. Time lines that count from 1970 are below it.
    static let maximumSeconds = 10_000_000_000.0

    /// An unsigned decimal number of at most 15 digits; `nil` for anything else, exponents, hexadecimal and `inf` included.
    static func number(_ text: some StringProtocol) -> Double? {
        let digits = text.utf8.count { (0x30...0x39).contains($0) }
        let points = text.utf8.count { $0 == UInt8(ascii: ".") }
        guard (1...15).contains(digits), points <= 1, digits + points == text.utf8.count else { return nil }
        return Double(text)
    }

    /// A number of JSON, or a text of one; with `allowsPercent` also with `%` behind it.
    private static func number(_ value: JSONValue, allowsPercent: Bool = false) -> Double? {
        guard let text = value.stringValue?.trimmedSpace else { return value.doubleValue }
        return self.number(allowsPercent && text.utf8.last == UInt8(ascii: "%") ? text.dropLast().trimmedSpace : text)
    }

    /// Returns a number as text for users, without `.0`.
    static func text(_ number: Double) -> String { Int64(exactly: number).map(String.init) ?? number.description }

    /// Splits a leading sign from the rest; `nil` without one.
    private static func signed(_ text: Substring) -> (sign: Double?, rest: Substring) {
        switch text.utf8.first {
        case UInt8(ascii: "+"): (1, text.dropFirst())
        case UInt8(ascii: "-"): (-1, text.dropFirst())
        default: (nil, text)
        }
    }

    /// `34`, `34%`, `+5`, `-5` in percent; with `scale` `unit` also `0.34` for 34 percent.
    static func volume(
        _ text: Substring, of name: String = "volume", scale: CommandOptions.VolumeScale
    ) throws(CommandRejection) -> RequestedVolume {
        let (sign, unsigned) = self.signed(text)
        let isPercent = unsigned.utf8.last == UInt8(ascii: "%")
        let digits = (isPercent ? unsigned.dropLast() : unsigned).trimmedSpace
        guard let value = self.number(digits), value <= 100 else {
            throw CommandRejection(.badPayload, "\(name) must be 0 to 100, optionally with %, or +5 or -5 for a change.")
        }
        if let sign { return RequestedVolume(points: sign * value) }
        if !isPercent, digits.utf8.contains(UInt8(ascii: ".")), value > 0, value <= 1 {
            return try self.ambiguousVolume(value, of: name, scale: scale)
        }
        return .absolute(value / 100)
    }

    /// A value between 0 and 1 with a decimal point may be a percentage or a level, and the wrong one may be loud: without `unit` it is
    /// rejected.
    private static func ambiguousVolume(
        _ value: Double, of name: String, scale: CommandOptions.VolumeScale
    ) throws(CommandRejection) -> RequestedVolume {
        switch scale {
        case .unit: return .absolute(value)
        case .percent:
            throw CommandRejection(.badPayload, "\(name) is in percent; use volume_level for 0.0 to 1.0, or write \(self.text(value))%.")
        }
    }

    /// Reads a volume from JSON: a number is a percentage, a string is read like a plain payload.
    static func volume(
        _ value: JSONValue, of name: String = "volume", scale: CommandOptions.VolumeScale
    ) throws(CommandRejection) -> RequestedVolume {
        if let text = value.stringValue { return try self.volume(text.trimmedSpace, of: name, scale: scale) }
        guard let number = value.doubleValue, (0...100).contains(number) else {
            throw CommandRejection(.badPayload, "\(name) must be a number from 0 to 100, or a text like \"+5\" or \"-5\".")
        }
        if case .number = value, number > 0, number <= 1 { return try self.ambiguousVolume(number, of: name, scale: scale) }
        return .absolute(number / 100)
    }

    /// `0.0` to `1.0`.
    static func volumeLevel(_ value: JSONValue) throws(CommandRejection) -> RequestedVolume {
        .absolute(try self.level(value, of: "volume_level"))
    }

    /// `0.0` to `1.0`.
    static func level(_ value: JSONValue, of name: String) throws(CommandRejection) -> Double {
        guard let number = self.number(value), (0...1).contains(number) else {
            throw CommandRejection(.badPayload, "\(name) must be a number from 0 to 1.")
        }
        return number
    }

    /// `ON`/`OFF`/`true`/`false`/`1`/`0`/`toggle`.
    static func muted(_ value: JSONValue, of name: String = "muted") throws(CommandRejection) -> MuteChange {
        if value.stringValue?.trimmedSpace.lowercased() == "toggle" { return .toggle }
        guard let muted = self.boolean(value) else { throw CommandRejection(.badPayload, "\(name) must be ON, OFF or toggle.") }
        return .to(muted)
    }

    /// `ON`/`OFF`/`true`/`false`/`1`/`0`, in any case.
    private static func boolean(_ value: JSONValue) -> Bool? {
        switch value {
        case .bool(let flag): flag
        case .integer(1): true
        case .integer(0): false
        case .string(let text):
            switch text.trimmedSpace.lowercased() {
            case "on", "true", "1": true
            case "off", "false", "0": false
            default: nil
            }
        default: nil
        }
    }

    /// `ON`/`OFF`/`true`/`false`/`1`/`0`.
    static func shuffle(_ value: JSONValue) throws(CommandRejection) -> Bool {
        guard let isShuffled = self.boolean(value) else { throw CommandRejection(.badPayload, "shuffle must be ON or OFF.") }
        return isShuffled
    }

    /// `off`, `one`, `all` or `all_shuffle`.
    static func repeatMode(_ value: JSONValue) throws(CommandRejection) -> RepeatMode {
        guard var word = value.stringValue?.trimmedSpace.lowercased() else { throw Self.noRepeatMode }
        // The words of receivers are accepted, too.
        if word.hasPrefix("repeat_") { word.removeFirst("repeat_".count) }
        switch word {
        case "off": return .off
        case "one", "single": return .single
        case "all": return .all
        case "all_shuffle", "all_and_shuffle": return .allAndShuffle
        default: throw Self.noRepeatMode
        }
    }

    private static let noRepeatMode = CommandRejection(.badPayload, "repeat must be off, one, all or all_shuffle.")

    /// A playback rate in the range that receivers accept.
    static func rate(_ value: JSONValue) throws(CommandRejection) -> Double {
        let range = MediaLoadRequest.playbackRateRange
        guard let rate = self.number(value), range.contains(rate) else {
            throw CommandRejection(
                .badPayload, "rate must be a number from \(self.text(range.lowerBound)) to \(self.text(range.upperBound)).")
        }
        return rate
    }

    /// A share of the duration, 0 to 100.
    static func positionPercent(_ value: JSONValue) throws(CommandRejection) -> PositionChange {
        guard let number = self.number(value, allowsPercent: true), (0...100).contains(number) else {
            throw CommandRejection(.badPayload, "position_percent must be a number from 0 to 100.")
        }
        return PositionChange(base: .percent(number))
    }

    /// A track's id, name or language; for subtitles also `off`.
    static func track(_ value: JSONValue, of name: String, mayBeOff: Bool) throws(CommandRejection) -> TrackChoice {
        let what = "a track's id, language or name\(mayBeOff ? ", or Off" : "")"
        let refusal = CommandRejection(.badPayload, "\(name) must be \(what).")
        if let id = value.intValue, id >= 0 { return .id(id) }
        if value == .bool(false), mayBeOff { return .off }
        guard let text = value.stringValue?.trimmedSpace, !text.isEmpty, text.utf8.count <= 1000 else { throw refusal }
        if text.lowercased() == "off" {
            guard mayBeOff else { throw refusal }
            return .off
        }
        if text.utf8.count <= 9, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let id = Int(text) { return .id(id) }
        return .named(String(text))
    }

    /// Ids of tracks: an array, a text like `1,3`, or `off` for none.
    static func trackIDs(_ value: JSONValue) throws(CommandRejection) -> [Int] {
        let text = value.stringValue?.trimmedSpace
        if text?.lowercased() == "off" || value == .bool(false) { return [] }
        let parts = text?.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmedSpace }
        let isPlain = { (part: Substring) in (1...9).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        let ids = parts?.map { isPlain($0) ? Int($0) : nil } ?? value.intValue.map { [$0] } ?? value.arrayValue?.map(\.intValue)
        let valid = (ids ?? [nil]).compactMap { $0 }.filter { $0 >= 0 }
        guard let ids, valid.count == ids.count, Set(valid).count == valid.count, valid.count <= MediaArguments.maximumTracks else {
            throw CommandRejection(.badPayload, "active_tracks must be ids of tracks like 1,3, each once, or off.")
        }
        return valid
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
        guard let number = self.number(value, allowsPercent: true), number > 0, number <= 100 else {
            throw CommandRejection(.badPayload, "step must be a percentage above 0 and up to 100.")
        }
        return number
    }
}

extension JSON: CustomStringConvertible {
    /// The value as JSON text on one line.
    public var description: String { String(decoding: self.utf8, as: UTF8.self) }

    /// The value as UTF-8 JSON text on one line.
    public var utf8: [UInt8] {
        var bytes: [UInt8] = []
        self.write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += String(value).utf8
        case .number(let value): bytes += Self.text(of: value).utf8
        case .string(let value): Self.write(value, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Returns the text of a number. Whole numbers have no fraction, as receivers write them; JSON has no infinity and no NaN, which become
    /// `null`.
    private static func text(of value: Double) -> String {
        guard value.isFinite else { return "null" }
        if abs(value) < 1e15, value == value.rounded(), value != 0 || value.sign == .plus { return String(Int(value)) }
        return value.description
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += #"\""#.utf8
            case UInt8(ascii: "\\"): bytes += #"\\"#.utf8
            case UInt8(ascii: "\n"): bytes += #"\n"#.utf8
            case UInt8(ascii: "\r"): bytes += #"\r"#.utf8
            case UInt8(ascii: "\t"): bytes += #"\t"#.utf8
            case 0..<0x20:
                let hex = String(byte, radix: 16)
                bytes += (#"\u00"# + (hex.count < 2 ? "0" : "") + hex).utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

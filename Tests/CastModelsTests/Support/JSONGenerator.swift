import CastModels
import TestSupport

/// Makes random JSON text that RFC 8259 allows, with every kind of white space, number and escape.
struct JSONGenerator {
    var random: SeededGenerator

    init(seed: UInt64) { self.random = SeededGenerator(seed: seed) }

    mutating func text() -> String { self.space() + self.value(depth: 0) + self.space() }

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth < 5 ? 10 : 6), using: &self.random) {
        case 0: "null"
        case 1: Bool.random(using: &self.random) ? "true" : "false"
        case 2, 3: self.number()
        case 4, 5: self.string()
        case 6, 7: self.list("[", "]") { $0.value(depth: depth + 1) }
        default: self.list("{", "}") { $0.string() + $0.space() + ":" + $0.space() + $0.value(depth: depth + 1) }
        }
    }

    private mutating func list(_ begin: String, _ end: String, _ element: (inout Self) -> String) -> String {
        let count = Int.random(in: 0...4, using: &self.random)
        let elements = (0..<count).map { _ in self.space() + element(&self) + self.space() }
        return begin + (count == 0 ? self.space() : elements.joined(separator: ",")) + end
    }

    private mutating func space() -> String {
        guard Int.random(in: 0..<4, using: &self.random) == 0 else { return "" }
        return (0..<Int.random(in: 1...3, using: &self.random)).map { _ in [" ", "\n", "\t", "\r"].randomElement(using: &self.random) ?? ""
        }
        .joined()
    }

    private mutating func number() -> String {
        var text = Bool.random(using: &self.random) ? "-" : ""
        let length = Int.random(in: 1...(Int.random(in: 0..<8, using: &self.random) == 0 ? 25 : 6), using: &self.random)
        text += self.digits(length, leadingZero: false)
        if Int.random(in: 0..<3, using: &self.random) == 0 { text += "." + self.digits(Int.random(in: 1...18, using: &self.random)) }
        if Int.random(in: 0..<4, using: &self.random) == 0 {
            text += ["e", "E", "e+", "e-", "E-"].randomElement(using: &self.random) ?? "e"
            text += self.digits(Int.random(in: 1...2, using: &self.random))
        }
        return text
    }

    private mutating func digits(_ count: Int, leadingZero: Bool = true) -> String {
        let first = count > 1 && !leadingZero ? 1 : 0
        return (0..<count).map { String(Int.random(in: ($0 == 0 ? first : 0)...9, using: &self.random)) }.joined()
    }

    private static let pieces = [
        "a", "status", "mediaSessionId", "é", "ß", "漢字", "🎬", "👩‍🚀", #"\""#, #"\\"#, #"\/"#, #"\b"#, #"\f"#, #"\n"#, #"\r"#, #"\t"#,
        #"\u0041"#,
        #"\u00e9"#, #"\u0000"#, #"\u001F"#, #"\uFFFF"#, #"\ud83c\udfac"#, #"\uD83D\uDE00"#, " ", "\u{7F}", "\u{2028}",
        "http://192.168.1.2:8080/a?b=c&d",
    ]

    private mutating func string() -> String {
        let count = Int.random(in: 0...4, using: &self.random)
        return "\"" + (0..<count).map { _ in Self.pieces.randomElement(using: &self.random) ?? "" }.joined() + "\""
    }
}

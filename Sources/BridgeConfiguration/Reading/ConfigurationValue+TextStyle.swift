import CastModels

extension ConfigurationValue {
    func color() throws(ValueProblem) -> TextTrackStyle.Color {
        let what = "a colour like \"#RRGGBB\" or \"#RRGGBBAA\", in quotes"
        guard let color = TextTrackStyle.Color(hex: try self.plainText(what)) else { throw self.wanted(what) }
        return color
    }

    /// Returns a value of the Cast protocol from its word, in any case.
    func wireWord<Value: WireWord>() throws(ValueProblem) -> Value {
        let what = "one of " + Value.words.map { $0.key.lowercased() }.joined(separator: ", ")
        let value = Value(wireValue: try self.plainText(what).uppercased())
        guard value.unknownWord == nil else { throw self.wanted(what) }
        return value
    }

    /// Returns a number written without a sign or an exponent.
    func number(_ range: ClosedRange<Double>) throws(ValueProblem) -> Double {
        let what = "a number, \(range.plainText)"
        let text = try self.plainText(what)
        let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        guard (1...12).contains(text.utf8.count), isPlain, let number = Double(text), range.contains(number) else {
            throw self.wanted(what)
        }
        return number
    }
}

extension ClosedRange<Double> {
    /// The range as text: `0.01 to 10`.
    var plainText: String { "\(Self.text(self.lowerBound)) to \(Self.text(self.upperBound))" }

    private static func text(_ value: Double) -> String { Int(exactly: value).map(String.init) ?? "\(value)" }
}

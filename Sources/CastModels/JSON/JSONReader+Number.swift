extension JSONReader {
    /// The powers of ten that a `Double` represents exactly.
    private static let exactPowersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
    /// The limit below which every whole number is exact as a `Double`.
    private static let exactMantissa: UInt64 = 1 << 53

    mutating func number() throws(JSONError) -> JSONEntry {
        let start = self.index
        let isNegative = self.byte(at: start) == UInt8(ascii: "-")
        if isNegative { self.index += 1 }
        let firstDigit = self.index
        var mantissa: UInt64 = 0
        var digitCount = try self.digits(into: &mantissa)
        if digitCount > 1, self.byte(at: firstDigit) == UInt8(ascii: "0") { throw JSONError(.badNumber, at: firstDigit) }
        var isInteger = true
        var exponent = 0
        if self.index < self.size, self.byte(at: self.index) == UInt8(ascii: ".") {
            isInteger = false
            self.index += 1
            let decimals = try self.digits(into: &mantissa)
            digitCount += decimals
            exponent = -decimals
        }
        if self.index < self.size, self.byte(at: self.index) | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            exponent += try self.exponent()
        }
        // 18 digits always fit 63 bits.
        if isInteger, digitCount <= 18 { return JSONEntry(isNegative ? -Int64(mantissa) : Int64(mantissa)) }
        if !isInteger, digitCount <= 18, mantissa <= Self.exactMantissa, -22...22 ~= exponent {
            // One operation on two exact values is rounded once, so this is the nearest `Double`.
            let power = Self.exactPowersOfTen[abs(exponent)]
            let value = exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
            return JSONEntry(isNegative ? -value : value)
        }
        if !isInteger, digitCount <= 19, mantissa > 0, -19 ... -1 ~= exponent {
            let value = Self.quotient(of: mantissa, by: UInt64(Self.exactPowersOfTen[-exponent]))
            return JSONEntry(isNegative ? -value : value)
        }
        return try self.slowNumber(from: start, isInteger: isInteger)
    }

    /// Returns the `Double` nearest to the quotient of two positive numbers. Receivers report positions with 17 digits, and the standard
    /// library's way, over a string, takes 1 800 instructions for one.
    private static func quotient(of dividend: UInt64, by divisor: UInt64) -> Double {
        let shifts = (dividend.leadingZeroBitCount, divisor.leadingZeroBitCount)
        let shifted = dividend << shifts.0
        let (quotient, remainder) = (divisor << shifts.1).dividingFullWidth((shifted >> 1, shifted << 63))
        // It has at least 63 bits, of which a `Double` keeps 53. A remainder sets the last one, so that the rounding takes it into account.
        let rounded = Double(quotient | (remainder == 0 ? 0 : 1))
        return rounded * Double(sign: .plus, exponent: shifts.1 - shifts.0 - 63, significand: 1)
    }

    private func slowNumber(from start: Int, isInteger: Bool) throws(JSONError) -> JSONEntry {
        let text = String(decoding: UnsafeRawBufferPointer(start: self.text + start, count: self.index - start), as: UTF8.self)
        if isInteger, let value = Int64(text) { return JSONEntry(value) }
        guard let value = Double(text), value.isFinite else { throw JSONError(.badNumber, at: start) }
        return JSONEntry(value)
    }

    /// Reads at least one digit. `mantissa` is meaningless above 19 digits.
    private mutating func digits(into mantissa: inout UInt64) throws(JSONError) -> Int {
        let start = self.index
        while self.index < self.size {
            let digit = self.byte(at: self.index) &- UInt8(ascii: "0")
            guard digit <= 9 else { break }
            mantissa = mantissa &* 10 &+ UInt64(digit)
            self.index += 1
        }
        guard self.index > start else { throw JSONError(.badNumber, at: self.index) }
        return self.index - start
    }

    private mutating func exponent() throws(JSONError) -> Int {
        self.index += 1
        var isNegative = false
        if self.index < self.size, self.byte(at: self.index) == UInt8(ascii: "+") || self.byte(at: self.index) == UInt8(ascii: "-") {
            isNegative = self.byte(at: self.index) == UInt8(ascii: "-")
            self.index += 1
        }
        var value: UInt64 = 0
        // The slow path reads longer exponents; here they must only not be taken for a small one.
        guard try self.digits(into: &value) <= 4 else { return 10_000 }
        return isNegative ? -Int(value) : Int(value)
    }
}

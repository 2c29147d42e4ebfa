extension TextTrackStyle {
    /// A colour with its opacity; on the wire `#RRGGBBAA`.
    public struct Color: Sendable, Hashable {
        /// 0 to 255.
        public var red: UInt8
        /// 0 to 255.
        public var green: UInt8
        /// 0 to 255.
        public var blue: UInt8
        /// The opacity: 0 is invisible, 255 opaque.
        public var alpha: UInt8

        public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
            self.red = red
            self.green = green
            self.blue = blue
            self.alpha = alpha
        }

        public static let white = Self(red: 255, green: 255, blue: 255)
        public static let black = Self(red: 0, green: 0, blue: 0)
        public static let transparent = Self(red: 0, green: 0, blue: 0, alpha: 0)

        /// Parses `#RRGGBBAA`, or `#RRGGBB` for an opaque colour; `nil` for any other text.
        public init?(hex: String) {
            let digits = hex.utf8.dropFirst().compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            guard hex.utf8.first == UInt8(ascii: "#"), digits.count + 1 == hex.utf8.count, [6, 8].contains(digits.count) else { return nil }
            let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
            self.init(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes.count == 4 ? bytes[3] : 255)
        }

        /// The colour as `#RRGGBBAA` in capitals.
        public var hex: String {
            var text = "#"
            for byte in [self.red, self.green, self.blue, self.alpha] {
                let digits = String(byte, radix: 16, uppercase: true)
                text += digits.utf8.count == 1 ? "0" + digits : digits
            }
            return text
        }
    }
}

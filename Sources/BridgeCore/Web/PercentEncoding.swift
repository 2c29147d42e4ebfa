extension StringProtocol {
    /// The text as a part of a path or of a query: everything but unreserved characters is escaped (RFC 3986).
    package var percentEncoded: String {
        self.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "-._~".unicodeScalars.contains(scalar))
            return isPlain ? String(scalar) : "%" + HexadecimalText.of([byte]).uppercased()
        }.joined()
    }

    /// Returns the bytes with each `%XX` decoded (RFC 3986, 2.1), and whether no `%` is left that began none.
    package func percentDecodedBytes() -> (bytes: [UInt8], isWhole: Bool) {
        var (bytes, isWhole, rest): ([UInt8], Bool, ArraySlice<UInt8>) = ([], true, Array(self.utf8)[...])
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                bytes.append(UInt8(digits[0] << 4 | digits[1]))
                rest = rest.dropFirst(2)
            } else {
                if byte == UInt8(ascii: "%") { isWhole = false }
                bytes.append(byte)
            }
        }
        return (bytes, isWhole)
    }
}

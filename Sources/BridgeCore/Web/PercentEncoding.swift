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
}

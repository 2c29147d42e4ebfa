extension Device {
    /// Returns `text` as a device id: in lower case, without hyphens and surrounding blanks. `nil` when the text is not an id (see
    /// `Device.ID`).
    ///
    /// Announcements, groups and `eureka_info` write the same id in different ways.
    public static func id(normalizing text: String) -> ID? {
        var id: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): id.append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): id.append(byte | 0x20)
            case UInt8(ascii: "-"), UInt8(ascii: " "): continue
            default: return nil
            }
            guard id.count <= 64 else { return nil }
        }
        return id.isEmpty ? nil : String(decoding: id, as: UTF8.self)
    }

    /// Returns a name or model as people read it: without whitespace around it, and with one blank for whitespace inside; `nil` when nothing
    /// is left.
    package static func name(normalizing text: String) -> String? {
        let words = text.split(whereSeparator: \.isWhitespace)
        return words.isEmpty ? nil : words.joined(separator: " ")
    }
}

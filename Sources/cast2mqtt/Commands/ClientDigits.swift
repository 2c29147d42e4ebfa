import Bridge

/// The eight random digits of the client id. A client that knew the id could take over the link: brokers end the older of two links with one
/// id.
enum ClientDigits {
    private static let file = "client-id"

    /// Returns the digits of earlier runs, or new ones.
    static func kept(in directory: StateDirectory?) -> String {
        if let bytes = try? directory?.read(self.file)?.bytes, bytes.count == 8, bytes.allSatisfy({ (0x30...0x39).contains($0) }) {
            return String(decoding: bytes, as: UTF8.self)
        }
        let digits = String(Int.random(in: 10_000_000...99_999_999))
        // A directory that can't be written is reported where its other files are.
        try? directory?.write(self.file, Array(digits.utf8))
        return digits
    }
}

/// A DNS message in the form of multicast DNS (RFC 6762 section 18).
package struct DNSMessage: Equatable, Sendable {
    package var id: UInt16 = 0
    package var flags = Flags()
    package var questions: [Question] = []
    package var answers: [ResourceRecord] = []
    package var authorities: [ResourceRecord] = []
    package var additionals: [ResourceRecord] = []

    package struct Flags: Hashable, Sendable {
        package var isResponse = false
        var operationCode: UInt8 = 0
        var isAuthoritative = false
        /// Whether further known answers of a query follow in another packet.
        package var isTruncated = false
        var responseCode: UInt8 = 0

        package static let query = Flags()
        package static let response = Flags(isResponse: true, isAuthoritative: true)
    }

    /// Messages with an operation or response code are ignored (RFC 6762 sections 18.3 and 18.11).
    package var isUsable: Bool { self.flags.operationCode == 0 && self.flags.responseCode == 0 }
}

extension DNSMessage.Flags: RawRepresentable {
    package init(rawValue: UInt16) {
        self.isResponse = rawValue & 0x8000 != 0
        self.operationCode = UInt8(rawValue >> 11 & 0x0F)
        self.isAuthoritative = rawValue & 0x0400 != 0
        self.isTruncated = rawValue & 0x0200 != 0
        self.responseCode = UInt8(rawValue & 0x0F)
    }

    package var rawValue: UInt16 {
        (self.isResponse ? 0x8000 : 0) | UInt16(self.operationCode & 0x0F) << 11 | (self.isAuthoritative ? 0x0400 : 0)
            | (self.isTruncated ? 0x0200 : 0) | UInt16(self.responseCode & 0x0F)
    }
}

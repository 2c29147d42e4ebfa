import CastModels
import NIOCore

/// A list of revoked certificates (openscreen `cast/common/certificate/proto/revocation.proto`), not verified yet.
package struct RevocationList: Sendable, Hashable {
    /// The serialized `TbsCrl`, which `signature` covers.
    package var signedBytes: [UInt8] = []
    /// The certificate of the signer: X.509, DER.
    package var signerCertificate: [UInt8] = []
    package var signature: [UInt8] = []
    package var version: UInt64 = 0
    /// The start of the validity in seconds since 1970, inclusive.
    package var notBefore: UInt64 = 0
    /// The end of the validity in seconds since 1970, inclusive.
    package var notAfter: UInt64 = 0
    /// The SHA-256 of revoked public keys (SubjectPublicKeyInfo).
    package var revokedKeyHashes: Set<[UInt8]> = []
    package var revokedSerialNumbers: [SerialNumberRange] = []

    package struct SerialNumberRange: Sendable, Hashable {
        /// The SHA-256 of the public key of the issuer of the serial numbers.
        package var issuerKeyHash: [UInt8] = []
        package var first: UInt64 = 0
        /// The last serial number, inclusive.
        package var last: UInt64 = 0
    }

    /// Returns the lists of a serialized `CrlBundle`, in order.
    ///
    /// - Throws: `crlInvalid` for malformed bytes.
    package static func bundle(_ bytes: [UInt8]) throws(CastError) -> [RevocationList] {
        do throws(ProtobufReader.Malformed) {
            var lists: [RevocationList] = []
            var reader = ProtobufReader(bytes.indices)
            while let (number, value) = try reader.next(in: bytes.span) {
                if number == 1, case .bytes(let range) = value { lists.append(try RevocationList(bytes, range)) }
            }
            return lists
        } catch {
            throw CastError(.crlInvalid, detail: "the revocation list can't be read")
        }
    }

    private init(_ bytes: [UInt8], _ range: Range<Int>) throws(ProtobufReader.Malformed) {
        var reader = ProtobufReader(range)
        while let (number, value) = try reader.next(in: bytes.span) {
            guard case .bytes(let range) = value else { continue }
            switch number {
            case 1: self.signedBytes = Array(bytes[range])
            case 2: self.signerCertificate = Array(bytes[range])
            case 3: self.signature = Array(bytes[range])
            default: break
            }
        }
        try self.readSigned()
    }

    private mutating func readSigned() throws(ProtobufReader.Malformed) {
        let bytes = self.signedBytes
        var reader = ProtobufReader(bytes.indices)
        while let field = try reader.next(in: bytes.span) {
            switch field {
            case (1, .number(let version)): self.version = version
            case (2, .number(let seconds)): self.notBefore = seconds
            case (3, .number(let seconds)): self.notAfter = seconds
            case (4, .bytes(let hash)): self.revokedKeyHashes.insert(Array(bytes[hash]))
            case (5, .bytes(let range)): self.revokedSerialNumbers.append(try Self.range(bytes, range))
            default: break
            }
        }
    }

    private static func range(_ bytes: [UInt8], _ place: Range<Int>) throws(ProtobufReader.Malformed) -> SerialNumberRange {
        var range = SerialNumberRange()
        var reader = ProtobufReader(place)
        while let field = try reader.next(in: bytes.span) {
            switch field {
            case (1, .bytes(let hash)): range.issuerKeyHash = Array(bytes[hash])
            case (2, .number(let first)): range.first = first
            case (3, .number(let last)): range.last = last
            default: break
            }
        }
        return range
    }
}

import CastModels
import CastProtocol

@testable import CastAuthentication

/// What a device proves itself with. The first byte says what the others are: its answer to a challenge, the certificate of its link, or
/// the revocation list that comes with an answer.
enum CertificateTarget: FuzzTarget {
    static let name = "certificate"
    static let takesWordsOfSeeds = false

    static var seeds: [[UInt8]] {
        [
            [0] + Self.field(2, GoldenVector.response), [1] + GoldenVector.tlsCertificate, [1] + GoldenVector.root,
            [2] + Self.revocationLists,
        ]
    }

    /// Of DER: types with short and long lengths. Of the messages: the fields that may be missing.
    static var tokens: [[UInt8]] {
        [
            [0x30, 0x82], [0x30, 0x80], [0x31, 0x00], [0x02, 0x01, 0x00], [0x05, 0x00], [0x01, 0x01, 0xFF], [0x03, 0x02, 0x07, 0x80],
            [0x06, 0x03, 0x55, 0x1D, 0x0F], [0x06, 0x03, 0x55, 0x1D, 0x13], [0x06, 0x03, 0x55, 0x1D, 0x20], [0xA3, 0x00], [0x17, 0x0D],
        ] + [0x0A, 0x12, 0x1A, 0x20, 0x2A, 0x30, 0x3A].map { [$0, 0] }
    }

    /// The message, unless it is a certificate.
    static func changed(_ input: [UInt8], by random: inout MutationRandom) -> [UInt8]? {
        guard let role = input.first, role % 3 != 1 else { return nil }
        return ProtobufMutation.changed(input.dropFirst(), by: &random).map { [role] + $0 }
    }

    private static let anchors = try? TrustAnchors(devicesPEM: GoldenVector.rootPEM, revocationPEM: GoldenVector.rootPEM)
    private static let golden = try? AuthenticationResponse(serialized: GoldenVector.response)

    /// A `CrlBundle` of one unsigned list.
    private static var revocationLists: [UInt8] {
        let range = Self.field(1, [UInt8](repeating: 7, count: 32)) + [0x10, 1, 0x18, 9]
        let list =
            [0x08, 0, 0x10, 1, 0x18, 0x80, 0x80, 0x80, 0x80, 0x10] + Self.field(4, [UInt8](repeating: 8, count: 32)) + Self.field(5, range)
        return Self.field(1, Self.field(1, list) + Self.field(2, GoldenVector.root) + Self.field(3, [UInt8](repeating: 9, count: 256)))
    }

    /// A length-delimited field of a protobuf message.
    private static func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        let length = bytes.count < 0x80 ? [UInt8(bytes.count)] : [UInt8(bytes.count & 0x7F) | 0x80, UInt8(bytes.count >> 7)]
        return [number << 3 | 2] + length + bytes
    }

    static func run(_ input: [UInt8]) {
        guard let role = input.first, var golden = Self.golden else { return require(Self.golden != nil, "the sound answer can't be read") }
        var check = AuthenticationCheck(
            tlsCertificate: GoldenVector.tlsCertificate, nonce: GoldenVector.nonce, anchors: Self.anchors, capabilities: nil,
            now: GoldenVector.now)
        let bytes = Array(input.dropFirst())
        switch role % 3 {
        case 0: self.judge(bytes, check, golden)
        case 1:
            guard bytes != GoldenVector.tlsCertificate else { return }
            check.tlsCertificate = bytes
            require(!check.judge(golden).isAcceptable, "a signature over another certificate is right")
        default:
            golden.revocationLists = bytes
            require(bytes.isEmpty || !check.judge(golden).isAcceptable, "an unsigned list is accepted")
        }
    }

    private static func judge(_ bytes: [UInt8], _ check: AuthenticationCheck, _ golden: AuthenticationResponse) {
        guard case .response(let response) = try? AuthenticationMessage(.binary(bytes)) else { return }
        switch check.judge(response).verdict {
        case .authentic, .expiredChain, .unverified:
            require(response.signature == golden.signature, "a forged signature is accepted")
            require(response.certificate == golden.certificate, "an unsigned certificate is trusted")
        case .failed(let error): planted(error.code == .deviceCertificateNotTrusted && response.intermediates.isEmpty)
        }
    }
}

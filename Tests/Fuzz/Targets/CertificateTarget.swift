import CastModels
import CastProtocol

@testable import CastSender

/// A device's answer to a challenge: protobuf, certificates, revocation lists.
enum CertificateTarget: FuzzTarget {
    static let name = "certificate"

    static var seeds: [[UInt8]] { [GoldenVector.response, GoldenVector.tlsCertificate, GoldenVector.root] }

    private static let anchors = try? TrustAnchors(devicesPEM: GoldenVector.rootPEM, revocationPEM: GoldenVector.rootPEM)
    private static let golden = Self.response(GoldenVector.response)

    private static func response(_ bytes: [UInt8]) -> AuthenticationResponse? {
        if case .response(let response) = try? AuthenticationMessage(.binary(bytes)) { response } else { nil }
    }

    static func run(_ input: [UInt8]) {
        var check = AuthenticationCheck(
            tlsCertificate: GoldenVector.tlsCertificate, nonce: GoldenVector.nonce, anchors: Self.anchors, capabilities: nil,
            now: GoldenVector.now)
        let result = check.judge(.binary(input))
        let response = Self.response(input)
        switch result.verdict {
        case .authentic, .expiredChain, .unverified:
            require(response?.signature == Self.golden?.signature, "a signature that nobody made is right")
            require(response?.certificate == Self.golden?.certificate, "a certificate that nobody signed is trusted")
        case .failed(let error): planted(error.code == .deviceCertificateNotTrusted && response?.intermediates.isEmpty == true)
        }
        // The same bytes where the link's certificate is expected.
        check.tlsCertificate = input
        if let golden = Self.golden, input != GoldenVector.tlsCertificate {
            require(!check.judge(golden).isAcceptable, "a signature over another certificate is right")
        }
        // And as a list of revoked ones, signed or not.
        if var answer = Self.golden {
            check.tlsCertificate = GoldenVector.tlsCertificate
            answer.revocationLists = input
            _ = check.judge(answer)
        }
    }
}

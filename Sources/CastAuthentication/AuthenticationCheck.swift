import CastModels
import CastProtocol
import FoundationEssentials
import X509

/// Verifies a device's answer to our challenge (openscreen `cast_auth_util.cc`). Does no I/O; time and trust anchors are arguments.
package struct AuthenticationCheck {
    /// The longest accepted lifetime of a TLS certificate, in seconds. Devices make a new one every day or two.
    private static let longestTLSValidity: Int64 = 4 * 86_400

    /// DER bytes of the link's certificate; `nil` without TLS.
    var tlsCertificate: [UInt8]?
    /// The random bytes of our challenge.
    var nonce: [UInt8]
    /// The trust anchors; `nil` when the user configured none.
    var anchors: TrustAnchors?
    var capabilities: DeviceCapabilities?
    /// Seconds since 1970.
    var now: Int64

    package init(
        tlsCertificate: [UInt8]?, nonce: [UInt8], anchors: TrustAnchors?, capabilities: DeviceCapabilities?, now: Int64
    ) {
        self.tlsCertificate = tlsCertificate
        self.nonce = nonce
        self.anchors = anchors
        self.capabilities = capabilities
        self.now = now
    }

    /// Returns the result of the proof.
    /// - Parameter payload: the payload of the device's message in the authentication namespace.
    package func judge(_ payload: CastMessage.Payload) -> DeviceAuthenticationResult {
        do throws(CastError) {
            switch try AuthenticationMessage(payload) {
            case .error(let type):
                return Self.failed(.authenticationErrorReceived, "the device answered with error \(type)")
            case .response(let response): return self.judge(response)
            }
        } catch {
            return DeviceAuthenticationResult(.failed(error))
        }
    }

    func judge(_ response: AuthenticationResponse) -> DeviceAuthenticationResult {
        guard let tlsCertificate, self.isAcceptable(tlsCertificate) else {
            return Self.failed(.sslCertificateNotTrusted, "the link's certificate is missing, expired or valid for too long")
        }
        guard response.nonce.isEmpty || response.nonce == self.nonce else {
            return Self.failed(.deviceAuthenticationFailure, "the answer is to another challenge", reason: "nonce_mismatch")
        }
        guard let leaf = try? Certificate(derEncoded: response.certificate) else {
            return Self.failed(.notX509Certificate, "the device's certificate can't be read")
        }
        var result = DeviceAuthenticationResult(.unverified)
        result.nonce = response.nonce.isEmpty ? .missing : .echoed
        let algorithm: Certificate.SignatureAlgorithm =
            response.hashAlgorithm == .sha256 ? .sha256WithRSAEncryption : .sha1WithRSAEncryption
        guard leaf.publicKey.isValidSignature(response.signature, for: response.nonce + tlsCertificate, signatureAlgorithm: algorithm)
        else {
            result.verdict = .failed(
                CastError(
                    .deviceAuthenticationFailure, detail: "the signature is not over this link's certificate",
                    reason: "signature_mismatch"))
            return result
        }
        result.keyFingerprint = leaf.keyHash.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        if let anchors { self.judge(leaf, response, anchors, &result) }
        return result
    }

    private func judge(
        _ leaf: Certificate, _ response: AuthenticationResponse, _ anchors: TrustAnchors, _ result: inout DeviceAuthenticationResult
    ) {
        do throws(CastError) {
            let chain = try self.chain(leaf, response, anchors)
            guard let isAudioOnly = CertificateRules.isAudioOnly(chain.certificates) else {
                throw CastError(.malformedClientCertificate, detail: "its policies can't be read")
            }
            result.policy = isAudioOnly ? .audioOnly : .unrestricted
            guard !isAudioOnly || self.capabilities?.contains(.videoOut) != true else {
                throw CastError(.deviceCapabilityNotSupported, detail: "the certificate is for audio, and the device announces video")
            }
            if !anchors.revocation.isEmpty { result.revocation = try self.revocation(of: chain, response, anchors) }
            result.verdict = chain.isExpired ? .expiredChain : .authentic
        } catch {
            result.verdict = .failed(error)
        }
    }

    private func revocation(
        of chain: CertificateChain, _ response: AuthenticationResponse, _ anchors: TrustAnchors
    ) throws(CastError) -> DeviceAuthenticationResult.Revocation {
        if response.revocationLists.isEmpty { return .listMissing }
        try RevocationCheck.check(
            bundle: response.revocationLists, chain: chain.certificates, anchors: anchors.revocation, now: self.now)
        return .notRevoked
    }

    private func chain(
        _ leaf: Certificate, _ response: AuthenticationResponse, _ anchors: TrustAnchors
    ) throws(CastError) -> CertificateChain {
        let intermediates = response.intermediates.compactMap { try? Certificate(derEncoded: $0) }
        do throws(CertificateChain.Failure) {
            return try CertificateChain(leaf: leaf, intermediates: intermediates, anchors: anchors.devices, now: self.now)
        } catch {
            switch error {
            case .malformedLeaf(let why): throw CastError(.malformedClientCertificate, detail: why)
            case .notTrusted(let why): throw CastError(.deviceCertificateNotTrusted, detail: why)
            }
        }
    }

    private func isAcceptable(_ tlsCertificate: [UInt8]) -> Bool {
        guard let certificate = try? Certificate(derEncoded: tlsCertificate), certificate.isValid(at: self.now) else { return false }
        return Int64(certificate.notValidAfter.timeIntervalSince1970) <= self.now + Self.longestTLSValidity
    }

    private static func failed(_ code: CastError.Code, _ detail: String, reason: String? = nil) -> DeviceAuthenticationResult {
        DeviceAuthenticationResult(.failed(CastError(code, detail: detail, reason: reason)))
    }
}

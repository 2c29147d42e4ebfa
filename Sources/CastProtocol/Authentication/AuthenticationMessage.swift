import CastModels
import Foundation
import SwiftProtobuf

/// What the device authentication namespace carries: binary payloads (openscreen `cast_channel.proto`, `DeviceAuthMessage`).
package enum AuthenticationMessage: Sendable, Hashable {
    case response(AuthenticationResponse)
    /// The device can't or won't; openscreen's `AuthError.ErrorType`.
    case error(type: Int)

    /// Reads a device's answer.
    ///
    /// - Throws: `authenticationMessageUnreadable` for what is no such message, `malformedAuthenticationResponse` when a response lacks its
    ///   signature or its certificate.
    package init(_ payload: CastMessage.Payload) throws(CastError) {
        guard case .binary(let bytes) = payload, let message = try? WireDeviceAuthMessage(serializedBytes: bytes, partial: true),
            message.hasError || message.hasResponse
        else { throw CastError(.authenticationMessageUnreadable, detail: "the answer is no authentication message") }
        if message.hasError {
            self = .error(type: message.error.errorType.rawValue)
        } else {
            self = .response(try AuthenticationResponse(message.response))
        }
    }

    /// The payload of a challenge: RSASSA-PKCS1-v1_5 (left at its default), SHA-256 and `nonce`.
    package static func challenge(nonce: [UInt8]) -> [UInt8] {
        var challenge = WireAuthChallenge()
        challenge.senderNonce = Data(nonce)
        challenge.hashAlgorithm = .sha256
        var message = WireDeviceAuthMessage()
        message.challenge = challenge
        return (try? message.serializedBytes()) ?? []
    }
}

/// A device's proof, as it came.
package struct AuthenticationResponse: Sendable, Hashable {
    package enum HashAlgorithm: Sendable, Hashable { case sha1, sha256 }

    /// Over the nonce followed by the DER bytes of the device's TLS certificate.
    package var signature: [UInt8]
    /// X.509, DER.
    package var certificate: [UInt8]
    /// X.509, DER, in no particular order.
    package var intermediates: [[UInt8]]
    /// Empty when the device returned none.
    package var nonce: [UInt8]
    package var hashAlgorithm: HashAlgorithm
    /// A serialized `CrlBundle`; empty when there is none.
    package var revocationLists: [UInt8]

    package init(
        signature: [UInt8], certificate: [UInt8], intermediates: [[UInt8]], nonce: [UInt8], hashAlgorithm: HashAlgorithm,
        revocationLists: [UInt8] = []
    ) {
        self.signature = signature
        self.certificate = certificate
        self.intermediates = intermediates
        self.nonce = nonce
        self.hashAlgorithm = hashAlgorithm
        self.revocationLists = revocationLists
    }

    /// Reads a serialized `AuthResponse`.
    package init(serialized bytes: [UInt8]) throws(CastError) {
        guard let response = try? WireAuthResponse(serializedBytes: bytes, partial: true) else {
            throw CastError(.authenticationMessageUnreadable, detail: "no AuthResponse")
        }
        try self.init(response)
    }

    init(_ response: WireAuthResponse) throws(CastError) {
        guard !response.signature.isEmpty, !response.clientAuthCertificate.isEmpty else {
            throw CastError(.malformedAuthenticationResponse, detail: "it lacks the signature or the certificate")
        }
        self.init(
            signature: Array(response.signature), certificate: Array(response.clientAuthCertificate),
            intermediates: response.intermediateCertificate.map { Array($0) }, nonce: Array(response.senderNonce),
            hashAlgorithm: response.hashAlgorithm == .sha256 ? .sha256 : .sha1, revocationLists: Array(response.crl))
    }
}

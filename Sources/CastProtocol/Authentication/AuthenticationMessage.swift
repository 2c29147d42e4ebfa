import CastModels
import NIOCore

/// A message of the device authentication namespace: binary payloads (openscreen `cast_channel.proto`, `DeviceAuthMessage`).
package enum AuthenticationMessage: Sendable, Hashable {
    case response(AuthenticationResponse)
    /// The device cannot or will not answer; openscreen's `AuthError.ErrorType`.
    case error(type: Int)

    /// Parses a device's answer.
    ///
    /// - Throws: `authenticationMessageUnreadable` for a payload that is not such a message, `malformedAuthenticationResponse` when a
    ///   response lacks its signature or its certificate.
    package init(_ payload: CastMessage.Payload) throws(CastError) {
        guard case .binary(let bytes) = payload else { throw Self.unreadable }
        var (response, error): (Range<Int>?, Range<Int>?)
        var type = 0
        do throws(ProtobufReader.Malformed) {
            var reader = ProtobufReader(bytes.indices)
            while let field = try reader.next(in: bytes.span) {
                switch field {
                case (2, .bytes(let range)): response = range
                case (3, .bytes(let range)): error = range
                default: break
                }
            }
            if let error {
                var reader = ProtobufReader(error)
                while let field = try reader.next(in: bytes.span) {
                    if case (1, .number(let number)) = field { type = Int(Int32(truncatingIfNeeded: number)) }
                }
            }
        } catch {
            throw Self.unreadable
        }
        if error != nil {
            self = .error(type: type)
        } else if let response {
            self = .response(try AuthenticationResponse(serialized: Array(bytes[response])))
        } else {
            throw Self.unreadable
        }
    }

    /// Returns the payload of a challenge: RSASSA-PKCS1-v1_5 (the default), SHA-256 and `nonce`.
    package static func challenge(nonce: [UInt8]) -> [UInt8] {
        var challenge = ProtobufWriter()
        challenge.write(2, nonce)
        challenge.write(3, 1)
        var message = ProtobufWriter()
        message.write(1, challenge.bytes)
        return message.bytes
    }

    fileprivate static let unreadable = CastError(
        .authenticationMessageUnreadable, detail: "the answer is no authentication message")
}

/// A device's proof, unverified.
package struct AuthenticationResponse: Sendable, Hashable {
    package enum HashAlgorithm: Sendable, Hashable { case sha1, sha256 }

    /// The signature of the nonce followed by the DER bytes of the device's TLS certificate.
    package var signature: [UInt8] = []
    /// The device's certificate: X.509, DER.
    package var certificate: [UInt8] = []
    /// The intermediate certificates: X.509, DER, in no particular order.
    package var intermediates: [[UInt8]] = []
    /// The nonce; empty when the device returned none.
    package var nonce: [UInt8] = []
    package var hashAlgorithm = HashAlgorithm.sha1
    /// A serialized `CrlBundle`; empty when there is none.
    package var revocationLists: [UInt8] = []
}

extension AuthenticationResponse {
    /// Parses a serialized `AuthResponse`.
    package init(serialized bytes: [UInt8]) throws(CastError) {
        self.init()
        do throws(ProtobufReader.Malformed) {
            var reader = ProtobufReader(bytes.indices)
            while let field = try reader.next(in: bytes.span) {
                switch field {
                case (1, .bytes(let range)): self.signature = Array(bytes[range])
                case (2, .bytes(let range)): self.certificate = Array(bytes[range])
                case (3, .bytes(let range)): self.intermediates.append(Array(bytes[range]))
                case (5, .bytes(let range)): self.nonce = Array(bytes[range])
                case (6, .number(let number)): self.hashAlgorithm = number == 1 ? .sha256 : .sha1
                case (7, .bytes(let range)): self.revocationLists = Array(bytes[range])
                default: break
                }
            }
        } catch {
            throw AuthenticationMessage.unreadable
        }
        guard !self.signature.isEmpty, !self.certificate.isEmpty else {
            throw CastError(.malformedAuthenticationResponse, detail: "it lacks the signature or the certificate")
        }
    }
}

import CastProtocol
import Crypto
import CryptoExtras
import Foundation
import NIOSSL
import Testing
import X509

@testable import CastReceiverSimulator

@Suite struct DeviceAuthenticatorTests {
    private static let device = Probe().model.description

    private static func challenge(nonce: [UInt8], signatureAlgorithm: UInt64? = nil, hash: UInt64?) -> [UInt8] {
        var inner = ProtobufWriter()
        if let signatureAlgorithm { inner.write(1, signatureAlgorithm) }
        inner.write(2, nonce)
        if let hash { inner.write(3, hash) }
        var outer = ProtobufWriter()
        outer.write(1, inner.bytes)
        return outer.bytes
    }

    @Test("a challenge is answered by a signature over nonce and TLS certificate, under a chain of the simulator's own")
    func response() throws {
        let authenticator = DeviceAuthenticator()
        let tls = try SelfSignedCertificate(commonName: "x", at: Date()).identity.certificateDER
        let nonce = [UInt8](1...16)
        for hash in [UInt64?.none, 1] {
            let answer = authenticator.answer(
                challenge: Self.challenge(nonce: nonce, hash: hash), device: Self.device, tlsCertificate: tls, at: Date())
            let message = try #require(answer.flatMap(ProtobufMessage.init))
            #expect(message.bytes(3) == nil)
            let response = try #require(message.bytes(2).flatMap(ProtobufMessage.init))
            #expect(response.bytes(5) == nonce)
            #expect(response.number(6) == hash ?? 0)
            let leaf = try Certificate(derEncoded: try #require(response.bytes(2)))
            let intermediate = try Certificate(derEncoded: try #require(response.bytes(3)))
            #expect(intermediate.publicKey.isValidSignature(leaf.signature, for: leaf))
            let root = try Certificate(pemEncoded: try authenticator.rootPEM(at: Date()))
            #expect(root.publicKey.isValidSignature(intermediate.signature, for: intermediate))
            #expect(leaf.subject.description.contains(Self.device.hotspotAddress))
            let key = try _RSA.Signing.PublicKey(
                derRepresentation: Array(try #require(_RSA.Signing.PublicKey(leaf.publicKey)).derRepresentation))
            let signature = _RSA.Signing.RSASignature(rawRepresentation: try #require(response.bytes(1)))
            let data = nonce + tls
            #expect(
                hash == 1
                    ? key.isValidSignature(signature, for: SHA256.hash(data: data), padding: .insecurePKCS1v1_5)
                    : key.isValidSignature(signature, for: Insecure.SHA1.hash(data: data), padding: .insecurePKCS1v1_5))
        }
    }

    @Test(
        "what cannot be answered gives a well-formed AuthError",
        arguments: [([], 0), ([0xFF], 0), (challenge(nonce: [1], signatureAlgorithm: 2, hash: nil), 2)] as [([UInt8], UInt64)])
    func errors(challenge: [UInt8], type: UInt64) throws {
        let answer = DeviceAuthenticator().answer(challenge: challenge, device: Self.device, tlsCertificate: [1], at: Date())
        let error = try #require(answer.flatMap(ProtobufMessage.init)?.bytes(3).flatMap(ProtobufMessage.init))
        #expect(error.number(1) == type)
    }

    /// The findings of a sender that knows the root and checks an answer.
    private struct Finding: Equatable {
        var echoesNonce = true
        var signsTheConnection = true
        var intermediateIsValid = true
        var rootIsKnown = true
        var isAudioOnly = false
    }

    @Test(
        "each manner of answering is wrong in its own way and in no other",
        arguments: [
            (.genuine, Finding()), (.audioOnly, Finding(isAudioOnly: true)), (.noNonce, Finding(echoesNonce: false)),
            (.expired, Finding(intermediateIsValid: false)), (.wrongRoot, Finding(rootIsKnown: false)),
            (.wrongNonce, Finding(echoesNonce: false)), (.otherCertificate, Finding(signsTheConnection: false)),
        ] as [(AuthenticationManner, Finding)])
    private func manners(manner: AuthenticationManner, expected: Finding) throws {
        let (authenticator, now, nonce) = (DeviceAuthenticator(), Date(), [UInt8](1...16))
        let tls = [UInt8](repeating: 7, count: 300)
        let answer = try #require(
            authenticator.answer(
                challenge: Self.challenge(nonce: nonce, hash: 1), device: Self.device, tlsCertificate: tls, manner: manner, at: now))
        let response = try #require(ProtobufMessage(answer)?.bytes(2).flatMap(ProtobufMessage.init))
        let leaf = try Certificate(derEncoded: try #require(response.bytes(2)))
        let intermediate = try Certificate(derEncoded: try #require(response.bytes(3)))
        let root = try Certificate(pemEncoded: try authenticator.rootPEM(at: now))
        let echoed = response.bytes(5) ?? []
        let key = try #require(_RSA.Signing.PublicKey(leaf.publicKey))
        let signature = _RSA.Signing.RSASignature(rawRepresentation: try #require(response.bytes(1)))
        #expect(intermediate.publicKey.isValidSignature(leaf.signature, for: leaf))
        #expect(leaf.notValidBefore < now && leaf.notValidAfter > now)
        let finding = Finding(
            echoesNonce: echoed == nonce,
            signsTheConnection: key.isValidSignature(signature, for: SHA256.hash(data: echoed + tls), padding: .insecurePKCS1v1_5),
            intermediateIsValid: intermediate.notValidAfter > now,
            rootIsKnown: root.publicKey.isValidSignature(intermediate.signature, for: intermediate),
            isAudioOnly: leaf.extensions.contains { $0.oid == [2, 5, 29, 32] })
        #expect(finding == expected)
    }

    /// The findings of a sender that knows the root and checks a revocation list. Each has the key and numbers of another issuer.
    private struct List: Equatable {
        var revokesIntermediate = false
        var revokesLeaf = false
        var holdsNow = true
        var isSigned = true
    }

    @Test(
        "a revocation list contains of the chain what its manner demands, signed by a certificate below the root",
        arguments: [
            (.revocationList, List()), (.revokedKey, List(revokesIntermediate: true)), (.revokedSerialNumber, List(revokesLeaf: true)),
            (.staleRevocationList, List(holdsNow: false)), (.forgedRevocationList, List(revokesIntermediate: true, isSigned: false)),
            (.genuine, nil), (.expired, nil),
        ] as [(AuthenticationManner, List?)])
    private func revocation(manner: AuthenticationManner, expected: List?) throws {
        let (authenticator, now) = (DeviceAuthenticator(), Date())
        let answer = try #require(
            authenticator.answer(
                challenge: Self.challenge(nonce: [1], hash: 1), device: Self.device, tlsCertificate: [1], manner: manner, at: now))
        let response = try #require(ProtobufMessage(answer)?.bytes(2).flatMap(ProtobufMessage.init))
        guard let expected else { return #expect(response.bytes(7) == nil) }
        let signed = try #require(response.bytes(7).flatMap(ProtobufMessage.init)?.bytes(1).flatMap(ProtobufMessage.init))
        let list = try #require(signed.bytes(1).flatMap(ProtobufMessage.init))
        let leaf = try Certificate(derEncoded: try #require(response.bytes(2)))
        let intermediate = try Certificate(derEncoded: try #require(response.bytes(3)))
        let signer = try Certificate(derEncoded: try #require(signed.bytes(2)))
        let root = try Certificate(pemEncoded: try authenticator.rootPEM(at: now))
        #expect(root.publicKey.isValidSignature(signer.signature, for: signer))
        let key = try #require(_RSA.Signing.PublicKey(signer.publicKey))
        let signature = _RSA.Signing.RSASignature(rawRepresentation: try #require(signed.bytes(3)))
        let digest = SHA256.hash(data: try #require(signed.bytes(1)))
        let issuer = Array(SHA256.hash(data: try #require(_RSA.Signing.PublicKey(intermediate.publicKey)).derRepresentation))
        let range = try #require(list.bytes(5).flatMap(ProtobufMessage.init))
        #expect(range.bytes(1) == issuer && range.number(2) == range.number(3))
        let serialNumber = leaf.serialNumber.bytes.drop { $0 == 0 }.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let seconds = UInt64(now.timeIntervalSince1970)
        let found = List(
            revokesIntermediate: list.bytes(4) == issuer, revokesLeaf: range.number(2) == serialNumber,
            holdsNow: (list.number(2) ?? .max) < seconds && (list.number(3) ?? 0) > seconds,
            isSigned: key.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5))
        #expect(found == expected)
    }

    @Test("a device can answer with an error or not at all")
    func refusals() {
        let challenge = Self.challenge(nonce: [1], hash: 1)
        func answer(_ manner: AuthenticationManner) -> [UInt8]? {
            DeviceAuthenticator().answer(challenge: challenge, device: Self.device, tlsCertificate: [1], manner: manner, at: Date())
        }
        #expect(answer(.silent) == nil)
        #expect(answer(.error).flatMap(ProtobufMessage.init)?.bytes(3) != nil)
    }

    @Test("certificates are valid now, for two days at most, and differ")
    func certificates() throws {
        let now = Date()
        let clock = ContinuousClock()
        let start = clock.now
        var all: Set<[UInt8]> = []
        for index in 0..<100 { all.insert(try SelfSignedCertificate(commonName: "device \(index)", at: now).identity.certificateDER) }
        print("100 certificates:", clock.now - start)
        #expect(all.count == 100)
        let one = try Certificate(derEncoded: try #require(all.first))
        #expect(
            one.notValidBefore < now && one.notValidAfter > now && one.notValidAfter <= now.addingTimeInterval(2 * 86_400 + 1),
            "to the second")
    }
}

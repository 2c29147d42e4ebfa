import CastModels
import Testing
import X509

@testable import CastAuthentication
@testable import CastProtocol
@testable import CastSender

@Suite struct AuthenticationCheckTests {
    // MARK: - The golden vector

    private static func golden(_ change: (inout AuthenticationCheck, inout AuthenticationResponse) -> Void = { _, _ in }) throws
        -> DeviceAuthenticationResult
    {
        var check = AuthenticationCheck(
            tlsCertificate: GoldenVector.tlsCertificate, nonce: GoldenVector.nonce,
            anchors: try TrustAnchors(devicesPEM: GoldenVector.rootPEM), capabilities: [.videoOut, .audioOut], now: GoldenVector.now)
        var response = try AuthenticationResponse(serialized: GoldenVector.response)
        change(&check, &response)
        return check.judge(response)
    }

    @Test("the recorded answer of a device verifies")
    func goldenVector() throws {
        let result = try Self.golden()
        #expect(result.verdict == .authentic)
        #expect(result.nonce == .echoed)
        #expect(result.policy == .unrestricted)
        #expect(result.keyFingerprint?.hasPrefix("8044c13da8ec4eba") == true)
        #expect(result.keyFingerprint?.hasSuffix("0c1306c") == true)
        #expect(result.isAcceptable)
    }

    @Test("any changed byte of nonce, TLS certificate or signature is noticed", arguments: 0..<12)
    func changedBytes(step: Int) throws {
        for part in 0..<3 {
            let result = try Self.golden { check, response in
                switch part {
                case 0:
                    response.nonce[step % 16] ^= 1
                    check.nonce = response.nonce
                case 1: check.tlsCertificate?[600 + step] ^= 1
                default: response.signature[step * 20] ^= 1
                }
            }
            guard case .failed(let error) = result.verdict else {
                Issue.record("part \(part), step \(step) was not noticed")
                continue
            }
            #expect(error.reason == "signature_mismatch")
            #expect(result.keyFingerprint == nil)
        }
    }

    @Test("without anchors the recorded answer is unverified, and its key known")
    func withoutAnchors() throws {
        let result = try Self.golden { check, _ in check.anchors = nil }
        #expect(result.verdict == .unverified)
        #expect(result.keyFingerprint != nil)
    }

    // MARK: - Each kind of wrong one

    enum Kind: CaseIterable {
        case genuine, genuineSHA1, noNonce, wrongNonce, otherTLSCertificate, noTLS, expiredTLS, longLivedTLS, futureTLS, wrongRoot,
            expiredLeaf,
            expiredIntermediate, expiredRoot, notYetValid, leafNotYetValid, unreadableUsage, missingIntermediate, leafNotACertificate,
            leafMayNotSign, leafWithoutUsage,
            intermediateNoAuthority, intermediateMayNotSignCertificates, pathTooLong, unknownCritical, namesOutside, namesInside,
            audioOnlyOnSpeaker,
            audioOnlyOnScreen, audioOnlyIntermediate, otherPolicy, superfluousIntermediates
    }

    /// The verdict in words, and the policy where it matters.
    private static let expected: [Kind: String] = [
        .genuine: "authentic", .genuineSHA1: "authentic", .noNonce: "authentic without nonce",
        .wrongNonce: "failed 3 nonce_mismatch", .otherTLSCertificate: "failed 3 signature_mismatch", .noTLS: "failed 44",
        .expiredTLS: "failed 44", .longLivedTLS: "failed 44", .futureTLS: "failed 44", .wrongRoot: "failed 43",
        .expiredLeaf: "expired chain",
        .expiredIntermediate: "expired chain", .expiredRoot: "authentic", .notYetValid: "failed 43",
        .leafNotYetValid: "failed 43", .unreadableUsage: "failed 43", .missingIntermediate: "failed 43",
        .leafNotACertificate: "failed 42", .leafMayNotSign: "failed 41", .leafWithoutUsage: "failed 41",
        .intermediateNoAuthority: "failed 43",
        .intermediateMayNotSignCertificates: "failed 43", .pathTooLong: "failed 43", .unknownCritical: "failed 43",
        .namesOutside: "failed 43",
        .namesInside: "authentic", .audioOnlyOnSpeaker: "authentic for audio", .audioOnlyOnScreen: "failed 46",
        .audioOnlyIntermediate: "authentic for audio", .otherPolicy: "authentic", .superfluousIntermediates: "authentic",
    ]

    @Test("each kind of answer has its own result", arguments: Kind.allCases)
    func kinds(kind: Kind) throws { #expect(Self.describe(try Self.judge(kind)) == Self.expected[kind]) }

    @Test("a chain of six certificates is followed, a longer one is not", arguments: [(4, true), (5, false)])
    func longestChain(intermediates: Int, isTrusted: Bool) throws {
        let keys = try TestChain.keys.get()
        let root = try TestChain.certificate(
            TestChain.name("root"), key: keys.root.publicKey, issuer: TestChain.name("root"), signedBy: keys.root)
        var chain: [Certificate] = []
        var (issuer, key) = (TestChain.name("root"), keys.root)
        for number in 0..<intermediates {
            let name = TestChain.name("intermediate \(number)")
            chain.append(try TestChain.certificate(name, key: keys.intermediate.publicKey, issuer: issuer, signedBy: key))
            (issuer, key) = (name, keys.intermediate)
        }
        let leaf = try Self.leaf(issuer: issuer, signedBy: key)
        let found = try? CertificateChain(leaf: leaf, intermediates: chain, anchors: [root], now: TestChain.now)
        #expect((found?.certificates.count == intermediates + 2) == isTrusted)
    }

    @Test("of 64 issuers with the right name each is tried, of more the rest is not", arguments: [(62, true), (63, false)])
    func mostIssuers(strangers: Int, isTrusted: Bool) throws {
        let keys = try TestChain.keys.get()
        let (rootName, name) = (TestChain.name("root"), TestChain.name("issuer"))
        let root = try TestChain.certificate(rootName, key: keys.root.publicKey, issuer: rootName, signedBy: keys.root)
        var shape = TestChain.Shape()
        var issuers: [Certificate] = []
        for serial in 0..<strangers {
            shape.serial = 100 + serial
            issuers.append(
                try TestChain.certificate(name, key: keys.stranger.publicKey, issuer: rootName, signedBy: keys.stranger, shape))
        }
        issuers.append(try TestChain.certificate(name, key: keys.intermediate.publicKey, issuer: rootName, signedBy: keys.root))
        let leaf = try Self.leaf(issuer: name, signedBy: keys.intermediate)
        let found = try? CertificateChain(leaf: leaf, intermediates: issuers, anchors: [root], now: TestChain.now)
        #expect((found != nil) == isTrusted)
    }

    private static func leaf(issuer: DistinguishedName, signedBy key: Certificate.PrivateKey) throws -> Certificate {
        var shape = TestChain.Shape()
        shape.isAuthority = false
        shape.keyUsage = KeyUsage(digitalSignature: true)
        let keys = try TestChain.keys.get()
        return try TestChain.certificate(TestChain.name("leaf"), key: .init(keys.leaf.publicKey), issuer: issuer, signedBy: key, shape)
    }

    @Test("up to 64 certificates can be trusted", arguments: [(64, true), (65, false)])
    func anchorLimit(count: Int, isAccepted: Bool) {
        let text = String(repeating: GoldenVector.rootPEM + "\n", count: count)
        #expect(((try? TrustAnchors(devicesPEM: text)) != nil) == isAccepted)
    }

    private static func describe(_ result: DeviceAuthenticationResult) -> String {
        switch result.verdict {
        case .authentic:
            "authentic" + (result.nonce == .missing ? " without nonce" : "") + (result.policy == .audioOnly ? " for audio" : "")
        case .expiredChain: "expired chain"
        case .unverified: "unverified"
        case .failed(let error): "failed \(error.code.rawValue)" + (error.reason.map { " \($0)" } ?? "")
        }
    }

    private static func judge(_ kind: Kind) throws -> DeviceAuthenticationResult {
        let now = TestChain.now
        let nonce = [UInt8](repeating: 5, count: 16)
        var (root, intermediate, leaf) = (TestChain.Shape(), TestChain.Shape(), TestChain.Shape())
        leaf.keyUsage = KeyUsage(digitalSignature: true)
        var capabilities: DeviceCapabilities = [.videoOut, .audioOut]
        switch kind {
        case .expiredLeaf: leaf.notAfter = now - 1
        case .expiredIntermediate: intermediate.notAfter = now - 1
        case .expiredRoot: root.notAfter = now - 1
        case .notYetValid: intermediate.notBefore = now + 1
        case .leafNotYetValid: leaf.notBefore = now + 1
        case .unreadableUsage: intermediate.unreadable = [2, 5, 29, 15]
        case .leafMayNotSign: leaf.keyUsage = KeyUsage(keyEncipherment: true)
        case .leafWithoutUsage: leaf.keyUsage = nil
        case .intermediateNoAuthority: intermediate.isAuthority = false
        case .intermediateMayNotSignCertificates: intermediate.keyUsage = KeyUsage(digitalSignature: true)
        case .pathTooLong: root.pathLength = 0
        case .unknownCritical: intermediate.critical = [1, 2, 3, 4]
        case .namesOutside, .namesInside:
            var constraints = NameConstraints()
            let organisation = try DistinguishedName { OrganizationName(kind == .namesInside ? "Test" : "Other") }
            constraints.permittedSubtrees = [.directoryName(organisation)]
            intermediate.constraints = constraints
        case .audioOnlyOnSpeaker:
            leaf.policy = CertificateRules.audioOnlyPolicy
            capabilities = [.audioOut]
        case .audioOnlyOnScreen: leaf.policy = CertificateRules.audioOnlyPolicy
        case .audioOnlyIntermediate:
            intermediate.policy = CertificateRules.audioOnlyPolicy
            capabilities = [.audioOut]
        case .otherPolicy: leaf.policy = [1, 2, 3]
        default: break
        }
        let chain = try TestChain.chain(root: root, intermediate: intermediate, leaf: leaf)
        var tls: [UInt8]? = try TestChain.tlsCertificate()
        switch kind {
        case .expiredTLS: tls = try TestChain.tlsCertificate(notAfter: now - 1)
        case .longLivedTLS: tls = try TestChain.tlsCertificate(notAfter: now + 5 * 86_400)
        case .futureTLS: tls = try TestChain.tlsCertificate(notBefore: now + 1)
        default: break
        }
        let sentNonce: [UInt8] = kind == .noNonce ? [] : kind == .wrongNonce ? nonce.map { $0 ^ 1 } : nonce
        let signed = kind == .otherTLSCertificate ? try TestChain.tlsCertificate(notAfter: now + 100) : tls ?? []
        var response = AuthenticationResponse(
            signature: try TestChain.signature(sentNonce + signed, usesSHA256: kind != .genuineSHA1),
            certificate: try TestChain.der(chain.leaf), intermediates: [try TestChain.der(chain.intermediate)], nonce: sentNonce,
            hashAlgorithm: kind == .genuineSHA1 ? .sha1 : .sha256)
        if kind == .missingIntermediate { response.intermediates = [] }
        if kind == .leafNotACertificate { response.certificate = [1, 2, 3] }
        if kind == .superfluousIntermediates {
            response.intermediates = [[0], try TestChain.der(chain.root), tls ?? []] + response.intermediates
        }
        if kind == .noTLS { tls = nil }
        let strangers = try TestChain.certificate(
            TestChain.name("root"), key: TestChain.keys.get().stranger.publicKey, issuer: TestChain.name("root"),
            signedBy: TestChain.keys.get().stranger)
        let check = AuthenticationCheck(
            tlsCertificate: tls, nonce: nonce, anchors: try TestChain.anchors(kind == .wrongRoot ? strangers : chain.root),
            capabilities: capabilities, now: now)
        return check.judge(response)
    }

    // MARK: - Revocation

    enum ListKind: CaseIterable {
        case empty, absent, leafKey, intermediateKey, rootKey, leafSerial, intermediateSerial, otherSerial, otherIssuer, expired, future,
            wrongSignature,
            wrongSigner, otherVersion, reversedRange, unreadable
    }

    private static let revocation: [ListKind: String] = [
        .empty: "authentic", .absent: "authentic", .leafKey: "failed 48", .intermediateKey: "failed 48", .rootKey: "failed 48",
        .leafSerial: "failed 48", .intermediateSerial: "failed 48", .otherSerial: "authentic", .otherIssuer: "authentic",
        .expired: "failed 47",
        .future: "failed 47", .wrongSignature: "failed 47", .wrongSigner: "failed 47", .otherVersion: "failed 47",
        .reversedRange: "failed 47",
        .unreadable: "failed 47",
    ]

    @Test("a revocation list that comes along is checked and obeyed", arguments: ListKind.allCases)
    func revocation(kind: ListKind) throws {
        var (intermediate, leaf) = (TestChain.Shape(), TestChain.Shape())
        (intermediate.serial, leaf.serial) = (42, 1234)
        leaf.keyUsage = KeyUsage(digitalSignature: true)
        let chain = try TestChain.chain(intermediate: intermediate, leaf: leaf)
        var list = TestChain.List()
        switch kind {
        case .leafKey: list.revokedHashes = [chain.leaf.keyHash]
        case .intermediateKey: list.revokedHashes = [[1], chain.intermediate.keyHash]
        case .rootKey: list.revokedHashes = [chain.root.keyHash]
        case .leafSerial: list.ranges = [(chain.intermediate.keyHash, 1234, 1234)]
        case .intermediateSerial: list.ranges = [(chain.root.keyHash, 0, 50)]
        case .otherSerial: list.ranges = [(chain.intermediate.keyHash, 0, 1233), (chain.intermediate.keyHash, 1235, .max)]
        case .otherIssuer: list.ranges = [(chain.leaf.keyHash, 0, .max)]
        case .expired: list.notAfter = UInt64(TestChain.now - 1)
        case .future: list.notBefore = UInt64(TestChain.now + 1)
        case .wrongSignature: list.isSignatureRight = false
        case .wrongSigner: list.isSignerTrusted = false
        case .otherVersion: list.version = 1
        case .reversedRange: list.ranges = [([1], 2, 1)]
        case .empty, .absent, .unreadable: break
        }
        let (tls, nonce) = (try TestChain.tlsCertificate(), [UInt8](repeating: 1, count: 16))
        var response = AuthenticationResponse(
            signature: try TestChain.signature(nonce + tls), certificate: try TestChain.der(chain.leaf),
            intermediates: [try TestChain.der(chain.intermediate)], nonce: nonce, hashAlgorithm: .sha256,
            revocationLists: try TestChain.bundle(list, root: chain.root))
        if kind == .absent { response.revocationLists = [] }
        if kind == .unreadable { response.revocationLists = [0x0A, 0x7F, 0x00] }
        let check = AuthenticationCheck(
            tlsCertificate: tls, nonce: nonce, anchors: try TestChain.anchors(chain.root, revocation: chain.root), capabilities: nil,
            now: TestChain.now)
        let result = check.judge(response)
        #expect(Self.describe(result) == Self.revocation[kind])
        #expect(result.revocation == (result.isFailure ? nil : kind == .absent ? .listMissing : .notRevoked))
    }

    // MARK: - Trust anchors

    @Test(
        "anchors that can't be read are refused",
        arguments: ["", "no PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func anchors(pem: String) { #expect(throws: CastError.self) { try TrustAnchors(devicesPEM: pem) } }

    @Test("several anchors may stand in one file, with text between them")
    func severalAnchors() throws {
        let anchors = try TrustAnchors(devicesPEM: "# one\n" + GoldenVector.rootPEM + "\n# two\n" + GoldenVector.rootPEM)
        #expect(anchors.devices.count == 2)
        #expect(throws: CastError.self) { try TrustAnchors(contentsOfFile: "/nonexistent/anchors.pem") }
    }
}

import CastModels
import Testing

@testable import CastProtocol

@Suite struct AuthenticationMessageTests {
    @Test("a challenge asks for SHA-256 and leaves the algorithm at its default")
    func challenge() {
        let nonce = [UInt8](1...16)
        #expect(AuthenticationMessage.challenge(nonce: nonce) == [0x0A, 0x14, 0x12, 0x10] + nonce + [0x18, 0x01])
    }

    @Test("an error is read with its kind", arguments: 0...2)
    func error(type: Int) throws {
        let message = try AuthenticationMessage(.binary([0x1A, 0x02, 0x08, UInt8(type)]))
        #expect(message == .error(type: type))
    }

    @Test("a response is read with all its parts")
    func response() throws {
        let inner: [UInt8] = [
            0x0A, 1, 7, 0x12, 2, 8, 9, 0x1A, 1, 1, 0x1A, 1, 2, 0x20, 1, 0x2A, 1, 5, 0x30, 1, 0x3A, 1, 6,
        ]
        let expected = AuthenticationResponse(
            signature: [7], certificate: [8, 9], intermediates: [[1], [2]], nonce: [5], hashAlgorithm: .sha256, revocationLists: [6])
        #expect(try AuthenticationMessage(.binary([0x12, UInt8(inner.count)] + inner)) == .response(expected))
        #expect(try AuthenticationResponse(serialized: Array(inner.prefix(7))).hashAlgorithm == .sha1)
    }

    @Test(
        "what is no answer is an error for that message",
        arguments: [
            (CastMessage.Payload.text("{}"), CastError.Code.authenticationMessageUnreadable),
            (.binary([]), .authenticationMessageUnreadable),
            (.binary([0xFF]), .authenticationMessageUnreadable), (.binary([0x0A, 0x00]), .authenticationMessageUnreadable),
            (.binary([0x12, 0x00]), .malformedAuthenticationResponse),
            (.binary([0x12, 0x03, 0x0A, 1, 7]), .malformedAuthenticationResponse),
        ])
    func refused(payload: CastMessage.Payload, code: CastError.Code) {
        do throws(CastError) {
            _ = try AuthenticationMessage(payload)
            Issue.record("it should be refused")
        } catch {
            #expect(error.code == code)
        }
    }

    @Test("a revocation list that ends within a field is refused, at whatever byte it ends")
    func truncated() throws {
        let signed: [UInt8] = [0x08, 0, 0x10, 100, 0x18, 200, 1, 0x22, 1, 9, 0x2A, 7, 0x0A, 1, 3, 0x10, 4, 0x18, 5]
        let list = [0x0A, UInt8(signed.count)] + signed + [0x12, 1, 1, 0x1A, 1, 2]
        let bundle = [0x0A, UInt8(list.count)] + list
        let read = try RevocationList.bundle(bundle)
        #expect(read.count == 1)
        #expect(read.first?.notBefore == 100 && read.first?.notAfter == 200)
        #expect(read.first?.revokedKeyHashes == [[9]])
        #expect(read.first?.revokedSerialNumbers == [.init(issuerKeyHash: [3], first: 4, last: 5)])
        #expect(read.first?.signedBytes == signed)
        for end in 1..<bundle.count {
            #expect(throws: CastError.self) { try RevocationList.bundle(Array(bundle.prefix(end))) }
        }
    }
}

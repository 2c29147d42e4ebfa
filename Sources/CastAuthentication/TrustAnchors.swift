import CastModels
import FoundationEssentials
import X509

/// The root certificates of devices, and of revocation lists. The library contains no certificates: the user names a file.
public struct TrustAnchors: Sendable {
    /// The largest number of certificates read.
    private static let limit = 64

    let devices: [Certificate]
    let revocation: [Certificate]

    /// Reads certificates in PEM.
    ///
    /// - Parameters:
    ///   - devicesPEM: one or more; their dates are ignored.
    ///   - revocationPEM: the issuers of certificates that sign revocation lists; without any, revocation lists are ignored.
    /// - Throws: `invalidRequest` when there is no certificate, or one that cannot be read.
    public init(devicesPEM: String, revocationPEM: String = "") throws(CastError) {
        self.devices = try Self.certificates(devicesPEM, "devicesPEM")
        self.revocation = try revocationPEM.isEmpty ? [] : Self.certificates(revocationPEM, "revocationPEM")
    }

    /// Reads certificates from files in PEM.
    ///
    /// - Throws: `invalidRequest`, also when a file cannot be read.
    public init(contentsOfFile path: String, revocationFile: String? = nil) throws(CastError) {
        try self.init(
            devicesPEM: Self.contents(of: path),
            revocationPEM: revocationFile.map { path throws(CastError) in try Self.contents(of: path) } ?? "")
    }

    private static func contents(of path: String) throws(CastError) -> String {
        do { return try String(contentsOfFile: path, encoding: .utf8) } catch {
            throw .invalidArgument("path", "\(path) can't be read")
        }
    }

    private static func certificates(_ pem: String, _ name: String) throws(CastError) -> [Certificate] {
        let marker = "-----END CERTIFICATE-----"
        let pieces = pem.split(separator: marker, omittingEmptySubsequences: false).dropLast()
        guard !pieces.isEmpty, pieces.count <= Self.limit else {
            throw .invalidArgument(name, "1 to \(Self.limit) certificates in PEM are wanted")
        }
        var certificates: [Certificate] = []
        for piece in pieces {
            guard let start = piece.firstRange(of: "-----BEGIN CERTIFICATE-----"),
                let certificate = try? Certificate(pemEncoded: String(piece[start.lowerBound...]) + marker + "\n")
            else { throw .invalidArgument(name, "certificate \(certificates.count + 1) can't be read") }
            certificates.append(certificate)
        }
        return certificates
    }
}

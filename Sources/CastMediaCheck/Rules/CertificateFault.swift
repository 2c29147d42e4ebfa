import FoundationEssentials
import SwiftASN1
import X509

/// Finds out why TLS refused the certificate of a server. Pure.
enum CertificateFault {
    /// - Parameters:
    ///   - chain: the certificates that the server sent, in DER, its own first.
    ///   - host: the name in the address, or a numeric address.
    ///   - now: seconds since 1970.
    /// - Returns: `tlsFailed` without a readable certificate.
    static func finding(chain: [[UInt8]], host: String, now: Int64) -> (code: MediaFinding.Code, text: String) {
        guard let der = chain.first, let certificate = try? Certificate(derEncoded: der) else {
            return (.tlsFailed, "The TLS handshake fails.")
        }
        let time = Date(timeIntervalSince1970: Double(now))
        if certificate.notValidAfter < time { return (.certificateExpired, "The certificate of the server has expired.") }
        if certificate.notValidBefore > time { return (.certificateNotYetValid, "The certificate of the server is not yet valid.") }
        if certificate.issuer == certificate.subject { return (.certificateSelfSigned, "The server signed its certificate itself.") }
        let names = self.names(of: certificate)
        if !names.contains(where: { self.covers($0, host: host) }) {
            let list = names.prefix(3).joined(separator: ", ")
            return (.certificateWrongName, "The certificate of the server is for \(list.isEmpty ? "no name" : list), not for \(host).")
        }
        return (.certificateUntrusted, "The certificate of the server does not lead to an authority that is trusted.")
    }

    private static func names(of certificate: Certificate) -> [String] {
        guard let alternatives = try? certificate.extensions.subjectAlternativeNames else { return [] }
        return alternatives.prefix(256).compactMap { name in
            switch name {
            case .dnsName(let text): text.lowercased()
            case .ipAddress(let bytes) where bytes.bytes.count == 4: bytes.bytes.map(String.init).joined(separator: ".")
            default: nil
            }
        }
    }

    /// Returns whether a name of a certificate matches the host (RFC 9525 section 6.3): a wildcard replaces the first label.
    static func covers(_ name: String, host: String) -> Bool {
        let host = host.lowercased()
        guard name.hasPrefix("*.") else { return name == host }
        guard let dot = host.firstIndex(of: "."), !HostNameRule.isNumeric(host) else { return false }
        return host[dot...] == name.dropFirst()
    }
}

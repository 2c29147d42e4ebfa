import SwiftASN1
import X509

/// The requirements of the certificate extensions that are checked for Cast devices.
enum CertificateRules {
    private static let basicConstraints: ASN1ObjectIdentifier = [2, 5, 29, 19]
    private static let keyUsage: ASN1ObjectIdentifier = [2, 5, 29, 15]
    private static let nameConstraints: ASN1ObjectIdentifier = [2, 5, 29, 30]
    private static let certificatePolicies: ASN1ObjectIdentifier = [2, 5, 29, 32]
    private static let policyMappings: ASN1ObjectIdentifier = [2, 5, 29, 33]
    private static let anyPolicy: ASN1ObjectIdentifier = [2, 5, 29, 32, 0]
    /// Google's policy for devices that may only play audio.
    static let audioOnlyPolicy: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 11129, 2, 5, 2]

    /// Returns why `issuer` cannot stand above `chain`, whose last certificate it issued; `nil` when it can.
    static func refusal(ofExtensionsOf issuer: Certificate, for chain: [Certificate]) -> String? {
        let understood = [Self.basicConstraints, Self.keyUsage, Self.nameConstraints]
        guard issuer.extensions.allSatisfy({ !$0.critical || understood.contains($0.oid) }) else {
            return "an issuer demands what we don't understand"
        }
        guard Self.algorithmsAgree(issuer), chain.last.map(Self.algorithmsAgree) ?? true else {
            return "a certificate names two signature algorithms"
        }
        if let mappings = issuer.extensions[oid: Self.policyMappings] {
            guard let pairs = Self.policies(inMappings: mappings.value), !pairs.contains(Self.anyPolicy) else {
                return "an issuer maps policies to any"
            }
        }
        guard issuer.extensions[oid: Self.nameConstraints] != nil else { return nil }
        guard let constraints = try? issuer.extensions.nameConstraints else { return "an issuer's name constraints can't be read" }
        for (index, certificate) in chain.enumerated() where index == 0 || certificate.subject != certificate.issuer {
            guard Self.names(of: certificate)?.allSatisfy({ Self.isAllowed($0, by: constraints) }) ?? false else {
                return "a certificate's name is outside what an issuer may issue"
            }
        }
        return nil
    }

    /// Returns whether any certificate is for audio only, which applies to the whole chain; `nil` when the policies cannot be read.
    static func isAudioOnly(_ chain: [Certificate]) -> Bool? {
        var isAudioOnly = false
        for certificate in chain {
            guard let value = certificate.extensions[oid: Self.certificatePolicies]?.value else { continue }
            guard let policies = Self.policies(in: value) else { return nil }
            isAudioOnly = isAudioOnly || policies.contains(Self.audioOnlyPolicy)
        }
        return isAudioOnly
    }

    // MARK: - Names

    private static func names(of certificate: Certificate) -> [GeneralName]? {
        var names: [GeneralName] = certificate.subject.isEmpty ? [] : [.directoryName(certificate.subject)]
        do {
            if let alternatives = try certificate.extensions.subjectAlternativeNames { names += alternatives }
        } catch {
            return nil
        }
        return names
    }

    private static func isAllowed(_ name: GeneralName, by constraints: NameConstraints) -> Bool {
        let permitted = constraints.permittedSubtrees.filter { Self.isSameKind($0, name) }
        let excluded = constraints.excludedSubtrees.filter { Self.isSameKind($0, name) }
        guard permitted.isEmpty || permitted.contains(where: { Self.covers($0, name) == true }) else { return false }
        // A name that cannot be compared is treated as excluded.
        return excluded.allSatisfy { Self.covers($0, name) == false }
    }

    private static func isSameKind(_ subtree: GeneralName, _ name: GeneralName) -> Bool {
        switch (subtree, name) {
        case (.directoryName, .directoryName), (.dnsName, .dnsName), (.ipAddress, .ipAddress), (.rfc822Name, .rfc822Name),
            (.uniformResourceIdentifier, .uniformResourceIdentifier), (.otherName, .otherName), (.registeredID, .registeredID):
            true
        default: false
        }
    }

    /// Returns whether the subtree covers the name; `nil` for kinds of names that Cast devices do not use.
    private static func covers(_ subtree: GeneralName, _ name: GeneralName) -> Bool? {
        switch (subtree, name) {
        case (.directoryName(let tree), .directoryName(let name)): name.starts(with: tree)
        case (.dnsName(let tree), .dnsName(let name)):
            tree.isEmpty || name.lowercased() == tree.lowercased() || name.lowercased().hasSuffix("." + tree.lowercased())
        default: nil
        }
    }

    // MARK: - ASN.1

    /// Returns the policies of a certificatePolicies extension.
    private static func policies(in value: ArraySlice<UInt8>) -> [ASN1ObjectIdentifier]? {
        Self.identifiers(in: value) { $0.isEmpty ? nil : $0.prefix(1) }
    }

    /// Returns all policies of a policyMappings extension, of both sides.
    private static func policies(inMappings value: ArraySlice<UInt8>) -> [ASN1ObjectIdentifier]? { Self.identifiers(in: value) { $0[...] } }

    /// Returns the identifiers that `select` takes from each element of a list; `nil` when one of them cannot be read.
    private static func identifiers(
        in value: ArraySlice<UInt8>, _ select: ([ASN1Node]) -> ArraySlice<ASN1Node>?
    ) -> [ASN1ObjectIdentifier]? {
        let selected = Self.children(of: value)?.map { Self.children(of: $0).flatMap(select) }
        guard let selected, !selected.contains(where: { $0 == nil }) else { return nil }
        return try? selected.compactMap { $0 }.joined().map { try ASN1ObjectIdentifier(derEncoded: $0) }
    }

    /// Returns whether the signed part and the signature name the same algorithm.
    private static func algorithmsAgree(_ certificate: Certificate) -> Bool {
        var serializer = DER.Serializer()
        guard (try? serializer.serialize(certificate)) != nil, let whole = try? DER.parse(serializer.serializedBytes),
            let parts = Self.children(of: whole), parts.count == 3, let signed = Self.children(of: parts[0])
        else { return false }
        // The version comes first, tagged, unless it is 1. Then follow the serial number and the algorithm.
        let index = signed.first?.identifier.tagClass == .contextSpecific ? 2 : 1
        return signed.count > index && signed[index].encodedBytes == parts[1].encodedBytes
    }

    private static func children(of value: ArraySlice<UInt8>) -> [ASN1Node]? {
        guard let node = try? DER.parse(value) else { return nil }
        return Self.children(of: node)
    }

    private static func children(of node: ASN1Node) -> [ASN1Node]? {
        guard case .constructed(let children) = node.content else { return nil }
        return Array(children)
    }
}

import Foundation
import Glibc
import Synchronization

/// A made-up CA with a certificate for a broker on localhost and one for a client, made by `openssl`.
public struct TestCertificates: Sendable {
    public let directory: String

    public var ca: String { "\(self.directory)/ca.crt" }
    /// A CA that signed nothing.
    public var otherCA: String { "\(self.directory)/other.crt" }
    /// For `localhost` and 127.0.0.1.
    public var server: String { "\(self.directory)/server.crt" }
    public var serverKey: String { "\(self.directory)/server.key" }
    /// For `broker.example` only.
    public var elsewhere: String { "\(self.directory)/elsewhere.crt" }
    public var elsewhereKey: String { "\(self.directory)/elsewhere.key" }
    public var client: String { "\(self.directory)/client.crt" }
    public var clientKey: String { "\(self.directory)/client.key" }

    /// Lines of mosquitto.conf for a TLS listener.
    public var brokerLines: [String] {
        ["certfile \(self.server)", "keyfile \(self.serverKey)", "cafile \(self.ca)", "tls_version tlsv1.2"]
    }

    /// Made once per test process, and removed at its end.
    public static func make() throws -> TestCertificates { try Self.shared.get() }

    private static let shared = Result<TestCertificates, any Error> {
        let made = TestCertificates(directory: NSTemporaryDirectory() + "certificates-" + UUID().uuidString)
        try FileManager.default.createDirectory(atPath: made.directory, withIntermediateDirectories: true)
        try made.makeAuthority("ca")
        try made.makeAuthority("other")
        try made.makeCertificate("server", subject: "/CN=localhost", names: "DNS:localhost,IP:127.0.0.1")
        try made.makeCertificate("elsewhere", subject: "/CN=broker.example", names: "DNS:broker.example")
        try made.makeCertificate("client", subject: "/CN=bridge", names: "DNS:bridge")
        Self.directoryToRemove.withLock { $0 = made.directory }
        atexit { TestCertificates.directoryToRemove.withLock { if let path = $0 { try? FileManager.default.removeItem(atPath: path) } } }
        return made
    }

    private static let directoryToRemove = Mutex<String?>(nil)

    private func makeAuthority(_ name: String) throws {
        try self.openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=Test \(name)",
            "-keyout", "\(name).key", "-out", "\(name).crt",
        ])
    }

    private func makeCertificate(_ name: String, subject: String, names: String) throws {
        try self.openssl([
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", subject, "-keyout", "\(name).key", "-out",
            "\(name).csr",
        ])
        let extensions = "\(self.directory)/\(name).ext"
        try "subjectAltName=\(names)\n".write(toFile: extensions, atomically: true, encoding: .utf8)
        try self.openssl([
            "x509", "-req", "-in", "\(name).csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile",
            extensions,
            "-out", "\(name).crt",
        ])
    }

    private func openssl(_ arguments: [String]) throws {
        try ShortProgram.run(["-C", self.directory, "openssl"] + arguments)
    }
}

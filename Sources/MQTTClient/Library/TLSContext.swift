internal import CMosquitto
import Glibc

/// The TLS settings of one connection: TLS 1.2 or newer, the broker's chain and host name verified, a client certificate where configured.
///
/// We create the context ourselves, because libmosquitto would verify the host that it connects to, which is a numeric address here.
final class TLSContext {
    /// Debian's directory of trusted CAs; where it is missing, OpenSSL's default applies.
    static let systemDirectory = "/etc/ssl/certs"

    let raw: OpaquePointer
    /// The data that the library's callbacks use; it outlives every connection of the context.
    private let peer: UnsafeMutablePointer<cmosquitto_tls_peer>

    /// - Parameter host: the name or numeric address that the certificate must contain.
    init(_ settings: MQTTConfiguration.TLS, host: String) throws(MQTTLinkError) {
        while ERR_get_error() != 0 {}
        guard let raw = SSL_CTX_new(TLS_client_method()) else { throw Self.error("no TLS context") }
        self.raw = raw
        let isNumeric = Self.isNumericAddress(host)
        // A numeric address is not a server name (RFC 6066 section 3).
        self.peer = .allocate(capacity: 1)
        self.peer.initialize(to: cmosquitto_tls_peer(server_name: isNumeric ? nil : strdup(host), is_through: 0, verify_error: 0))
        cmosquitto_tls_set_peer(raw, self.peer)
        _ = cmosquitto_tls_set_minimum_version(raw)
        let expectation = SSL_CTX_get0_param(raw)
        let expected =
            isNumeric ? X509_VERIFY_PARAM_set1_ip_asc(expectation, host) : X509_VERIFY_PARAM_set1_host(expectation, host, host.utf8.count)
        // Without an expected name, any valid certificate would be accepted.
        guard expected == 1 else { throw Self.error("the host name cannot be verified") }
        try Self.trust(settings.caFile, in: raw)
        try Self.identify(settings, in: raw)
    }

    deinit {
        SSL_CTX_free(self.raw)
        free(self.peer.pointee.server_name)
        self.peer.deallocate()
    }

    /// Whether the handshake was completed.
    var isThrough: Bool { self.peer.pointee.is_through != 0 }

    /// The reason why the broker's certificate was rejected, in OpenSSL's words; `nil` if it was not.
    var verifyProblem: String? {
        let error = self.peer.pointee.verify_error
        return error == 0 ? nil : String(cString: X509_verify_cert_error_string(Int(error)))
    }

    private static func trust(_ path: String?, in raw: OpaquePointer) throws(MQTTLinkError) {
        guard let path else {
            let found = access(self.systemDirectory, R_OK) == 0 && SSL_CTX_load_verify_locations(raw, nil, self.systemDirectory) == 1
            guard found || SSL_CTX_set_default_verify_paths(raw) == 1 else { throw self.error("the system's CAs cannot be read") }
            return
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw self.error("the CA file \(path) cannot be read: \(SystemError.last)") }
        let isDirectory = status.st_mode & S_IFMT == S_IFDIR
        guard SSL_CTX_load_verify_locations(raw, isDirectory ? nil : path, isDirectory ? path : nil) == 1 else {
            throw self.error("the CA file \(path) cannot be read")
        }
    }

    private static func identify(_ settings: MQTTConfiguration.TLS, in raw: OpaquePointer) throws(MQTTLinkError) {
        guard let certificate = settings.certificateFile, let key = settings.keyFile else { return }
        guard SSL_CTX_use_certificate_chain_file(raw, certificate) == 1 else {
            throw self.error("the client certificate \(certificate) cannot be read")
        }
        guard SSL_CTX_use_PrivateKey_file(raw, key, Int32(CMOSQUITTO_SSL_FILETYPE_PEM)) == 1 else {
            throw self.error("the key \(key) cannot be read")
        }
        guard SSL_CTX_check_private_key(raw) == 1 else { throw self.error("the client certificate and the key do not belong together") }
    }

    private static func isNumericAddress(_ host: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
    }

    private static func error(_ detail: String) -> MQTTLinkError {
        let reason = self.oldestError().map { " (\($0))" } ?? ""
        return MQTTLinkError(.invalidConfiguration, detail: detail + reason)
    }

    private static func oldestError() -> String? {
        let code = ERR_get_error()
        guard code != 0 else { return nil }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
            guard let start = text.baseAddress else { return nil }
            ERR_error_string_n(code, start, text.count)
            return String(cString: start)
        }
    }
}

import BridgeCore

/// The cookie that contains the id of a session.
struct SessionCookie: Sendable, Equatable {
    let name: String
    let path: String
    let isSecure: Bool

    /// Browsers share the cookies of a host between ports, so the port is part of the name. `__Host-` restricts a cookie to https and the
    /// path `/`.
    init(_ origin: RequestOrigin) {
        let port = origin.host?.port.map { "-\($0)" } ?? ""
        self.name = (origin.isSecure && origin.prefix.isEmpty ? "__Host-sid" : "sid") + port
        self.path = origin.prefix + "/"
        self.isSecure = origin.isSecure
    }

    /// Returns the id in a header `Cookie`; of several the first one.
    func id(in header: String?) -> String? {
        for part in (header ?? "").split(separator: ";") {
            let pair = part.trimmed.split(separator: "=", maxSplits: 1)
            if pair.count == 2, pair[0] == self.name, pair[1].utf8.count <= 128 { return String(pair[1]) }
        }
        return nil
    }

    /// Returns the header `Set-Cookie` that stores this id.
    func header(_ id: String) -> String { self.header(id, seconds: SessionTable.limit.components.seconds) }

    /// Returns the header `Set-Cookie` that removes the cookie.
    var removal: String { self.header("", seconds: 0) }

    private func header(_ value: String, seconds: Int64) -> String {
        "\(self.name)=\(value); Path=\(self.path); Max-Age=\(seconds); HttpOnly; SameSite=Strict\(self.isSecure ? "; Secure" : "")"
    }
}

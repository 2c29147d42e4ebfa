import BridgeCore

/// The cookie that contains the id of a session.
struct SessionCookie: Sendable, Equatable {
    let name: String
    let path: String
    let isSecure: Bool

    /// Creates the cookie for requests to this origin.
    ///
    /// Browsers share the cookies of a host between ports, so the port is part of the name. The prefix `__Host-` restricts a cookie to
    /// https and the path `/`.
    init(_ origin: RequestOrigin) {
        let port = origin.host?.port.map { "-\($0)" } ?? ""
        self.name = (origin.isSecure && origin.prefix.isEmpty ? "__Host-sid" : "sid") + port
        self.path = origin.prefix + "/"
        self.isSecure = origin.isSecure
    }

    /// Returns the id in the header `Cookie`; `nil` without one. Ids of more than 128 bytes are ignored; of several ids the first applies.
    func id(in header: String?) -> String? {
        for part in (header ?? "").split(separator: ";") {
            let pair = part.trimmed.split(separator: "=", maxSplits: 1)
            if pair.count == 2, pair[0] == self.name, pair[1].utf8.count <= 128 { return String(pair[1]) }
        }
        return nil
    }

    /// Returns the value of the header `Set-Cookie` that stores this id.
    func header(_ id: String) -> String { self.header(id, seconds: SessionTable.limit.components.seconds) }

    /// The value of the header `Set-Cookie` that removes the cookie.
    var removal: String { self.header("", seconds: 0) }

    private func header(_ value: String, seconds: Int64) -> String {
        "\(self.name)=\(value); Path=\(self.path); Max-Age=\(seconds); HttpOnly; SameSite=Strict\(self.isSecure ? "; Secure" : "")"
    }
}

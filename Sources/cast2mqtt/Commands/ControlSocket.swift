import BridgeConfiguration
import CastSender
import Glibc

/// Asks a running bridge over its control socket, which serves the JSON API of the web page.
struct ControlSocket {
    struct Answer {
        let status: Int
        /// `null` for a body that is not JSON.
        let body: JSONValue
    }

    /// The bridge accepted the connection and sent no whole answer in time.
    struct Silence: Error {
        let path: String
    }

    private static let maximumBytes = 16 << 20

    let path: String
    /// How long each step may take, in seconds.
    let timeout: Int

    /// Returns the socket of a running bridge of this configuration, its folder, and what it tells of itself; `nil` when this user finds none.
    static func find(
        _ configuration: Configuration, timeout: Int = 5
    ) throws(Silence) -> (socket: Self, folder: String, session: JSONValue)? {
        for folder in configuration.controlDirectories {
            let socket = Self(path: "\(folder)/\(ControlDirectory.socketName)", timeout: timeout)
            guard let session = try socket.get("/api/v1/session")?.body, session["instance"]?.stringValue == configuration.instance
            else { continue }
            return (socket, folder, session)
        }
        return nil
    }

    /// Returns the answer; `nil` when there is no socket, when nobody listens behind it, or when this user may not open it.
    func get(_ target: String) throws(Silence) -> Answer? {
        guard let descriptor = self.connect() else { return nil }
        defer { close(descriptor) }
        let request = Array("GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { throw Silence(path: self.path) }
        var received: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 14)
        while received.count < Self.maximumBytes {
            let count = recv(descriptor, &part, part.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Silence(path: self.path) }
            if count == 0 { break }
            received += part.prefix(count)
        }
        let text = String(decoding: received, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n"), let status = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { throw Silence(path: self.path) }
        return Answer(status: status, body: (try? JSONParser.parse(Array(text[end.upperBound...].utf8))) ?? .null)
    }

    private func connect() -> Int32? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isShort = withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard self.path.utf8.count < room.count else { return false }
            room.copyBytes(from: self.path.utf8)
            return true
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var limit = timeval(tv_sec: self.timeout, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        let isConnected =
            isShort
            && withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                }
            }
        guard isConnected else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}

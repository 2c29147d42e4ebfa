import Glibc
import NetworkReach
import Synchronization

@testable import MQTTClient

/// A TCP server of a few lines: each accepted connection is handed to the script, on a thread of its own.
final class ScriptedPeer: Sendable {
    /// One accepted connection; closed when the script returns.
    struct Connection: Sendable {
        let descriptor: Int32
        /// Counts from 1.
        let number: Int

        func write(_ bytes: [UInt8]) { _ = send(self.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

        /// The bytes that arrive next; empty at the end.
        func read(upTo count: Int = 4096) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            let received = recv(self.descriptor, &bytes, count, 0)
            return Array(bytes.prefix(max(0, received)))
        }

        /// One MQTT packet of up to 127 bytes, `nil` at the end.
        func packet() -> [UInt8]? {
            let head = self.read(upTo: 1) + self.read(upTo: 1)
            guard head.count == 2 else { return nil }
            var body: [UInt8] = []
            while body.count < Int(head[1]) {
                let more = self.read(upTo: Int(head[1]) - body.count)
                if more.isEmpty { return nil }
                body += more
            }
            return head + body
        }

        /// Waits for the peer to close.
        func drain() { while !self.read().isEmpty {} }

        /// Protocol level of a CONNECT packet: after the name `MQTT`.
        static func level(of connect: [UInt8]) -> UInt8? { connect.count > 8 ? connect[8] : nil }
    }

    let port: UInt16
    private let listener: Int32

    init(_ script: @escaping @Sendable (Connection) -> Void) throws {
        let (listener, port) = try Self.listen(backlog: 16)
        self.listener = listener
        self.port = port
        _ = DetachedThread.start("scripted-peer") {
            var number = 0
            while true {
                let accepted = accept(listener, nil, nil)
                if accepted < 0, errno == EINVAL { break }
                if accepted < 0 { continue }
                SocketOption.closeOnExec(accepted)
                number += 1
                let connection = Connection(descriptor: accepted, number: number)
                let play: @Sendable () -> Void = {
                    script(connection)
                    close(accepted)
                }
                if !DetachedThread.start("scripted-conn", play) { play() }
            }
            close(listener)
        }
    }

    /// The accepting thread closes the listener once `shutdown` has woken it.
    deinit { shutdown(self.listener, Int32(SHUT_RDWR)) }

    struct Failure: Error {}

    static func listen(backlog: Int32) throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isReady = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                bind(descriptor, $0.baseAddress, size) == 0 && Glibc.listen(descriptor, backlog) == 0
                    && getsockname(descriptor, $0.baseAddress, &size) == 0
            }
        }
        guard isReady else { throw Failure() }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }
}

/// A listener whose queue is full: the kernel drops further connection requests, as a black hole does.
final class BlackHole: Sendable {
    let port: UInt16
    private let descriptors: [Int32]

    init() throws {
        let (listener, port) = try ScriptedPeer.listen(backlog: 0)
        self.port = port
        guard let address = try NumericAddress.resolve("127.0.0.1", port: port, isNumeric: true).get().first else {
            throw ScriptedPeer.Failure()
        }
        var descriptors = [listener]
        for _ in 0..<4 {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
            address.bytes.withUnsafeBytes { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) { _ = connect(descriptor, $0.baseAddress, socklen_t(bytes.count)) }
            }
            descriptors.append(descriptor)
        }
        self.descriptors = descriptors
    }

    deinit { for descriptor in self.descriptors { close(descriptor) } }
}

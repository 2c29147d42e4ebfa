import Glibc
import TestSupport

/// An MQTT 5 publisher that writes its packets byte by byte, so that it can send a thousand messages in a moment, and some that no library would.
///
/// It reaches the broker over a unix socket (`brokerLine`), so hosts and switches of a test don't matter to it. Blocking; one user at a time.
final class PacketSender {
    /// The listener for mosquitto.conf.
    static let brokerLine = "listener 0 %DIR%/unix"

    private let path: String
    private let clientID: String
    private let login: (user: String, password: String)?
    private var descriptor: Int32 = -1
    private var identifier: UInt16 = 0

    init(_ broker: MosquittoBroker, clientID: String, login: (user: String, password: String)? = nil) throws {
        self.path = broker.directory + "/unix"
        self.clientID = clientID
        self.login = login
        try self.connect()
    }

    deinit { close(self.descriptor) }

    /// The broker's response to a message.
    enum Outcome: Equatable {
        /// It has it; the reason code of its PUBACK.
        case acknowledged(UInt8)
        /// It ended the connection over it. The next message opens another.
        case hungUp
    }

    /// Publishes with quality of service 1 and waits until the broker has it.
    @discardableResult
    func publish(
        _ payload: [UInt8], to topic: [UInt8], responseTopic: [UInt8]? = nil, correlation: [UInt8]? = nil, retain: Bool = false
    ) throws -> Outcome {
        if self.descriptor < 0 { try self.connect() }
        self.identifier = self.identifier == .max ? 1 : self.identifier + 1
        var properties: [UInt8] = []
        if let responseTopic { properties += [0x08] + Self.prefixed(responseTopic) }
        if let correlation { properties += [0x09] + Self.prefixed(correlation) }
        let body =
            Self.prefixed(topic) + [UInt8(self.identifier >> 8), UInt8(self.identifier & 0xFF)] + Self.variable(properties.count)
            + properties + payload
        guard self.write([retain ? 0x33 : 0x32] + Self.variable(body.count) + body), let answer = self.packet(), answer.type == 4 else {
            close(self.descriptor)
            self.descriptor = -1
            return .hungUp
        }
        return .acknowledged(answer.body.count > 2 ? answer.body[2] : 0)
    }

    /// The same with texts.
    @discardableResult
    func publish(_ payload: String, to topic: String, responseTopic: String? = nil, correlation: String? = nil) throws -> Outcome {
        try self.publish(
            Array(payload.utf8), to: Array(topic.utf8), responseTopic: responseTopic.map { Array($0.utf8) },
            correlation: correlation.map { Array($0.utf8) })
    }

    private func connect() throws {
        self.descriptor = try UnixSocket.connected(to: self.path)
        let texts = [self.clientID] + (self.login.map { [$0.user, $0.password] } ?? [])
        // Clean start, and whether a name and a password follow.
        let flags: UInt8 = self.login == nil ? 0x02 : 0xC2
        let body = Self.prefixed(Array("MQTT".utf8)) + [5, flags, 0, 0, 0] + texts.flatMap { Self.prefixed(Array($0.utf8)) }
        guard self.write([0x10] + Self.variable(body.count) + body), let answer = self.packet(), answer.type == 2, answer.body[1] == 0
        else {
            throw ConditionNotMet(description: "the broker refuses \(self.clientID)")
        }
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// The next packet; `nil` when the broker hung up.
    private func packet() -> (type: UInt8, body: [UInt8])? {
        guard let first = self.read(1)?.first else { return nil }
        var (length, shift) = (0, 0)
        while true {
            guard let byte = self.read(1)?.first, shift < 28 else { return nil }
            length |= Int(byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 { break }
        }
        return self.read(length).map { (first >> 4, $0) }
    }

    private func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let more = bytes.withUnsafeMutableBytes { recv(self.descriptor, $0.baseAddress.map { $0 + filled }, count - filled, 0) }
            guard more > 0 else { return nil }
            filled += more
        }
        return bytes
    }

    /// MQTT 5, 1.5.4: two bytes of length, then the text.
    private static func prefixed(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes }

    /// MQTT 5, 1.5.5: seven bits a byte, lowest first.
    private static func variable(_ number: Int) -> [UInt8] {
        var (bytes, rest) = ([UInt8](), number)
        repeat {
            bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return bytes
    }
}

/// Unix sockets of programs under test.
enum UnixSocket {
    /// A connected descriptor whose reads end after 30 seconds; the caller closes it.
    static func connected(to path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            throw ConditionNotMet(description: "\(path) can't be reached: \(errno)")
        }
        return descriptor
    }
}

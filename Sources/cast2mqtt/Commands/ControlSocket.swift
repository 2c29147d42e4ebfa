import BridgeConfiguration
import CastSender
import NIOCore
import NIOHTTP1
import NIOPosix

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

    private typealias Connection = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    private static let maximumBytes = 16 << 20

    let path: String

    /// Returns the socket of a running bridge of this configuration, its folder, and what it tells of itself; `nil` when this user finds none.
    ///
    /// - Throws: `Silence`.
    static func find(
        _ configuration: Configuration, within limit: Duration = .seconds(5)
    ) async throws -> (socket: Self, folder: String, session: JSONValue)? {
        for folder in configuration.controlDirectories {
            let socket = Self(path: "\(folder)/\(ControlDirectory.socketName)")
            guard let session = try await socket.request("/api/v1/session", within: limit)?.body,
                session["instance"]?.stringValue == configuration.instance
            else { continue }
            return (socket, folder, session)
        }
        return nil
    }

    /// Returns the answer; `nil` when there is no socket, when nobody listens behind it, or when this user may not open it.
    ///
    /// - Parameters:
    ///   - target: the path and the query.
    ///   - body: JSON to post; `nil` reads.
    /// - Throws: `Silence`.
    func request(_ target: String, body: [UInt8]? = nil, within limit: Duration = .seconds(5)) async throws -> Answer? {
        try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask {
                try await Task.sleep(for: limit)
                throw Silence(path: self.path)
            }
            group.addTask { try await self.whole(target, body) }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    private func whole(_ target: String, _ body: [UInt8]?) async throws(Silence) -> Answer? {
        var received: [UInt8] = []
        do {
            let status = try await self.read(target, body) { part in
                guard received.count + part.count <= Self.maximumBytes else { throw Silence(path: self.path) }
                received += part
            }
            return status.map { Answer(status: $0, body: (try? JSONParser.parse(received)) ?? .null) }
        } catch {
            throw Silence(path: self.path)
        }
    }

    /// Reads a stream of server-sent events until it ends or the task is cancelled.
    ///
    /// - Parameter handle: gets the name of each event, and its data.
    /// - Returns: whether the bridge opened the stream.
    func follow(_ target: String, _ handle: (String, JSONValue) throws -> Void) async throws -> Bool {
        var pending: [UInt8] = []
        let status = try await self.read(target, nil) { part in
            pending += part
            while let end = pending.firstRange(of: [0x0A, 0x0A]) {
                let lines = String(decoding: pending[..<end.lowerBound], as: UTF8.self).split(separator: "\n")
                pending.removeSubrange(..<end.upperBound)
                let field = { (name: String) in lines.first { $0.hasPrefix(name + ": ") }?.dropFirst(name.count + 2) }
                guard let name = field("event"), let data = field("data") else { continue }
                try handle(String(name), (try? JSONParser.parse(Array(data.utf8))) ?? .null)
            }
        }
        return status == 200
    }

    /// - Returns: the HTTP status; `nil` when no program listens behind the socket, or this user may not open it.
    private func read(_ target: String, _ body: [UInt8]?, _ handle: ([UInt8]) throws -> Void) async throws -> Int? {
        let connection: Connection
        do {
            connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(unixDomainSocketPath: self.path) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHTTPClientHandlers()
                        return try Connection(wrappingChannelSynchronously: channel)
                    }
                }
        } catch {
            return nil
        }
        return try await connection.executeThenClose { inbound, outbound in
            var head = HTTPRequestHead(version: .http1_1, method: body == nil ? .GET : .POST, uri: target)
            head.headers = ["Host": "localhost", "Connection": "close"]
            if let body { head.headers.add(contentsOf: ["Content-Type": "application/json", "Content-Length": "\(body.count)"]) }
            try await outbound.write(.head(head))
            if let body { try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: body)))) }
            try await outbound.write(.end(nil))
            var status = 0
            for try await part in inbound {
                switch part {
                case .head(let head): status = Int(head.status.code)
                case .body(let bytes): try handle(Array(bytes.readableBytesView))
                case .end: return status
                }
            }
            throw Silence(path: self.path)
        }
    }
}

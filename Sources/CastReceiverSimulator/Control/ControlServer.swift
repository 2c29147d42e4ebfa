import LogKeys
import Logging
import NIOCore
import NIOPosix

/// The control socket: a unix socket that receives one JSON object on each line and answers each with one line, in order.
struct ControlServer: Sendable {
    let path: String
    let group: any EventLoopGroup
    let logger: Logger
    /// Executes one line and returns the answer.
    let answer: @Sendable (String) async -> JSON

    typealias Connection = NIOAsyncChannel<String, ByteBuffer>

    /// - Throws: `SimulatorError` `resource` when the path cannot be listened on.
    func listen() async throws(SimulatorError) -> NIOAsyncChannel<Connection, Never> {
        do {
            return try await ServerBootstrap(group: self.group).bind(unixDomainSocketPath: self.path, cleanupExistingSocketFile: true) {
                channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(LineDecoder()))
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
        } catch {
            throw SimulatorError(.resource, "cannot listen on \(self.path): \(error)")
        }
    }

    /// Serves until cancelled.
    func serve(_ listener: NIOAsyncChannel<Connection, Never>) async throws {
        try await listener.executeThenClose { connections in
            try await withThrowingDiscardingTaskGroup { group in
                for try await connection in connections {
                    group.addTask { await self.serve(connection) }
                }
            }
        }
    }

    private func serve(_ connection: Connection) async {
        do {
            try await connection.executeThenClose { lines, answers in
                for try await line in lines {
                    let answer = await self.answer(line)
                    try await answers.write(ByteBuffer(bytes: answer.utf8 + [UInt8(ascii: "\n")]))
                }
            }
        } catch {
            // The client disconnected or sent an endless line; other connections are not affected.
            self.logger.debug("control connection ended", metadata: [.error: "\(error)"])
        }
    }
}

/// Splits bytes into lines.
struct LineDecoder: ByteToMessageDecoder {
    typealias InboundOut = String

    /// The longest line, in bytes.
    static let maximumLength = 65_536

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard let end = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) else {
            guard buffer.readableBytes <= Self.maximumLength else { throw SimulatorError(.invalidRequest, "a line of more than 64 KiB") }
            return .needMoreData
        }
        let length = end - buffer.readerIndex
        guard length <= Self.maximumLength, let line = buffer.readString(length: length) else {
            throw SimulatorError(.invalidRequest, "a line of more than 64 KiB")
        }
        buffer.moveReaderIndex(forwardBy: 1)
        if line.contains(where: { !$0.isWhitespace }) { context.fireChannelRead(self.wrapInboundOut(line)) }
        return .continue
    }

    mutating func decodeLast(context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool) throws -> DecodingState {
        try self.decode(context: context, buffer: &buffer)
    }
}

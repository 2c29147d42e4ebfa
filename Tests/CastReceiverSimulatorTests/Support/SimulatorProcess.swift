import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import CastReceiverSimulator

/// `cast-simulator` as a process of its own, ended with the test.
final class SimulatorProcess: Sendable {
    let controlPath: String
    private let process: ChildProcess

    init(_ arguments: [String], directory: TemporaryDirectory) async throws {
        self.controlPath = directory.file("control")
        self.process = try await ChildProcess("cast-simulator", ["--control", self.controlPath] + arguments)
    }

    var lines: [String] { self.process.lines }

    func waitUntilReady() async throws { try await self.process.line(containing: "ready") }

    func signal(_ number: Int32) { self.process.signal(number) }

    /// Waits for the end of the process; its exit status.
    func end() async throws -> Int32 { try await self.process.ended() }

    /// Sends lines to the control socket and returns as many answers.
    func control(_ lines: [String]) async throws -> [JSON] { try await Self.control(self.controlPath, lines) }

    static func control(_ path: String, _ lines: [String]) async throws -> [JSON] {
        let count = lines.count
        let (answers, continuation) = AsyncStream.makeStream(of: JSON.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([ByteToMessageHandler(LineDecoder()), Answers(continuation)])
                }
            }
            .connect(unixDomainSocketPath: path).get()
        try await channel.writeAndFlush(ByteBuffer(string: lines.map { $0 + "\n" }.joined()))
        var received: [JSON] = []
        for await answer in answers {
            received.append(answer)
            if received.count == count { break }
        }
        try? await channel.close().get()
        return received
    }

    private final class Answers: ChannelInboundHandler {
        typealias InboundIn = String
        private let continuation: AsyncStream<JSON>.Continuation
        init(_ continuation: AsyncStream<JSON>.Continuation) { self.continuation = continuation }
        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.continuation.yield(JSONTextReader.read(self.unwrapInboundIn(data)) ?? .null)
        }
        func channelInactive(context: ChannelHandlerContext) { self.continuation.finish() }
    }
}

import Foundation
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import CastReceiverSimulator

/// `cast-simulator` as a process of its own, ended with the test.
final class SimulatorProcess: Sendable {
    let controlPath: String
    private let process: Process
    private let output: Lines

    /// What a process printed, line by line as it came.
    final class Lines: Sendable {
        private let data = Mutex(Data())
        func append(_ more: Data) { self.data.withLock { $0.append(more) } }
        var all: [String] { String(decoding: self.data.withLock { $0 }, as: UTF8.self).split(separator: "\n").map(String.init) }
    }

    /// Built beside the tests.
    static var executable: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent(
            "cast-simulator")
    }

    init(_ arguments: [String], directory: TemporaryDirectory) throws {
        self.controlPath = directory.file("control")
        self.process = Process()
        self.output = Lines()
        self.process.executableURL = Self.executable
        self.process.arguments = ["--control", self.controlPath] + arguments
        let pipe = Pipe()
        self.process.standardOutput = pipe
        self.process.standardError = pipe
        let output = self.output
        pipe.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil } else { output.append(data) }
        }
        try Descriptors.start(self.process)
    }

    deinit { if self.process.isRunning { kill(self.process.processIdentifier, SIGKILL) } }

    var lines: [String] { self.output.all }

    func waitUntilReady() async throws {
        try await eventually("cast-simulator is ready: \(self.lines)") {
            guard self.process.isRunning || self.lines.contains("ready") else {
                throw RawSender.NothingCame(description: "it ended: \(self.lines)")
            }
            return self.lines.contains("ready")
        }
    }

    func signal(_ number: Int32) { kill(self.process.processIdentifier, number) }

    /// Waits for the end of the process; its exit status.
    func end() async throws -> Int32 {
        try await eventually("cast-simulator ends") { !self.process.isRunning }
        return self.process.terminationStatus
    }

    /// Sends lines to the control socket and returns as many answers.
    func control(_ lines: [String]) async throws -> [JSON] {
        let count = lines.count
        let (answers, continuation) = AsyncStream.makeStream(of: JSON.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([ByteToMessageHandler(LineDecoder()), Answers(continuation)])
                }
            }
            .connect(unixDomainSocketPath: self.controlPath).get()
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
            self.continuation.yield(JSONReader.read(self.unwrapInboundIn(data)) ?? .null)
        }
        func channelInactive(context: ChannelHandlerContext) { self.continuation.finish() }
    }
}

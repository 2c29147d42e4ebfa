import BridgeCore
import Glibc
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import Dashboard

@Suite("A listener without descriptors") struct AcceptPauseTests {
    private static func channel() throws -> EmbeddedChannel {
        let report = ListenerReport(
            address: "127.0.0.1:8099", logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return EmbeddedChannel(handler: AcceptPause(report))
    }

    /// Every value that the option was set to.
    private static func reads(_ channel: EmbeddedChannel) -> [Bool] { channel.options.compactMap { $0.value as? Bool } }

    @Test("accepts nothing for a second, and then again", arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
    func pause(number: CInt) throws {
        let channel = try Self.channel()
        channel.pipeline.fireErrorCaught(IOError(errnoCode: number, reason: "accept"))
        #expect(Self.reads(channel) == [false])
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        #expect(Self.reads(channel) == [false])
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(Self.reads(channel).last == true)
    }

    @Test("a connection that ended before it was accepted is no reason")
    func otherErrors() throws {
        let channel = try Self.channel()
        channel.pipeline.fireErrorCaught(IOError(errnoCode: ECONNABORTED, reason: "accept"))
        #expect(Self.reads(channel).isEmpty)
        #expect(throws: IOError.self) { try channel.throwIfErrorCaught() }
    }
}

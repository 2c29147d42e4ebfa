import EventLoopTiming
import Glibc
import NIOCore
import NIOEmbedded
import Testing

@Suite("A listener without descriptors") struct AcceptPauseTests {
    private static func channel(_ onPause: @escaping (IOError, Bool) -> Void = { _, _ in }) throws -> EmbeddedChannel {
        EmbeddedChannel(handler: AcceptPause(onPause))
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

    @Test("a pause is new once a minute has passed without one")
    func news() throws {
        var news: [Bool] = []
        let channel = try Self.channel { news.append($1) }
        for seconds in [0, 1, 60, 61] {
            channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(seconds)))
            channel.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept"))
        }
        #expect(news == [true, false, false, true])
    }
}

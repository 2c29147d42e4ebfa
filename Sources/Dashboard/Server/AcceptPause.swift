import Glibc
import NIOCore

/// Accepts no connections for a second when the process has no descriptor or memory for one. The first handler of a listener's channel.
///
/// The `AcceptBackoffHandler` of swift-nio leaves the channel registered, so the event loop would try again at once, forever.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let report: ListenerReport

    init(_ report: ListenerReport) { self.report = report }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        self.report.paused(error)
        let channel = context.channel
        // Unlike `read()`, this option changes the registration.
        try? channel.syncOptions?.setOption(.autoRead, value: false)
        context.eventLoop.scheduleTask(in: .seconds(1)) { try? channel.syncOptions?.setOption(.autoRead, value: true) }
    }
}

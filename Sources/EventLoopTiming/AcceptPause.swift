import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Accepts no connections for a second when the process has no descriptor or memory for one. The first handler of a listener's channel.
///
/// The `AcceptBackoffHandler` of swift-nio leaves the channel registered, so the event loop would try again at once, forever.
package final class AcceptPause: ChannelInboundHandler {
    package typealias InboundIn = any Channel

    private let onPause: (IOError, Bool) -> Void
    private var last: NIODeadline?

    /// - Parameter onPause: called when a pause begins, with its cause, and whether there was none in the minute before.
    package init(_ onPause: @escaping (_ error: IOError, _ isNew: Bool) -> Void) { self.onPause = onPause }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        let now = context.eventLoop.now
        self.onPause(error, self.last.map { now - $0 > .minutes(1) } ?? true)
        self.last = now
        let channel = context.channel
        // Unlike `read()`, this option changes the registration.
        try? channel.syncOptions?.setOption(.autoRead, value: false)
        context.eventLoop.scheduleTask(in: .seconds(1)) { try? channel.syncOptions?.setOption(.autoRead, value: true) }
    }
}

import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// Adds a `ConnectionGuard` in front of the HTTP handlers of each connection and a `RequestHeadHandler` among them, and refuses connections above the limits.
struct GuardedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let table: ConnectionTable
    let limits: ConnectionClock.Limits

    /// Thrown for a connection above the limits, which is closed.
    struct Refused: Error {}

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        channel.eventLoop.makeCompletedFuture {
            guard self.table.open(channel) else {
                channel.close(promise: nil)
                throw Refused()
            }
            let table = self.table
            try channel.pipeline.syncOperations.addHandler(
                ConnectionGuard(self.limits, now: channel.eventLoop.now) { [weak channel] in channel.map(table.close) })
        }.flatMap { self.base.setup(channel: channel, logger: logger) }.flatMapThrowing { value in
            let decoder = try channel.pipeline.syncOperations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try channel.pipeline.syncOperations.addHandler(RequestHeadHandler(), position: .after(decoder))
            return value
        }
    }

    func handle(value: Base.Value, logger: Logger) async { await self.base.handle(value: value, logger: logger) }
}

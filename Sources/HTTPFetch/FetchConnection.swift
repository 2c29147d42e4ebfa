import NIOCore
import NIOPosix
import NetworkReach
import Synchronization

/// The connection of one fetch. It can be closed on any thread, also before it is open.
final class FetchConnection: Sendable {
    private struct State {
        var channel: (any Channel)?
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Connects to `address` and waits for `result`, which fails if there is no connection. Closes the connection if the caller is cancelled.
    ///
    /// - Parameters:
    ///   - limit: the limit for TCP; TLS has the limit of its handler.
    ///   - result: completed by a handler of the channel.
    ///   - initialize: adds the handlers, on the event loop of `result`.
    static func open<Value: Sendable>(
        to address: NumericAddress, limit: TimeAmount, result: EventLoopPromise<Value>,
        _ initialize: @escaping @Sendable (any Channel) throws -> Void
    ) async throws -> Value {
        let connection = FetchConnection()
        return try await withTaskCancellationHandler {
            ClientBootstrap(group: result.futureResult.eventLoop)
                .connectTimeout(limit)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try connection.opened(channel)
                        try initialize(channel)
                    }
                }
                .connect(host: address.host, port: Int(address.port))
                .cascadeFailure(to: result)
            return try await result.futureResult.get()
        } onCancel: {
            connection.close()
        }
    }

    /// - Throws: `CancellationError` if the connection was closed before.
    private func opened(_ channel: any Channel) throws {
        let isClosed = self.state.withLock { state in
            state.channel = channel
            return state.isClosed
        }
        if isClosed { throw CancellationError() }
    }

    private func close() {
        let channel = self.state.withLock { state in
            state.isClosed = true
            return state.channel
        }
        channel?.close(promise: nil)
    }
}

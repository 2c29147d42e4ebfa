import NIOCore

/// Waits until the task is cancelled.
package func untilCancelled() async {
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    continuation.finish()
}

/// Waits for `amount` on the clock of `eventLoop`, or until `wake` succeeds or the task is cancelled.
package func sleep(_ amount: TimeAmount, on eventLoop: any EventLoop, wake: EventLoopPromise<Void>? = nil) async {
    let end = wake ?? eventLoop.makePromise(of: Void.self)
    let alarm = eventLoop.scheduleTask(in: amount) { end.succeed() }
    await withTaskCancellationHandler {
        try? await end.futureResult.get()
    } onCancel: {
        end.succeed()
    }
    alarm.cancel()
}

import NIOCore

extension Actor {
    /// Runs `body` on this actor, whose executor is `eventLoop`, from a place that is on that loop already.
    ///
    /// The same as `assumeIsolated`, but for how it is checked: that one looks for the present executor, which takes a thousand instructions.
    @inlinable
    package nonisolated func assumeIsolated<Result>(on eventLoop: any EventLoop, _ body: (isolated Self) -> Result) -> Result {
        eventLoop.preconditionInEventLoop()
        return withoutActuallyEscaping(body) { body in
            // Both kinds of function are called alike; isolation is only a promise, which the line above has checked: what runs on the actor's
            // executor runs on this loop, one thing at a time.
            unsafeBitCast(body, to: ((Self) -> Result).self)(self)
        }
    }
}

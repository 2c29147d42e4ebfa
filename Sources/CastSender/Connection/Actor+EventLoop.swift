import NIOCore

extension Actor {
    /// Calls `body` with this actor, whose executor is `eventLoop`, and `argument`, from a place that is on that loop already.
    ///
    /// The same as `assumeIsolated`, but for how it is checked: that one looks for the present executor, which takes a thousand instructions.
    ///
    /// - Parameter body: captures nothing, so that nothing is allocated for it.
    nonisolated func assumeIsolated<Argument>(
        on eventLoop: any EventLoop, _ argument: Argument, _ body: @escaping (isolated Self, Argument) -> Void
    ) {
        eventLoop.preconditionInEventLoop()
        // Both kinds of function are called alike; isolation is only a promise, which the line above has checked: what runs on the actor's
        // executor runs on this loop, one thing at a time.
        unsafeBitCast(body, to: ((Self, Argument) -> Void).self)(self, argument)
    }
}

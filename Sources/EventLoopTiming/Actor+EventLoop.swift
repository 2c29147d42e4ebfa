import NIOCore

extension Actor {
    /// Calls `body` with this actor, whose executor is `eventLoop`, and `argument`. The caller must already be on that loop.
    ///
    /// Like `assumeIsolated`, with a cheaper check: that function looks up the current executor, which costs a thousand instructions.
    ///
    /// - Parameter body: must capture nothing, so that no closure context is allocated.
    package nonisolated func assumeIsolated<Argument, Result>(
        on eventLoop: any EventLoop, _ argument: Argument, _ body: @escaping (isolated Self, Argument) -> Result
    ) -> Result {
        eventLoop.preconditionInEventLoop()
        // Both kinds of function have the same calling convention. Isolation is only a promise, which the precondition above has checked:
        // code on the actor's executor runs on this loop, one job at a time.
        return unsafeBitCast(body, to: ((Self, Argument) -> Result).self)(self, argument)
    }
}

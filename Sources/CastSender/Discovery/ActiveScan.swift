import EventLoopTiming
import NIOCore

/// Repeats the discovery query while a scan is active; has no cost while it is passive.
struct ActiveScan: Sendable {
    /// The time between two queries.
    static let interval = TimeAmount.seconds(15)

    let isPassive: StateSource<Bool>

    var isActive: Bool { self.isPassive.newest == false }

    /// Runs until the task is cancelled.
    func run(on eventLoop: any EventLoop, isolation: isolated (any Actor)? = #isolation, ask: () async -> Void) async {
        var changes = self.isPassive.sequence.makeAsyncIterator()
        while await changes.next(isolation: isolation) != nil {
            while self.isActive, !Task.isCancelled {
                await sleep(Self.interval, on: eventLoop)
                if self.isActive, !Task.isCancelled { await ask() }
            }
        }
    }
}

import NIOCore

/// Runs the tasks that feed event streams on the loop of their connections. On Swift's pool each piece of each stream would wake a thread of
/// the pool and the loop in turn, which costs more than the writing. They must not block.
final class StreamTaskExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
